/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_PROCESS_NS_H
#define CSBX_RUNTIME_PROCESS_NS_H

/*
 * The namespaces of a process that may be looked at (PTRACE_MODE_READ, ptrace(2)). By its pidfd from
 * Linux 6.11 on, else by /proc, where each process that is looked at costs the kernel an entry to
 * make, and to take away when that process is reaped.
 */

#include <sys/types.h>

enum process_ns { PROCESS_NS_MNT, PROCESS_NS_USER };

/* Its descriptor, -ESRCH for a process that has gone, another -errno. */
int process_ns(int pidfd, pid_t pid, enum process_ns which);

/* The calling process's. */
int process_ns_own(enum process_ns which);

#endif
