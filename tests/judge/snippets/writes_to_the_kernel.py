# SPDX-License-Identifier: Apache-2.0
# Writes to files of the kernel's.
# expect: status="exited" exit=0 success=true exit_code=0 stdout="[]\n"
# expect eval: completed=true

FILES = ("/proc/sysrq-trigger", "/proc/sys/kernel/hostname", "/proc/sys/kernel/core_pattern", "/sys/power/state",
         "/sys/kernel/mm/transparent_hugepage/enabled")
wrote = []
for name in FILES:
    try:
        with open(name, "w", encoding="ascii") as f:
            f.write("c")
        wrote.append(name)
    except OSError:
        pass
print(wrote)
