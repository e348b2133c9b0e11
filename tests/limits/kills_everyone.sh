#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kills every process it can see, which is its own container's; csbx lives.
# expect: status=exited exit=6 exit_code=6

sleep 60 &
sleep 60 &
kill -9 -1
kill -9 1
exit 6
