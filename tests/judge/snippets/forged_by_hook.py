# SPDX-License-Identifier: Apache-2.0
# Has its failure turned into exit code 0 by a hook.
# expect: status="exited" exit_code=0
# expect run: success=true exit=0
# expect eval: completed=false success=false

import os
import sys

sys.excepthook = lambda *_: os._exit(0)
raise ValueError("failed")
