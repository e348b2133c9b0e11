#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# There is no such program.
# command: /no/such/program
# expect: status=launch_error exit=127 exit_code=127 error.code="command_not_found"

exit 0
