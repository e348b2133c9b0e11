/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/net_traces.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "tests/unit/tap.h"

#define SNMP_NAMES "Ip: Forwarding DefaultTTL InReceives OutNoRoutes\n"
#define TCP_NAMES "Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens\n"
#define DEV_HEAD "Inter-|   Receive            |  Transmit\n face |bytes packets|bytes packets\n"
#define SOCK(used, tw, frag)                                   \
	"sockets: used " used "\nTCP: inuse 0 orphan 0 tw " tw \
	" alloc 7 mem 96\nUDP: inuse 0 mem 3\nFRAG: inuse " frag " memory 0\n"

static bool none(enum net_trace which, const char *text)
{
	return net_trace_is_none(which, text);
}

static void snmp(void)
{
	ok(none(NET_TRACE_SNMP, SNMP_NAMES "Ip: 1 64 0 0\n" TCP_NAMES "Tcp: 1 200 120000 -1 0\n"),
	   "snmp: settings count nothing");
	ok(!none(NET_TRACE_SNMP, SNMP_NAMES "Ip: 1 64 0 1\n"), "snmp: a packet without a route");
	ok(!none(NET_TRACE_SNMP, SNMP_NAMES "Ip: 1 64 0 0\n" TCP_NAMES "Tcp: 1 200 120000 -1 3\n"),
	   "snmp: a connection");
	ok(!none(NET_TRACE_SNMP, SNMP_NAMES "Ip: 1 64 0\n"), "snmp: a value is missing");
	ok(!none(NET_TRACE_SNMP, SNMP_NAMES "Ip: 1 64 0 0 0\n"), "snmp: a value too many");
	ok(!none(NET_TRACE_SNMP, SNMP_NAMES "Tcp: 1 64 0 0\n"), "snmp: values of another group");
	ok(!none(NET_TRACE_SNMP, SNMP_NAMES), "snmp: no values");
	ok(!none(NET_TRACE_SNMP, ""), "snmp: nothing was read");
}

static void dev(void)
{
	ok(none(NET_TRACE_DEV, DEV_HEAD "    lo:       0       0    0 0\n"), "dev: lo");
	ok(none(NET_TRACE_DEV, DEV_HEAD "    lo: 0 0 0 0\n tunl0: 0 0 0 0\n"), "dev: a tunnel too");
	ok(!none(NET_TRACE_DEV, DEV_HEAD "    lo: 0 0 0 0\n tunl0: 0 1 0 0\n"),
	   "dev: of the second");
	ok(!none(NET_TRACE_DEV, DEV_HEAD "    lo: 84 1 84 1\n"), "dev: a packet");
	ok(!none(NET_TRACE_DEV, DEV_HEAD), "dev: no interface");
	ok(!none(NET_TRACE_DEV, DEV_HEAD "    lo:1234567 0 0\n"), "dev: a count grown to the name");
}

static void sockets(void)
{
	ok(none(NET_TRACE_SOCKSTAT, SOCK("0", "0", "0")), "sockstat: none in use");
	ok(!none(NET_TRACE_SOCKSTAT, SOCK("1", "0", "0")), "sockstat: one in use");
	ok(!none(NET_TRACE_SOCKSTAT, SOCK("0", "2", "0")), "sockstat: two wait for their end");
	ok(!none(NET_TRACE_SOCKSTAT, SOCK("0", "0", "1")), "sockstat: a fragment");
	ok(!none(NET_TRACE_SOCKSTAT, "sockets: used 0\n"), "sockstat: lines are missing");
	ok(!none(NET_TRACE_SOCKSTAT, SOCK("01", "0", "0")), "sockstat: no 0");
}

static void ipv6(void)
{
	ok(none(NET_TRACE_SNMP6, "Ip6InReceives   \t0\nIp6OutNoRoutes  \t0\n"), "snmp6: none");
	ok(!none(NET_TRACE_SNMP6, "Ip6InReceives   \t0\nIp6OutNoRoutes  \t1\n"), "snmp6: one");
	ok(!none(NET_TRACE_SNMP6, "Ip6InReceives\n"), "snmp6: no value");
	ok(none(NET_TRACE_FLOWLABEL, "Label S Owner\n"), "flow labels: none");
	ok(!none(NET_TRACE_FLOWLABEL, "Label S Owner\n12345 255 0\n"), "flow labels: one");
}

/* The kernel's own files, of a namespace that is new. */
static void real(void)
{
	struct net_traces t;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		tap_skip("no network namespace can be made here");
		return;
	}
	net_traces_open(&t);
	ok(net_traces_are_none(&t), "a new namespace shows no use");
	close(t.fds[NET_TRACE_SNMP]);
	t.fds[NET_TRACE_SNMP] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ok(!net_traces_are_none(&t), "a file that has nothing is no proof");
	net_traces_close(&t);
	ok(t.ns_fd < 0 && !net_traces_are_none(&t), "nor is one that is not open");
}

int main(void)
{
	snmp();
	dev();
	sockets();
	ipv6();
	real();
	return done_testing();
}
