#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exits with 126 by itself.
# options: --timeout 20 --memory 100m
# expect: status=exited exit=126 exit_code=126 signal=null error=null

exit 126
