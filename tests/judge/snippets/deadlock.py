# SPDX-License-Identifier: Apache-2.0
# Takes a lock twice.
# options: --timeout 1
# expect: status="timeout" exit=124 success=false timed_out=true

import threading

lock = threading.Lock()
lock.acquire()
lock.acquire()
