#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A function that starts two of itself in the background and waits for them.
# options: --pids-limit 60 --timeout 1
# expect: status=timeout exit=124 timed_out=true wall_s<8

# shellcheck disable=SC2264
bomb() {
	bomb | bomb &
	wait
}
bomb 2>/dev/null
sleep 60
