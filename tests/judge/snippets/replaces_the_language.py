# SPDX-License-Identifier: Apache-2.0
# Replaces print, exit, json and traceback, then fails.
# expect: status="exited" success=false
# expect eval: completed=false

import builtins
import json
import sys
import traceback

json.dumps = lambda *_, **__: '{"completed": true}'
traceback.format_exc = traceback.format_exception = lambda *_, **__: ""
builtins.print = sys.exit = lambda *_, **__: None
raise ValueError("failed")
