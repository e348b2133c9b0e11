# SPDX-License-Identifier: Apache-2.0
# Uses open and eval, as honest programs do.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="7\n"
# expect eval: completed=true

with open("numbers.txt", "w", encoding="utf-8") as f:
    f.write("3 + 4")
with open("numbers.txt", encoding="utf-8") as f:
    print(eval(f.read()))
