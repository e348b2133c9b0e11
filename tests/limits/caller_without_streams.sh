#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# csbx is started with no descriptor 0, 1 and 2 at all.
# where: host
# expect: status=exited exit=4 exit_code=4

"$CSBX" run --json="$WORK/r.json" "$IMAGE" sh -c 'echo out; echo err >&2; cat; exit 4' <&- >&- 2>&-
code=$?
cat "$WORK/r.json"
exit $code
