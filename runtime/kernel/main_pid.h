/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_MAIN_PID_H
#define CSBX_RUNTIME_MAIN_PID_H

#include <sys/types.h>

/*
 * The main process of a container as the host numbers it: the first child of its csbx-init
 * (/proc/PID/task/TID/children, proc(5)). 0: it is not there, or /proc does not tell.
 */
pid_t main_pid_of(pid_t init);

#endif
