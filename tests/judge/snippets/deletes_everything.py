# SPDX-License-Identifier: Apache-2.0
# Deletes every file it may; only its own copy of the image goes.
# options: --timeout 60
# expect: wall_s<60 success=true
# expect run: status="exited" exit=0

import os
import shutil

for name in os.listdir("/"):
    shutil.rmtree("/" + name, ignore_errors=True)
