# SPDX-License-Identifier: Apache-2.0
# Is started as a program without being one.
# ways: run
# command: /etc/passwd
# expect: status="launch_error" exit=126 success=false exit_code=126 error.code="command_not_executable"

print(1)
