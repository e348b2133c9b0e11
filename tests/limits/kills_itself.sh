#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sends itself SIGKILL: a signal, not the memory limit.
# options: --memory 100m
# expect: status=signaled exit=137 exit_code=null signal=9 oom_killed=false

kill -9 $$
