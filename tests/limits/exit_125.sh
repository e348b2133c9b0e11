#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exits with 125 by itself.
# options: --timeout 20 --memory 100m
# expect: status=exited exit=125 exit_code=125 signal=null error=null

exit 125
