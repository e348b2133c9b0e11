# SPDX-License-Identifier: Apache-2.0
# Computes with a pool of processes.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="[0, 1, 4, 9]\n"
# expect eval: completed=true

from multiprocessing import get_context


def square(x):
    return x * x


if __name__ == "__main__":
    with get_context("fork").Pool(2) as pool:
        print(pool.map(square, range(4)))
