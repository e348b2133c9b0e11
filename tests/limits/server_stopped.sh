#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The image server is stopped while the program reads the image: the task hangs in the
# kernel, and the verdict comes all the same.
# where: host
# scaled: TIMEOUT=12
# expect: status=timeout exit=124 timed_out=true wall_s<8

# shellcheck source=/dev/null
. "$PROGRAMS/lib/server.sh"
start_reader --timeout "${TIMEOUT:-2}"
signal_server STOP
finish
