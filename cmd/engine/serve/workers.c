/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Processes that serve connections. One is made ahead, while nothing is to be done: a fork costs a
 * request that has to wait for it more than all the rest of a small answer. One whose connection has
 * ended in good order takes the next: clients that open a connection for each URL then cost neither a
 * fork nor an exit each. The listener, which alone has the socket, accepts a connection and sends it.
 *
 * The listener keeps a channel to a few of them only: with thousands of connections its descriptors
 * would not do. One without a channel ends with its connection.
 */

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/engine/serve/serve.h"
#include "cmd/engine/serve/workers.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/idle_poll.h"

#define STACK_BYTES (24u << 10) /* that an ordinary request uses */

/* --- in the listener ------------------------------------------------------------------------ */

static void drop(struct worker *w)
{
	close(w->channel);
	*w = (struct worker){0};
}

static unsigned waiting(const struct engine_listener *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < WORKERS_MAX; i++)
		n += l->workers[i].pid && !l->workers[i].serves;
	return n;
}

unsigned workers_surplus(const struct engine_listener *l)
{
	unsigned n = waiting(l);

	return n ? n - 1 : 0;
}

void workers_shrink(struct engine_listener *l)
{
	unsigned left = waiting(l);

	for (unsigned i = WORKERS_MAX; i-- > 0 && left > 1;) {
		if (!l->workers[i].pid || l->workers[i].serves)
			continue;
		drop(&l->workers[i]);
		l->n_children++; /* until it is reaped */
		left--;
	}
}

/* A free place; where there is none that of the one which has served longest, as streams do. */
static struct worker *place(struct engine_listener *l)
{
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		if (!l->workers[i].pid)
			return &l->workers[i];
	}
	l->next_place = (l->next_place + 1) % WORKERS_MAX;
	drop(&l->workers[l->next_place]);
	return &l->workers[l->next_place];
}

void workers_prepare(struct cmd *c, struct engine_listener *l, worker_child *child)
{
	struct worker *w;
	int ends[2];
	pid_t pid;

	if (waiting(l) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	w = place(l);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		child(c, l, ends[1]);
	}
	close(ends[1]);
	if (pid > 0)
		*w = (struct worker){.pid = pid, .channel = ends[0]};
	else
		close(ends[0]);
}

bool workers_give(struct engine_listener *l, int fd)
{
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		struct worker *w = &l->workers[i];

		if (!w->pid || w->serves)
			continue;
		w->serves = fd_try_send(w->channel, "", 1, &fd, 1, NULL) >= 0;
		if (w->serves)
			return true;
		/* It was killed, which is not told yet. */
	}
	return false;
}

unsigned workers_poll(const struct engine_listener *l, struct pollfd *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		if (l->workers[i].serves)
			p[n++] = (struct pollfd){.fd = l->workers[i].channel, .events = POLLIN};
	}
	return n;
}

void workers_heard(struct engine_listener *l, const struct pollfd *p)
{
	char byte;

	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		struct worker *w = &l->workers[i];

		if (!w->serves || !(p++)->revents)
			continue;
		/* One too many, and one that has ended, count as children until they are reaped. */
		if (recv(w->channel, &byte, 1, MSG_DONTWAIT) == 1 && waiting(l) < WORKERS_WAITING) {
			w->serves = false;
			l->n_children -= l->n_children > 0;
		} else {
			drop(w);
		}
	}
}

bool workers_ended(struct engine_listener *l, pid_t pid)
{
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		if (l->workers[i].pid == pid) {
			bool served = l->workers[i].serves;

			drop(&l->workers[i]);
			return !served;
		}
	}
	return false;
}

void workers_forget(struct engine_listener *l)
{
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		if (l->workers[i].pid)
			drop(&l->workers[i]);
	}
}

void workers_end(struct engine_listener *l)
{
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		const struct worker w = l->workers[i];

		if (!w.pid)
			continue;
		drop(&l->workers[i]);
		if (!w.serves)
			(void)waitpid(w.pid, NULL, 0);
	}
}

/* --- in a worker ---------------------------------------------------------------------------- */

/* The kernel then gives these pages now, and not one by one while a client waits. */
static __attribute__((noinline)) void touch_stack(void)
{
	volatile char pages[STACK_BYTES];

	for (size_t i = 0; i < sizeof(pages); i += 1024)
		pages[i] = 0;
}

int worker_wait(int channel, bool has_served)
{
	struct pollfd p = {.fd = channel, .events = POLLIN};
	char byte;
	int fd = -1;

	if (has_served)
		(void)idle_poll(&p, 1, -1, NULL, 0);
	else
		touch_stack();
	/* Nothing comes where the listener ends, or was killed. */
	(void)fd_recv(channel, &byte, 1, &fd, 1, NULL);
	return fd;
}

bool worker_is_free(int channel)
{
	/* One with a child of its own ends, so that the child is no process's. */
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	if (errno != ECHILD)
		return false;
	return send(channel, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}
