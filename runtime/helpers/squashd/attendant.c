/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The server itself cannot make namespaces: its filter has neither unshare(2) nor socket(2). And
 * while it waits for RCU to take down mounts, no other container could read. The attendant never
 * sees a byte of the image. A message is one byte: without a descriptor it asks for a network
 * namespace, with one it says what to close.
 *
 * It sits in the namespace it has made last, until it makes the next: nothing of it can be seen
 * from there, and its only socket is a pair made outside. SIOCGSKNS gives a namespace's descriptor
 * without /proc, which A's mount namespace does not have.
 */
#include "runtime/helpers/squashd/attendant.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
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

/* netdevice(7): the kernel gives lo its addresses when it comes up. */
static int make_network(void)
{
	struct ifreq ifr = {.ifr_name = "lo"};
	_close_ int fd = -1;

	if (unshare(CLONE_NEWNET) < 0)
		return -1;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ifr.ifr_flags = IFF_UP | IFF_RUNNING;
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &ifr) < 0)
		return -1;
	return ioctl(fd, SIOCGSKNS);
}

/*
 * No descriptor of the server's may stay open here: the FUSE mount would outlive it. Signals are
 * blocked: a batch system sends them to everything it finds; the end of the server is the end of
 * this.
 */
static void run(int sock)
{
	sigset_t all;
	char c;

	(void)prctl(PR_SET_NAME, "csbx-attendant"); /* a search for the server must not find this */
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL) < 0 || dup2(sock, 0) < 0 ||
	    syscall(SYS_close_range, 1, ~0U, 0) < 0 || confine_attendant(NULL) < 0)
		return;
	for (;;) {
		_close_ int mounts = -1, net = -1;

		if (fd_recv(0, &c, 1, &mounts, 1, NULL) != 1)
			return;
		if (mounts >= 0)
			continue;
		net = make_network();
		if (fd_send(0, &c, 1, &net, net >= 0 ? 1 : 0, NULL) < 0)
			return;
	}
}

int attendant_start(struct attendant *a, struct err *e)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	pid = fork();
	if (!pid) {
		run(pair[1]);
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

int attendant_take_net(struct attendant *a)
{
	return a->n_nets ? a->net_fds[--a->n_nets] : -1;
}

void attendant_put_net(struct attendant *a, int *fd, unsigned n_max)
{
	if (*fd >= 0 && a->n_nets < n_max && a->n_nets < ATTENDANT_NETS_MAX) {
		a->net_fds[a->n_nets++] = take_fd(fd);
		a->ask_at_ms = 0;
	}
	fd_close(fd);
}

void attendant_keep_nets(struct attendant *a, unsigned n)
{
	while (a->n_nets > n)
		close(a->net_fds[--a->n_nets]);
}

void attendant_hurry(struct attendant *a, int64_t now_ms)
{
	if (a->ask_at_ms)
		a->ask_at_ms = now_ms;
}

void attendant_ask(struct attendant *a, int64_t now_ms)
{
	if (!a->ask_at_ms || a->ask_at_ms > now_ms)
		return;
	a->ask_at_ms = 0;
	a->is_asked = fd_send(a->sock, "", 1, NULL, 0, NULL) >= 0;
}

void attendant_take_down(struct attendant *a, int *fd)
{
	if (*fd >= 0 && a->sock >= 0)
		(void)fd_send(a->sock, "", 1, fd, 1, NULL);
	fd_close(fd);
}

/* An answer without a descriptor: none could be made, and the next start asks again. */
void attendant_answered(struct attendant *a)
{
	int net = -1;
	ssize_t n;
	char c;

	n = fd_recv(a->sock, &c, 1, &net, 1, NULL);
	if (n == -EAGAIN)
		return;
	a->is_asked = false;
	attendant_put_net(a, &net, ATTENDANT_NETS_MAX);
	if (n != 1)
		fd_close(&a->sock);
}
