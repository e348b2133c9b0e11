#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The reader of the output goes away: the program gets SIGPIPE, csbx does not hang.
# where: host
# expect: status=signaled exit=141 signal=13 wall_s<10

"$CSBX" run --timeout 20 --max-output-kill 100g --json="$WORK/r.json" "$IMAGE" yes | head -c 2 >/dev/null
cat "$WORK/r.json"
exit "$(sed 's/.*"signal":\([0-9]*\).*/\1/' "$WORK/r.json" | awk '{ print 128 + $1 }')"
