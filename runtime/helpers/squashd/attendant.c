/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The server itself cannot make namespaces: its filter has neither unshare(2) nor socket(2). And
 * while it waits for RCU to take down mounts, no other container could read. The attendant never
 * sees a byte of the image. A message is struct order; without a descriptor it asks for a network
 * namespace, which comes with an answer of the same form.
 *
 * It sits in the namespace it has made last, until it makes the next: nothing of it can be seen
 * from there, and its only socket is a pair made outside. SIOCGSKNS gives a namespace's descriptor
 * without /proc, which A's mount namespace does not have.
 */
#include "runtime/helpers/squashd/attendant.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/helpers/squashd/confine.h"
#include "runtime/kernel/loopback.h"

#define IDLE_NETS 2 /* network namespaces that are kept while no container runs */
#define PEAK_MS 1000

/* What it has open; the map of A says whether A has ids already. */
enum { ORDERS, UID_MAP };

enum { MOUNTS, NET, TRACES, FDS_MAX = TRACES + NET_TRACES };

/* Which descriptors come with it, one bit each, and in that order. */
struct order {
	uint32_t has;
};

static int send_order(int sock, const int *all)
{
	struct order o = {0};
	int fds[FDS_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < FDS_MAX; i++) {
		if (all[i] < 0)
			continue;
		o.has |= 1u << i;
		fds[n++] = all[i];
	}
	return fd_send(sock, &o, sizeof(o), fds, n, NULL);
}

/* 0, or -errno; of each descriptor that it lacks there is -1. */
static int receive_order(int sock, int *all)
{
	int fds[FDS_MAX];
	struct order o;
	unsigned n = 0;
	ssize_t r;

	for (unsigned i = 0; i < FDS_MAX; i++)
		all[i] = -1;
	r = fd_recv(sock, &o, sizeof(o), fds, FDS_MAX, NULL);
	if (r != sizeof(o))
		return r < 0 ? (int)r : -EPIPE;
	for (unsigned i = 0; i < FDS_MAX; i++) {
		if (o.has & 1u << i)
			all[i] = fds[n++];
	}
	return 0;
}

static void put_net_into(const struct net_traces *net, int *all)
{
	all[NET] = net->ns_fd;
	for (unsigned i = 0; i < NET_TRACES; i++)
		all[TRACES + i] = net->fds[i];
}

static struct net_traces net_of(const int *all)
{
	struct net_traces net = {.ns_fd = all[NET]};

	for (unsigned i = 0; i < NET_TRACES; i++)
		net.fds[i] = all[TRACES + i];
	return net;
}

static bool has_ids(void)
{
	char c;

	return pread(UID_MAP, &c, 1, 0) != 0;
}

/*
 * The files of /proc/PID/net are of the root of the user namespace that the network namespace is
 * made in. He may give them other modes and owners, which stay. In a user namespace without ids
 * they are of the kernel's own root, whose id no container has. While A has no ids yet it can have
 * no child, and is such a one itself; where it got them meanwhile, some of the files are A's. -1
 * without one that is as it should be: a start makes its own then.
 */
static int unshare_network(void)
{
	static bool is_without_ids;

	while (!is_without_ids) {
		is_without_ids = unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
		if (is_without_ids)
			return 0;
		if (has_ids() || unshare(CLONE_NEWNET) < 0)
			return -1;
		if (!has_ids())
			return 0;
	}
	return unshare(CLONE_NEWNET);
}

static int make_network(void)
{
	_close_ int fd = unshare_network() < 0 ? -1 : loopback_up();

	return fd < 0 ? -1 : ioctl(fd, SIOCGSKNS);
}

/* The network goes back first: the next container may wait for it. */
static bool do_order(int *fds)
{
	_close_ int mounts = fds[MOUNTS];
	struct net_traces net = net_of(fds);
	bool is_asked = mounts < 0 && net.ns_fd < 0, is_there = true;

	if (is_asked)
		net.ns_fd = make_network();
	fds[MOUNTS] = -1;
	put_net_into(&net, fds);
	if (is_asked || net_traces_are_none(&net))
		is_there = send_order(ORDERS, fds) >= 0;
	net_traces_close(&net);
	return is_there;
}

/*
 * No descriptor of the server's may stay open here: the FUSE mount would outlive it. Signals are
 * blocked: a batch system sends them to everything it finds; the end of the server is the end of
 * this.
 */
