#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The image server is killed under a running program: the sandbox failed, not the program.
# where: host
# expect: status=sandbox_error exit=125 exit_code=125 error.code="image_server" success=false wall_s<10

# shellcheck source=/dev/null
. "$PROGRAMS/lib/server.sh"
start_reader --timeout 20
signal_server KILL
finish
