/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/container/begin.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd/docker/container/attached.h"
#include "cmd/docker/frame/docker.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_start.h"
#include "runtime/life/container_wait.h"
#include "runtime/exec/exec_client.h"

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

static int prepare(struct attachment *x, struct docker *d, const struct container_start *s,
		   const struct docker_begin *how, struct err *e)
{
	int r = lend(x, how->which, e);

	x->client.stdin_once = how->which & ATTACH_STDIN;

	if (r >= 0)
		r = container_wait_begin(&d->cmd.paths, s->found.name, &s->found.record, &x->wait,
					 e);
	return r < 0 ? r
		     : attached_begin(&x->attached, how->which, s->spec.proc.tty == TTY_YES,
				      how->sig_proxy, e);
}

static int start(struct docker *d, struct container_start *s, const struct docker_begin *how,
		 struct docker_begun *ret)
{
	struct attachment x = {
		.link = EXEC_LINK_INIT,
		.client = {.started_fd = -1, .client_sock = -1, .client_fds = {-1, -1, -1}},
		.attached = ATTACHED_INIT,
		.wait = CONTAINER_WAIT_INIT};
	int r = how->which ? prepare(&x, d, s, how, &ret->error) : 0;

	ret->failed = DOCKER_EXIT_USAGE;
	if (r >= 0)
		r = container_start_detached(s, &x.client, &ret->failed, &ret->error);
	close_lent(&x);
	container_start_close(s);
	if (r >= 0 && how->which) {
		ret->left = attached_wait(&x.attached, &x.link);
		attached_end(&x.attached);
		if (!ret->left)
			r = container_wait_end(&x.wait, &ret->error);
		ret->state = x.wait.state;
	}
	attached_end(&x.attached);
	container_wait_close(&x.wait);
	exec_close(&x.link);
	return r;
}

void docker_begin(struct docker *d, struct container_found *found, const struct docker_begin *how,
		  struct docker_begun *ret)
{
	struct container_start s;
	int r;

	*ret = (struct docker_begun){.failed = DOCKER_EXIT_USAGE};
	r = container_start_begin(&d->cmd.paths, found, false, &s, &ret->error);
	if (r < 0)
		return;
	ret->program = s.spec.proc.argv.n ? strdup(s.spec.proc.argv.items[0]) : NULL;
	if (start(d, &s, how, ret) >= 0)
		ret->failed = 0;
}

void docker_begun_free(struct docker_begun *b)
{
	free(b->program);
	b->program = NULL;
}

char *docker_launch_text(const char *prefix, const char *program, int exit_code,
			 const struct err *e)
{
	bool has_slash = strchr(program, '/');

	if (exit_code == CMD_EXIT_NOT_FOUND && !has_slash)
		return str_printf("%sexec: \"%s\": executable file not found in $PATH: unknown",
				  prefix, program);
	if (exit_code == CMD_EXIT_NOT_FOUND)
		return str_printf("%sexec: \"%s\": stat %s: no such file or directory: unknown",
				  prefix, program, program);
	if (e->code == EACCES)
		return str_printf("%sexec: \"%s\": permission denied: unknown", prefix, program);
	if (e->code == ENOEXEC)
		return str_printf("%sexec %s: exec format error: unknown", prefix, program);
	return str_printf("%sexec: \"%s\": %s: unknown", prefix, program, e->msg);
}

/* The directory in "enter the working directory /x: Not a directory". */
static const char *directory_of(const struct docker_begun *b)
{
	const char *at = strstr(b->error.msg, "working directory ");

	return at + strlen("working directory ");
}

static int directory_len(const struct docker_begun *b)
{
	return (int)strcspn(directory_of(b), ":");
}

char *docker_begun_text(const struct docker_begun *b)
{
	if (b->program && (b->failed == CMD_EXIT_NOT_FOUND || b->failed == CMD_EXIT_NOT_EXECUTABLE))
		return docker_launch_text(DOCKER_CREATE_FAILED, b->program, b->failed, &b->error);
	if (b->error.code == ENOTDIR && strstr(b->error.msg, "working directory "))
		return str_printf("Cannot mkdir: %.*s is not a directory", directory_len(b),
				  directory_of(b));
	return str_printf("%s", b->error.msg);
}
