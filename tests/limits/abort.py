#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Calls abort(3).
# expect: status=signaled exit=134 exit_code=null signal=6

import os

os.abort()
