/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A terminal for an exec'd process, from the container's own devpts. Made before the process joins
 * B, whose ids it need not have. Init shares the payload's mounts (main.c): a payload that may
 * mount can put something else over /dev/pts. It gains nothing by it: init opens no more than the
 * payload can open, without a capability, and anything that is no ptmx fails below. The master goes
 * to the process that asked, straight over the status socket of the request; neither init nor the
 * supervisor ever reads a byte of it.
 */

#include "runtime/helpers/init/abi/msg_check.h"
#include "runtime/helpers/init/init.h"

static int send_master(int sock, int master)
{
	struct {
		struct sys_cmsghdr head;
		int fd, pad;
	} control = {
		.head = {sizeof(control.head) + sizeof(int), SYS_SOL_SOCKET, SYS_SCM_RIGHTS},
		.fd = master,
	};
	char byte = INIT_TTY_BYTE;
	struct sys_iovec iov = {&byte, 1};
	struct sys_msghdr h = {
		.iov = &iov, .iovlen = 1, .control = &control, .controllen = sizeof(control)};
	struct rlimit64 files;
	long n = sys_sendmsg(sock, &h, SYS_MSG_NOSIGNAL | SYS_MSG_DONTWAIT);

	/* As base/fd.c: the hard limit lets it through. The payload gets its own limits later. */
	if (n == -ETOOMANYREFS && sys_getrlimit(RLIMIT_NOFILE, &files) >= 0) {
		files.rlim_cur = files.rlim_max;
		(void)sys_setrlimit(RLIMIT_NOFILE, &files);
		n = sys_sendmsg(sock, &h, SYS_MSG_NOSIGNAL | SYS_MSG_DONTWAIT);
	}
	return n < 0 ? (int)n : 0;
}

int terminal_make(struct payload *p)
{
	struct winsize size = {0};
	int master, slave, zero = 0, r;
	struct init_tail tail;

	if (!(p->m->flags & INIT_NEW_TTY))
		return 0;
	master = sys_openat(SYS_AT_FDCWD, "/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0)
		return master;
	r = sys_ioctl(master, TIOCSPTLCK, (unsigned long)&zero);
	if (r < 0)
		return r;
	if (init_msg_tty_size(p->m, &tail)) {
		size.ws_row = tail.tty_rows;
		size.ws_col = tail.tty_columns;
		r = sys_ioctl(master, TIOCSWINSZ, (unsigned long)&size);
		if (r < 0)
			return r;
	}
	slave = sys_ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return slave;
	r = send_master(p->status_fd, master);
	sys_close(master);
	p->fds[0] = p->fds[1] = slave;
	if (p->m->flags & INIT_TTY_STDERR)
		p->fds[2] = slave;
	return r;
}
