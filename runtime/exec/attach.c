/* SPDX-License-Identifier: Apache-2.0 */

/* The streams of a container that outlives its callers: lent by a client while it is connected. */

#include <poll.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/exec/client.h"
#include "runtime/exec/proto.h"

#define ANSWER_MS 5000

static int read_answer(const struct exec_link *l, struct err *e)
{
	struct pollfd p = {.fd = l->sock, .events = POLLIN};
	struct init_event ev;
	int none;
	ssize_t n;

	if (poll(&p, 1, ANSWER_MS) == 0)
		return err_set(e, ETIMEDOUT,
			       "its supervisor does not answer (stopped by a signal?)");
	n = fd_recv(l->sock, &ev, sizeof(ev), &none, 1, e);
	fd_close(&none);
	if (n < 0 && n != -ECONNRESET)
		return (int)n;
	if (n == sizeof(ev) && ev.magic == INIT_MAGIC && ev.type == EXEC_EV_ATTACHED)
		return 0;
	return err_set(e, ENOTSUP, "it does not outlive who started it, or has ended");
}

int exec_attach(struct exec_link *l, unsigned which, struct err *e)
{
	struct init_request rq = {.magic = INIT_MAGIC, .type = EXEC_REQ_ATTACH, .arg = which};
	int fds[3], r;
	size_t n = 0;

	for (int i = 0; i < 3; i++) {
		if (which & (1u << i))
			fds[n++] = i;
	}
	r = fd_send_patient(l->sock, &rq, sizeof(rq), fds, n, e);
	return r < 0 ? r : read_answer(l, e);
}

void exec_resize(const struct exec_link *l, unsigned rows, unsigned columns)
{
	struct init_request rq = {
		.magic = INIT_MAGIC, .type = EXEC_REQ_RESIZE, .arg = rows, .id = columns};

	(void)fd_send(l->sock, &rq, sizeof(rq), NULL, 0, NULL);
}

void exec_signal(const struct exec_link *l, int signal)
{
	struct init_request rq = {
		.magic = INIT_MAGIC, .type = EXEC_REQ_STOP, .arg = (uint32_t)signal};

	(void)fd_send(l->sock, &rq, sizeof(rq), NULL, 0, NULL);
}
