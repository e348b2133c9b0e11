/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/exec/request.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/exec/client.h"
#include "runtime/exec/proto.h"
#include "runtime/child/init_msg.h"
#include "runtime/spec/spec.h"

#define BUSY_NS 2000000
#define BUSY_MOST_MS 60000u
#define ANSWER_MS 10000

static int make_message(const struct exec_ask *a, struct err *e)
{
	_strbuf_ struct strbuf msg = STRBUF_INIT;
	uint32_t tty = 0;
	int r;

	if (a->proc->tty == TTY_YES)
		tty = INIT_TTY | INIT_NEW_TTY | (a->tty_takes_stderr ? INIT_TTY_STDERR : 0);
	r = init_msg_build_exec(a->link->start, a->proc, tty, &msg, e);
	return r < 0 ? r : init_msg_memfd(&msg, e);
}

static int ended(struct err *e)
{
	return err_set(e, ESRCH, "the container has ended");
}

/* The descriptors of a request: message, three streams, status. */
static int send_spawn(struct exec_ask *a, const int *fds, struct err *e)
{
	const struct init_request rq = {.magic = INIT_MAGIC,
					.type = INIT_REQ_SPAWN,
					.arg = a->detached ? EXEC_DETACHED : 0};
	int r = fd_send(a->link->sock, &rq, sizeof(rq), fds, INIT_SPAWN_FDS, e);

	return r == -EPIPE || r == -ECONNRESET ? ended(e) : r;
}

/* To the process itself. One that is not there any more has left its answer. */
static int send_words(struct exec_ask *a, const int *fds, struct err *e)
{
	int r = fd_send(a->status[0], "", 1, fds, WORDS_FDS, e);

	return r == -EPIPE || r == -ECONNRESET ? 0 : r;
}

/* 1: busy, ask again. 0: csbx-init has the request, *ev is its answer. A refusal is for a limit. */
static int receive_answer(const struct exec_ask *a, struct init_event *ev, struct err *e)
{
	struct pollfd p = {.fd = a->link->sock, .events = POLLIN};
	int none;
	ssize_t n;

	if (poll(&p, 1, ANSWER_MS) == 0)
		return err_set(e, ETIMEDOUT,
			       "the container does not answer (stopped by a signal?)");
	n = fd_recv(a->link->sock, ev, sizeof(*ev), &none, 1, e);
	fd_close(&none);
	if (n == 0 || n == -ECONNRESET)
		return ended(e);
	if (n < 0)
		return (int)n;
	if (n != sizeof(*ev) || ev->magic != INIT_MAGIC)
		return err_set(e, EPROTO, "garbled answer");
	if (ev->type == EXEC_EV_DONE && ev->status < 0)
		return err_code(e, ev->status, "make a process (the container's --pids-limit)");
	return ev->type == EXEC_EV_BUSY;
}

/* 1: ask again. The status socket of a process that was asked for ahead is of no use then. */
static int ask(struct exec_ask *a, int msg, int null, struct init_event *ev, struct err *e)
{
	int fds[INIT_SPAWN_FDS] = {msg, null, null, null}, r;

	for (int i = 0; i < 3 && !a->detached; i++) {
		bool replaced = a->proc->tty == TTY_YES && (i < 2 || a->tty_takes_stderr);

		if (!replaced)
			fds[1 + i] = a->streams[i] >= 0 ? a->streams[i] : i;
	}
	if (a->status[0] < 0 &&
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, a->status) < 0)
		return err_sys(e, "make channels");
	fds[INIT_SPAWN_FDS - 1] = a->status[1];
	r = a->status[1] < 0 ? send_words(a, fds, e) : send_spawn(a, fds, e);
	if (r >= 0)
		r = receive_answer(a, ev, e);
	if (r == 1 && a->status[1] < 0)
		fd_close(&a->status[0]);
	return r;
}

int exec_request(struct exec_ask *a, struct init_event *ret, struct err *e)
{
	static const struct timespec pause = {.tv_nsec = BUSY_NS};
	_close_ int msg = make_message(a, e), null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int r;

	if (msg < 0)
		return msg;
	if (null < 0)
		return err_sys(e, "/dev/null");
	/*
	 * A container that is busy for so long does not get to it: a client that waited for ever
	 * would hang.
	 */
	for (unsigned ms = 0; ms < BUSY_MOST_MS; ms += BUSY_NS / 1000000) {
		r = ask(a, msg, null, ret, e);
		if (r != 1 && r != -ETOOMANYREFS) {
			fd_close(&a->status[1]);
			return r;
		}
		nanosleep(&pause, NULL);
	}
	return err_set(e, EBUSY, "the container is busy with other requests");
}
