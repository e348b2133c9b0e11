/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_OWNER_H
#define CSBX_RUNTIME_OWNER_H

/*
 * The process a container belongs to: when it is gone, the container is ended and removed. It is
 * written down as "PID:STARTTIME", the latter in clock ticks since boot (/proc/PID/stat, field 22,
 * proc(5)), so that a number that was given to another process, or a reboot, is no owner.
 */

#include <stdbool.h>
#include <sys/types.h>

struct err;

#define OWNER_LABEL "csbx.owner"

/*
 * "PID" or "PID:STARTTIME" to the latter; caller frees. -EINVAL, -ESRCH: there is no such process.
 */
int owner_parse(const char *text, char **ret, struct err *e);
/* A pidfd of it, readable when it ends. -ESRCH: it is gone. */
int owner_open(const char *owner, struct err *e);
bool owner_is_gone(const char *owner);

#endif
