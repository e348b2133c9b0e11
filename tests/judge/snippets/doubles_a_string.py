# SPDX-License-Identifier: Apache-2.0
# Doubles a string for ever.
# expect: status="oom" exit=137 success=false exit_code=null signal=9 oom_killed=true

text = "x" * 1000
while True:
    text += text
