#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exits with 124 by itself.
# options: --timeout 20 --memory 100m
# expect: status=exited exit=124 exit_code=124 signal=null timed_out=false

exit 124
