# SPDX-License-Identifier: Apache-2.0
# The shell's fork bomb.
# ways: run
# options: --timeout 1
# expect: success=false wall_s<12

b() { b | b & }
b
wait
sleep 60
