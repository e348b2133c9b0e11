/* SPDX-License-Identifier: Apache-2.0 */
#include "image/source/engine_priv.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "image/bytes/spool.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define SAID_MAX 4096u

extern char **environ;

/* A program that runs: its output comes from `out`, its complaints lie in `said`. */
struct child {
	pid_t pid;
	int out, said;
};

static int start(const char *const *argv, int out, int said, pid_t *ret, struct err *e)
{
	posix_spawn_file_actions_t a;
	int code = posix_spawn_file_actions_init(&a);

	if (code)
		return err_code(e, code, "run %s", argv[0]);
	code = posix_spawn_file_actions_addopen(&a, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!code)
		code = posix_spawn_file_actions_adddup2(&a, out, STDOUT_FILENO);
	if (!code)
		code = posix_spawn_file_actions_adddup2(&a, said, STDERR_FILENO);
	if (!code)
		code = posix_spawnp(ret, argv[0], &a, NULL, (char *const *)(uintptr_t)argv,
				    environ);
	posix_spawn_file_actions_destroy(&a);
	if (code == ENOENT)
		return err_set(e, ENOENT,
			       "%s is not here: no socket answers, and there is no program %s",
			       argv[0], argv[0]);
	return code ? err_code(e, code, "run %s", argv[0]) : 0;
}

static int child_start(struct child *c, const char *const *argv, struct err *e)
{
	int pipe_fds[2], r;

	*c = (struct child){.out = -1};
	c->said = memfd_create("stderr", MFD_CLOEXEC);
	if (c->said < 0 || pipe2(pipe_fds, O_CLOEXEC) < 0) {
		r = err_sys(e, "run %s", argv[0]);
		fd_close(&c->said);
		return r;
	}
	r = start(argv, pipe_fds[1], c->said, &c->pid, e);
	close(pipe_fds[1]);
	c->out = pipe_fds[0];
	if (r < 0) {
		fd_close(&c->out);
		fd_close(&c->said);
	}
	return r;
}

/* The last line it wrote to stderr, by which programs end that fail. */
static void add_complaint(int said, struct strbuf *out)
{
	char text[SAID_MAX + 1];
	ssize_t n = pread(said, text, SAID_MAX, 0);
	char *line;

	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	if (n <= 0)
		return;
	text[n] = 0;
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	strbuf_addstr(out, ": ");
	strbuf_add_escaped(out, line, strlen(line) < 300 ? strlen(line) : 300);
}

/* Closing `out` first lets a program that still writes end by SIGPIPE. */
static int child_end(struct child *c, const char *const *argv, int so_far, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int status = 0;
	pid_t p;

	fd_close(&c->out);
	do
		p = waitpid(c->pid, &status, 0);
	while (p < 0 && errno == EINTR);
	if (so_far >= 0 && p == c->pid && status) {
		add_complaint(c->said, &text);
		so_far = err_set(e, EREMOTEIO, "'%s %s' failed%s", argv[0], argv[1],
				 strbuf_str(&text));
	}
	fd_close(&c->said);
	return so_far;
}

/* A name may stand for several images of an archive (docker saves all tags), an id never does. */
static int look_up(const char *program, const char *name, struct strbuf *ret_id, struct err *e)
{
	const char *const argv[] = {program,   "image", "inspect", "--format",
				    "{{.Id}}", "--",    name,      NULL};
	struct child c;
	int r = child_start(&c, argv, e);

	if (r < 0)
		return r;
	r = child_end(&c, argv, io_read_all(c.out, SAID_MAX, ret_id, e), e);
	if (r < 0)
		return r;
	while (ret_id->len && ret_id->data[ret_id->len - 1] == '\n')
		ret_id->data[--ret_id->len] = 0;
	if (!engine_is_id(strbuf_str(ret_id)))
		return err_set(e, EBADMSG, "'%s image inspect' printed no image's id", program);
	return 0;
}

int engine_save_by_program(enum engine_kind kind, const char *name, const struct spool_watch *watch,
			   int tmp_dirfd, struct err *e)
{
	_strbuf_ struct strbuf id = STRBUF_INIT;
	const char *const docker[] = {"docker", "save", "--", NULL, NULL};
	const char *const podman[] = {"podman",         "save", "--quiet", "--format",
				      "docker-archive", "--",   NULL,      NULL};
	const char *argv[8] = {0};
	struct child c;
	int fd, r = look_up(engine_name(kind), name, &id, e);

	if (r < 0)
		return r;
	if (kind == ENGINE_DOCKER)
		memcpy(argv, docker, sizeof(docker));
	else
		memcpy(argv, podman, sizeof(podman));
	argv[kind == ENGINE_DOCKER ? 3 : 6] = strbuf_str(&id);
	r = child_start(&c, argv, e);
	if (r < 0)
		return r;
	fd = spool_copy_watched(c.out, tmp_dirfd, watch, e);
	r = child_end(&c, argv, fd, e);
	if (r < 0)
		fd_close(&fd);
	return r < 0 ? r : fd;
}
