/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_NET_TRIED_H
#define CSBX_RUNTIME_NET_TRIED_H

/*
 * Did something in a container without a network look for one? The counters of its own network
 * namespace tell (/proc/PID/net/snmp, RFC 2011 and 4113): packets without a route, and datagrams
 * to a port of the loopback that no program serves, which is what asking for a name comes to.
 */

#include <stdbool.h>
#include <sys/types.h>

/* Opens the counters; they stay readable after the process is gone. -1 when there are none. */
int net_tried_open(pid_t pid);

/* False for an fd of -1. */
bool net_tried(int fd);

/* Pure: the same of the file's text. */
bool net_tried_in(const char *snmp);

#endif
