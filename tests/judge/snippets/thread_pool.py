# SPDX-License-Identifier: Apache-2.0
# Computes with threads.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="4950\n"
# expect eval: completed=true

from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(8) as pool:
    print(sum(pool.map(int, range(100))))
