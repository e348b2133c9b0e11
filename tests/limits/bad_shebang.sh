#!/no/such/interpreter
# SPDX-License-Identifier: Apache-2.0
# Its interpreter does not exist.
# command: /programs/bad_shebang.sh
# expect: status=launch_error exit=127 exit_code=127 error.code="command_not_found"

exit 0
