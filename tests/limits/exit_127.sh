#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exits with 127 by itself.
# options: --timeout 20 --memory 100m
# expect: status=exited exit=127 exit_code=127 signal=null error=null

exit 127
