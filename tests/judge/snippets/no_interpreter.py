# SPDX-License-Identifier: Apache-2.0
# Wants an interpreter that the image does not have.
# ways: run
# command: python9.9 /snippet
# expect: status="launch_error" exit=127 success=false exit_code=127 error.code="command_not_found"

print(1)