static void run(int sock, int uid_map)
{
	sigset_t all;

	(void)prctl(PR_SET_NAME, "csbx-attendant"); /* a search for the server must not find this */
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL) < 0 || dup2(sock, ORDERS) < 0 ||
	    dup2(uid_map, UID_MAP) < 0 || syscall(SYS_close_range, UID_MAP + 1, ~0U, 0) < 0 ||
	    confine_attendant(NULL) < 0)
		return;
	for (;;) {
		int fds[FDS_MAX];

		if (receive_order(ORDERS, fds) < 0 || !do_order(fds))
			return;
	}
}

int attendant_start(struct attendant *a, int uid_map, struct err *e)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	pid = fork();
	if (!pid) {
		run(pair[1], uid_map);
		_exit(0);
	}
	close(pair[1]);
	a->sock = pair[0];
	if (pid < 0 || fcntl(a->sock, F_SETFL, O_NONBLOCK) < 0)
		return err_sys(e, "fork");
	return 0;
}

void attendant_want(struct attendant *a, int64_t at_ms)
{
	if (a->sock >= 0 && !a->n_nets && !a->is_asked)
		a->ask_at_ms = at_ms;
}

struct net_traces attendant_take_net(struct attendant *a)
{
	return a->n_nets ? a->nets[--a->n_nets] : NET_TRACES_INIT;
}

static unsigned nets_wanted(const struct attendant *a)
{
	unsigned n = a->n_peak + IDLE_NETS;

	return n < ATTENDANT_NETS_MAX ? n : ATTENDANT_NETS_MAX;
}

void attendant_put_net(struct attendant *a, struct net_traces *net)
{
	if (net->ns_fd >= 0 && a->n_nets < nets_wanted(a)) {
		a->nets[a->n_nets++] = *net;
		*net = NET_TRACES_INIT;
		a->ask_at_ms = 0;
	}
	net_traces_close(net);
}

void attendant_count(struct attendant *a, unsigned n_containers, int64_t now_ms)
{
	if (n_containers < a->n_peak && now_ms < a->peak_until_ms)
		return;
	a->n_peak = n_containers;
	a->peak_until_ms = now_ms + PEAK_MS;
}

int64_t attendant_trim_at_ms(const struct attendant *a, unsigned n_containers)
{
	return a->n_nets > n_containers + IDLE_NETS ? a->peak_until_ms : 0;
}

void attendant_trim(struct attendant *a, unsigned n_containers, int64_t now_ms)
{
	int64_t at_ms = attendant_trim_at_ms(a, n_containers);

	if (!at_ms || now_ms < at_ms)
		return;
	attendant_count(a, n_containers, now_ms);
	while (a->n_nets > nets_wanted(a))
		net_traces_close(&a->nets[--a->n_nets]);
}

void attendant_hurry(struct attendant *a, int64_t now_ms)
{
	if (a->ask_at_ms)
		a->ask_at_ms = now_ms;
}

void attendant_ask(struct attendant *a, int64_t now_ms)
{
	static const int none[FDS_MAX] = {-1, -1, -1, -1, -1, -1, -1};

	if (!a->ask_at_ms || a->ask_at_ms > now_ms)
		return;
	a->ask_at_ms = 0;
	a->is_asked = send_order(a->sock, none) >= 0;
}

void attendant_take_down(struct attendant *a, struct left *l)
{
	int fds[FDS_MAX];

	fds[MOUNTS] = l->mounts_fd;
	put_net_into(&l->net, fds);
	if (a->sock >= 0 && (fds[MOUNTS] >= 0 || fds[NET] >= 0))
		(void)send_order(a->sock, fds);
	fd_close(&l->mounts_fd);
	net_traces_close(&l->net);
}

/*
 * One that was asked for has no files yet. An answer without a namespace: none could be made, and
 * the next start asks again.
 */
void attendant_answered(struct attendant *a)
{
	struct net_traces net;
	int fds[FDS_MAX], r = receive_order(a->sock, fds);

	if (r == -EAGAIN)
		return;
	net = net_of(fds);
	if (fds[TRACES] < 0)
		a->is_asked = false;
	attendant_put_net(a, &net);
	if (r < 0)
		fd_close(&a->sock);
}
