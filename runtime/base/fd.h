/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_FD_H
#define CSBX_BASE_FD_H

/*
 * Ownership of descriptors and heap memory by scope: `_close_ int fd = -1;`, `_free_ char *p =
 * NULL;`. take_fd() and take_ptr() hand the object on and leave the variable empty. The clean-up
 * keeps errno.
 */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct err;

static inline void fd_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

static inline void ptr_free(void *pp)
{
	void **p = (void **)pp;

	free(*p);
	*p = NULL;
}

#define _close_ __attribute__((cleanup(fd_close)))
#define _free_ __attribute__((cleanup(ptr_free)))

static inline int take_fd(int *fd)
{
	int r = *fd;

	*fd = -1;
	return r;
}

#define take_ptr(p)                            \
	({                                     \
		__typeof__(p) take_ptr_ = (p); \
		(p) = NULL;                    \
		take_ptr_;                     \
	})

/* Closes first and all above it, one by one where a filter knows no close_range(2). */
void fd_close_from(unsigned first);

/*
 * For a process that its caller does not wait for: 0, 1 and 2 become /dev/null, the n descriptors
 * (-1: none) become 3, 4, ..., everything else is closed.
 */
void fd_keep_only(int *fds, unsigned n);

/*
 * Sends len bytes with up to FD_PASS_MAX descriptors in one message of a SOCK_SEQPACKET socket.
 * Never raises SIGPIPE. The descriptors stay the caller's.
 */
#define FD_PASS_MAX 20
int fd_send(int sock, const void *buf, size_t len, const int *fds, size_t n_fds, struct err *e);
/*
 * The same for a client that has time. Linux counts the descriptors that a user has on their way
 * against the sender's hard limit of open files (unix(7), ETOOMANYREFS): many programs that start
 * at once may meet it; it passes as they are received. Waits for that, for 30 s at most.
 */
int fd_send_patient(int sock, const void *buf, size_t len, const int *fds, size_t n_fds,
		    struct err *e);
/* The same, but never waits for room in the socket: -EAGAIN. */
int fd_try_send(int sock, const void *buf, size_t len, const int *fds, size_t n_fds, struct err *e);

/*
 * Receives one message and its descriptors (O_CLOEXEC set). Returns the byte count, 0 at end of
 * file, also where the peer has left messages unread. Unused slots of fds are -1. A truncated
 * message or surplus descriptors are -EPROTO, and every descriptor received is closed then.
 */
ssize_t fd_recv(int sock, void *buf, size_t len, int *fds, size_t n_fds, struct err *e);

#endif
