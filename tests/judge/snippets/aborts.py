# SPDX-License-Identifier: Apache-2.0
# Calls abort(3).
# expect: status="signaled" exit=134 success=false signal=6
# expect eval: completed=false

import os

os.abort()
