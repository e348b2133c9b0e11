#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exits with 137 by itself.
# options: --timeout 20 --memory 100m
# expect: status=exited exit=137 exit_code=137 signal=null oom_killed=false

exit 137
