# SPDX-License-Identifier: Apache-2.0
# rm -rf /.
# ways: run
# options: --timeout 60
# expect: success=false wall_s<60
# expect run: status="exited" exit=3

rm -rf /* 2>/dev/null
exit 3
