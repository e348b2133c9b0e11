# SPDX-License-Identifier: Apache-2.0
# Waits for two coroutines.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="[1, 2]\n"
# expect eval: completed=true

import asyncio


async def number(n):
    await asyncio.sleep(0.01)
    return n


async def main():
    print(await asyncio.gather(number(1), number(2)))


asyncio.run(main())
