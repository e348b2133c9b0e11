# SPDX-License-Identifier: Apache-2.0
# Runs another program of the image.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="hello\n"
# expect eval: completed=true

import subprocess

print(subprocess.run(["echo", "hello"], capture_output=True, text=True, check=True).stdout, end="")
