/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/attendant.h"

#include <fcntl.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "tests/unit/tap.h"

/* Of no namespace: any descriptor is one to be kept or closed. */
static void give_back(struct attendant *a, unsigned n)
{
	while (n--) {
		struct net_traces net = NET_TRACES_INIT;

		net.ns_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		attendant_put_net(a, &net);
		is_int(net.ns_fd, -1, "taken or closed");
	}
}

static void burst(void)
{
	struct attendant a = ATTENDANT_INIT;

	for (unsigned n = 1; n <= 10; n++)
		attendant_count(&a, n, 1000);
	for (unsigned n = 9; n >= 1; n--)
		attendant_count(&a, n, 1100);
	give_back(&a, 20);
	is_int(a.n_nets, 12, "as many as ran at once are kept, and two");
	is_int(attendant_trim_at_ms(&a, 1), 2000, "for a second");
	attendant_trim(&a, 1, 1999);
	is_int(a.n_nets, 12, "not less");
	attendant_trim(&a, 1, 2000);
	is_int(a.n_nets, 3, "and not more");
	is_int(attendant_trim_at_ms(&a, 1), 0, "a server with one container need not wake");
	attendant_count(&a, 0, 2100);
	is_int(attendant_trim_at_ms(&a, 0), 3000, "it wakes once more when that has ended");
	attendant_trim(&a, 0, 3000);
	is_int(a.n_nets, 2, "two stay");
	is_int(attendant_trim_at_ms(&a, 0), 0, "for the whole time");
	give_back(&a, 1);
	is_int(a.n_nets, 2, "one that comes later is closed");
	while (a.n_nets)
		net_traces_close(&a.nets[--a.n_nets]);
}

static void most(void)
{
	struct attendant a = ATTENDANT_INIT;

	attendant_count(&a, 5000, 1000);
	give_back(&a, ATTENDANT_NETS_MAX + 3);
	is_int(a.n_nets, ATTENDANT_NETS_MAX, "never more than there is room for");
	while (a.n_nets)
		net_traces_close(&a.nets[--a.n_nets]);
}

int main(void)
{
	burst();
	most();
	return done_testing();
}
