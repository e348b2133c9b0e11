#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes for ever; it may, within its time, and the head and the tail are kept.
# options: --max-output 1m --timeout 1
# expect: status=timeout exit=124 timed_out=true truncated.stdout=true truncated.stderr=false
# expect: stdout_bytes>2000000 wall_s<8

exec yes
