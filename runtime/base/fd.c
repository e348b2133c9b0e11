/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/fd.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "runtime/base/err.h"
#include "runtime/base/linux_calls.h"

#define REFS_WAIT_MS 30000u
#define REFS_LOOK_MS 5
#define OPEN_FILES_MAX 65536u /* looked through one by one where close_range(2) is missing */

union control {
	struct cmsghdr align;
	char buf[CMSG_SPACE(FD_PASS_MAX * sizeof(int))];
};

static ssize_t send_message(int sock, const struct msghdr *msg, int flags)
{
	ssize_t r;

	do {
		r = sendmsg(sock, msg, MSG_NOSIGNAL | flags);
	} while (r < 0 && errno == EINTR);
	return r;
}

/*
 * The kernel compares what the user has on the way with the soft limit of the sender. No container
 * gets as much as the hard limit of its caller (spec/rlimit.c), so with that one a message gets
 * through, whatever a container leaves unread.
 */
static ssize_t send_raised(int sock, const struct msghdr *msg, int flags)
{
	struct rlimit was, raised;
	ssize_t r;
	int code;

	if (getrlimit(RLIMIT_NOFILE, &was) < 0)
		return -1;
	raised = was;
	raised.rlim_cur = raised.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &raised) < 0) {
		errno = ETOOMANYREFS;
		return -1;
	}
	r = send_message(sock, msg, flags);
	code = errno;
	(void)setrlimit(RLIMIT_NOFILE, &was);
	errno = code;
	return r;
}

static int send_with(int sock, const void *buf, size_t len, const int *fds, size_t n_fds, int flags,
		     struct err *e)
{
	struct iovec iov = {.iov_base = (void *)buf, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union control control;
	ssize_t r;

	if (n_fds > FD_PASS_MAX)
		return err_set(e, E2BIG, "too many descriptors in one message");
	if (n_fds) {
		struct cmsghdr *c;

		memset(&control, 0, sizeof(control));
		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	}
	r = send_message(sock, &msg, flags);
	if (r < 0 && errno == ETOOMANYREFS)
		r = send_raised(sock, &msg, flags);
	if (r < 0)
		return err_sys(e, "send message");
	if ((size_t)r != len)
		return err_set(e, EPROTO, "send message: short write");
	return 0;
}

int fd_send(int sock, const void *buf, size_t len, const int *fds, size_t n_fds, struct err *e)
{
	return send_with(sock, buf, len, fds, n_fds, 0, e);
}

int fd_send_patient(int sock, const void *buf, size_t len, const int *fds, size_t n_fds,
		    struct err *e)
{
	int r = fd_send(sock, buf, len, fds, n_fds, e);

	for (unsigned ms = 0; r == -ETOOMANYREFS && ms < REFS_WAIT_MS; ms += REFS_LOOK_MS) {
		(void)poll(NULL, 0, REFS_LOOK_MS);
		r = fd_send(sock, buf, len, fds, n_fds, e);
	}
	return r;
}

int fd_try_send(int sock, const void *buf, size_t len, const int *fds, size_t n_fds, struct err *e)
{
	return send_with(sock, buf, len, fds, n_fds, MSG_DONTWAIT, e);
}

/*
 * Collects received descriptors; closes those past the caller's slots. Returns false for surplus.
 */
static bool take_descriptors(struct msghdr *msg, int *fds, size_t n_fds)
{
	size_t got = 0;
	bool fits = true;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (got < n_fds) {
				fds[got++] = fd;
			} else {
				close(fd);
				fits = false;
			}
		}
	}
	return fits;
}

/*
 * Of a peer that has ended with messages from here unread, the kernel tells that first, and what it
 * said before afterwards.
 */
static ssize_t receive_message(int sock, struct msghdr *msg)
{
	const size_t room = msg->msg_controllen;
	ssize_t r;

	do {
		r = recvmsg(sock, msg, MSG_CMSG_CLOEXEC);
	} while (r < 0 && errno == EINTR);
	if (r >= 0 || errno != ECONNRESET)
		return r;
	msg->msg_controllen = room;
	r = recvmsg(sock, msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (r < 0)
		errno = ECONNRESET;
	return r;
}

ssize_t fd_recv(int sock, void *buf, size_t len, int *fds, size_t n_fds, struct err *e)
{
	struct iovec iov = {.iov_base = buf, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union control control;
	ssize_t r;
	bool fits;

	for (size_t i = 0; i < n_fds; i++)
		fds[i] = -1;
	memset(&control, 0, sizeof(control));
	msg.msg_control = control.buf;
	msg.msg_controllen = sizeof(control.buf);
	r = receive_message(sock, &msg);
	if (r < 0)
		return err_sys(e, "receive message");
	fits = take_descriptors(&msg, fds, n_fds);
	if (!fits || (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		for (size_t i = 0; i < n_fds; i++)
			fd_close(&fds[i]);
		return err_set(e, EPROTO, "receive message: too long");
	}
	return r;
}

void fd_close_from(unsigned first)
{
	struct rlimit limit;
	unsigned end = OPEN_FILES_MAX;

	if (close_range(first, ~0U, 0) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < end)
		end = (unsigned)limit.rlim_cur;
	for (unsigned fd = first; fd < end; fd++)
		close((int)fd);
}

void fd_keep_only(int *fds, unsigned n)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3; fd++) {
		if (null < 0 || dup2(null, fd) < 0)
			close(fd);
	}
	/* Lifted above each other first, so that none is closed before it has moved. */
	for (unsigned i = 0; i < n; i++)
		fds[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD_CLOEXEC, 3 + n);
	for (unsigned i = 0; i < n; i++) {
		if (fds[i] >= 0)
			dup3(fds[i], (int)(3 + i), O_CLOEXEC);
		else
			close((int)(3 + i));
		fds[i] = fds[i] < 0 ? -1 : (int)(3 + i);
	}
	fd_close_from(3 + n);
}
