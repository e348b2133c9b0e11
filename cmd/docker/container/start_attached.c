/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/container/start_attached.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd/docker/container/attached.h"
#include "cmd/docker/daemon/start.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/show/events.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "runtime/base/fd.h"
#include "runtime/life/container_wait.h"
#include "runtime/exec/client.h"

/* Both ends of an attachment that is there before the container is. */
struct attachment {
	struct exec_link link; /* ours */
	struct container_start_how client;
	struct attached attached;
	struct container_wait wait;
};

static int lend(struct attachment *x, unsigned which, struct err *e)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
		return err_sys(e, "socket");
	x->link.sock = ends[0];
	x->client.client_sock = ends[1];
	for (int fd = 0; fd < 3; fd++) {
		if (!(which & (1u << fd)))
			continue;
		/* Above those that a supervisor closes. */
		x->client.client_fds[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (x->client.client_fds[fd] < 0)
			return err_sys(e, "lend stream %d", fd);
	}
	return 0;
}

/* The supervisor has its own by now, or there is none: only its end is ours to see. */
static void close_lent(struct attachment *x)
{
	fd_close(&x->client.client_sock);
	for (int fd = 0; fd < 3; fd++)
		fd_close(&x->client.client_fds[fd]);
}

static int prepare(struct attachment *x, struct docker *d, struct container_start *s,
		   const struct docker_start_attached *how, struct err *e)
{
	int r = lend(x, how->which, e);
	bool tty = s->spec.proc.tty == TTY_YES;
	unsigned rows, columns;

	x->client.stdin_once = how->which & ATTACH_STDIN;
	if (tty && attached_size(&rows, &columns)) {
		s->spec.proc.tty_rows = rows;
		s->spec.proc.tty_columns = columns;
	}
	if (r >= 0)
		r = container_wait_begin(&d->cmd.paths, s->found.name, &s->found.record, &x->wait,
					 e);
	if (r >= 0)
		r = attached_begin(&x->attached, how->which, tty, how->sig_proxy, e);
	if (r >= 0 && tty && (how->which & ATTACH_STDIN)) {
		fd_close(&x->client.client_fds[0]);
		r = attached_take_input(&x->attached, how->detach_keys, &x->client.client_fds[0],
					e);
	}
	return r;
}

static void note_left(const struct docker *d, const char *id)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t;

	if (id && docker_target_open(&d->cmd.paths, id, &t, &f) >= 0) {
		docker_event_target(&d->cmd.paths, &t, "detach", NULL, NULL);
		docker_target_close(&t);
	}
}

/*
 * The steps after the container is ours and before its command runs: the attachment; then its end.
 */
static int go_attached(struct docker *d, struct docker_start *s,
		       const struct docker_start_attached *how, struct docker_attached_end *ret,
		       struct docker_fault *f)
{
	struct attachment x = {
		.link = EXEC_LINK_INIT,
		.client = {.started_fd = -1, .client_sock = -1, .client_fds = {-1, -1, -1}},
		.attached = ATTACHED_INIT,
		.wait = CONTAINER_WAIT_INIT};
	int r = prepare(&x, d, &s->start, how, &f->err);
	const int own[] = {x.link.sock, x.attached.signal_fd, x.attached.typed_fd,
			   x.attached.input_fd};
	_free_ char *id = strdup(s->start.found.record.container_id);

	if (r >= 0)
		docker_event_of(&d->cmd.paths, s->start.found.name, &s->start.found.record,
				"attach", NULL, NULL);
	x.client.callers = own;
	x.client.n_callers = sizeof(own) / sizeof(own[0]);
	if (r >= 0)
		r = docker_start_go(s, &x.client, f);
	close_lent(&x);
	docker_start_close(s);
	if (r >= 0) {
		ret->left = attached_wait(&x.attached, &x.link);
		attached_end(&x.attached);
		ret->is_left_by_keys = x.attached.is_left;
		if (x.attached.is_left)
			note_left(d, id);
		if (!ret->left && !ret->is_left_by_keys)
			r = container_wait_end(&x.wait, &f->err);
		ret->state = x.wait.state;
	}
	attached_end(&x.attached);
	container_wait_close(&x.wait);
	exec_close(&x.link);
	return r;
}

int docker_start_attached(struct docker *d, struct container_found *found,
			  const struct docker_start_attached *how, struct docker_attached_end *ret,
			  struct docker_fault *f)
{
	struct docker_start s = {0};
	int r = docker_start_begin(&d->cmd.paths, found, &s, f);

	*ret = (struct docker_attached_end){0};
	if (r >= 0)
		r = how->which ? go_attached(d, &s, how, ret, f) : docker_start_go(&s, NULL, f);
	docker_start_close(&s);
	if (r < 0 && !f->exit_code)
		f->exit_code = DOCKER_EXIT_USAGE;
	return r;
}
