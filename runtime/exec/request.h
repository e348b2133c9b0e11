/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_EXEC_REQUEST_H
#define CSBX_RUNTIME_EXEC_REQUEST_H

/* The request for an exec'd process (proto.h), up to csbx-init's answer. */

#include <stdbool.h>

struct err;
struct exec_link;
struct init_event;
struct process_spec;

struct exec_ask {
	const struct exec_link *link;
	const struct process_spec *proc;
	bool detached;
	bool tty_takes_stderr; /* a terminal that is made becomes 2 as well */
	int streams[3];        /* the process's; -1: the caller's own */
	int status[2];         /* its status socket: ours, the process's; -1: it is made */
};

/*
 * 0: csbx-init has the request, *ret is its answer, a->status[0] is open. -ESRCH: the container has ended. -EAGAIN: it is
 * at its limit of processes. -EBUSY: it has had no room for requests for a minute.
 */
int exec_request(struct exec_ask *a, struct init_event *ret, struct err *e);

#endif
