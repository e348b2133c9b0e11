#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes more to stderr than is allowed.
# options: --max-output-kill 3m --timeout 60
# expect: status=output_limit exit=137 exit_code=null signal=9 stderr_bytes=3145728 stdout_bytes=0

exec yes >&2
