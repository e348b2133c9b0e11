#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Its child holds both output streams open and sleeps; no process waits for it.
# expect: status=exited exit=3 exit_code=3 stdout="started\n" wall_s<8

sleep 60 &
echo started
exit 3
