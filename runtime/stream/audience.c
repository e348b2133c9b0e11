/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/stream/audience.h"

#include <limits.h>
#include <unistd.h>

#include "runtime/base/fd.h"

int audience_add(struct audience *a, uint32_t id, int fd, size_t len)
{
	if (a->n == AUDIENCE_MAX) {
		close(fd);
		return -EUSERS;
	}
	a->who[a->n++] = (struct listener){id, fd, len};
	return 0;
}

static void drop(struct audience *a, unsigned i)
{
	fd_close(&a->who[i].fd);
	a->who[i] = a->who[--a->n];
}

void audience_remove(struct audience *a, uint32_t id)
{
	for (unsigned i = a->n; i-- > 0;) {
		if (a->who[i].id == id)
			drop(a, i);
	}
}

void audience_free(struct audience *a)
{
	while (a->n)
		drop(a, a->n - 1);
}

void audience_rewind(struct audience *a)
{
	for (unsigned i = 0; i < a->n; i++)
		a->who[i].off = 0;
}

bool audience_is_behind(const struct audience *a, size_t len)
{
	for (unsigned i = 0; i < a->n; i++) {
		if (a->who[i].off < len)
			return true;
	}
	return false;
}

unsigned audience_poll(const struct audience *a, size_t len, struct pollfd *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < a->n; i++) {
		if (a->who[i].off < len)
			p[n++] = (struct pollfd){.fd = a->who[i].fd, .events = POLLOUT};
	}
	return n;
}

/* The descriptors are in blocking mode: after POLLOUT a pipe takes PIPE_BUF bytes, pipe(7). */
void audience_write(struct audience *a, int fd, const char *buf, size_t len)
{
	for (unsigned i = 0; i < a->n; i++) {
		struct listener *w = &a->who[i];
		size_t left = len - w->off;
		ssize_t n;

		if (w->fd != fd || w->off >= len)
			continue;
		n = write(fd, buf + w->off, left < PIPE_BUF ? left : PIPE_BUF);
		if (n >= 0)
			w->off += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			drop(a, i);
		return;
	}
}
