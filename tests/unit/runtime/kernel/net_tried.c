/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/net_tried.h"

#include "tests/unit/tap.h"

#define NAMES_IP "Ip: Forwarding DefaultTTL OutNoRoutes FragOKs\n"
#define NAMES_UDP "Udp: InDatagrams NoPorts InErrors\n"

int main(void)
{
	ok(!net_tried_in(""), "nothing");
	ok(!net_tried_in(NAMES_IP "Ip: 1 64 0 0\n" NAMES_UDP "Udp: 5 0 0\n"), "at rest");
	ok(net_tried_in(NAMES_IP "Ip: 1 64 1 0\n" NAMES_UDP "Udp: 0 0 0\n"), "no route");
	ok(net_tried_in(NAMES_IP "Ip: 1 64 0 0\n" NAMES_UDP "Udp: 0 4 0\n"), "no name server");
	ok(!net_tried_in(NAMES_IP), "values missing");
	ok(!net_tried_in(NAMES_IP "Ip: 1\n"), "too few values");
	ok(!net_tried_in("Ip: OutNoRoutesX\nIp: 1\n"), "another counter");
	ok(!net_tried_in("garbage\n\n\n"), "garbage");
	return done_testing();
}
