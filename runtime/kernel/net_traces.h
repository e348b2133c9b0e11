/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_NET_TRACES_H
#define CSBX_RUNTIME_NET_TRACES_H

/*
 * Has a network namespace been used by the processes of a container? The kernel's files below
 * /proc/PID/net tell (proc(5), Documentation/networking/snmp_counter.rst): bytes and packets of
 * its interfaces, sockets that are open or wait for their end, counters of each protocol, labels
 * of IPv6 flows, which outlive their socket. A namespace with none of these is as it was when it
 * was made, as long as its processes have no capability over it.
 *
 * A socket of AF_UNIX, or one of AF_INET that was only bound, leaves nothing once it is closed.
 */

#include <stdbool.h>

enum net_trace {
	NET_TRACE_SNMP,
	NET_TRACE_DEV,
	NET_TRACE_SOCKSTAT,
	NET_TRACE_SNMP6,
	NET_TRACE_FLOWLABEL,
	NET_TRACES,
};

/* Descriptors, -1: not there. */
struct net_traces {
	int ns_fd; /* the namespace */
	int fds[NET_TRACES];
};
#define NET_TRACES_INIT                    \
	(struct net_traces)                \
	{                                  \
		-1,                        \
		{                          \
			-1, -1, -1, -1, -1 \
		}                          \
	}

/*
 * Opens the calling process's namespace and its files, which stay readable while the namespace is
 * there. If one cannot be opened, ns_fd is -1. Allocates nothing.
 */
void net_traces_open(struct net_traces *t);
void net_traces_close(struct net_traces *t);

/* Where one file is open, all are. */
static inline bool net_traces_are_open(const struct net_traces *t)
{
	return t->ns_fd >= 0 && t->fds[NET_TRACE_SNMP] >= 0;
}

/* True where ns_fd is open and every file was read and shows no use. */
bool net_traces_are_none(const struct net_traces *t);

/* Pure: the same of one file's text. */
bool net_trace_is_none(enum net_trace which, const char *text);

#endif
