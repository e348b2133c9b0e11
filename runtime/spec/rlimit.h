/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_RLIMIT_H
#define CSBX_RUNTIME_RLIMIT_H

/* Resource limits of the payload (getrlimit(2)), as they go to csbx-init. */

#include <stddef.h>

struct container_spec;
struct init_rlimit;
struct err;

/*
 * Fills ret with the spec's limits, in its order; returns their number. A limit above the caller's
 * own hard limit cannot be given by an unprivileged process: a default is cut down to it, and that
 * of open files to three quarters of it; an asked one is -EPERM naming the option.
 */
int rlimit_fill(const struct container_spec *s, struct init_rlimit *ret, size_t max, struct err *e);

/* "nofile" for RLIMIT_NOFILE: the names of --ulimit. "?" for an unknown one. */
const char *rlimit_name(int resource);

#endif
