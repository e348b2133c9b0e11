#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Reads at address 0.
# expect: status=signaled exit=139 exit_code=null signal=11

import ctypes

ctypes.string_at(0)
