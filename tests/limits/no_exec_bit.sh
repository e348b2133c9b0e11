#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The file is there and may not be executed.
# command: /programs/no_exec_bit.sh
# expect: status=launch_error exit=126 exit_code=126 error.code="command_not_executable"

exit 0
