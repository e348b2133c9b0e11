/* SPDX-License-Identifier: Apache-2.0 */

/* The container's start: enroot start [flags] TARGET csbx-hold. */

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/slurm/step_child.h"
#include "cmd/slurm/hold_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/record/instance.h"
#include "runtime/record/step_dirs.h"
#include "runtime/exec/join.h"
#include "runtime/settings/paths.h"
#include "runtime/server/client.h"

#define LOG_BYTES_MAX (1u << 20)
/* Below /run, which is a tmpfs in every container: it leaves no trace in a kept layer. */
#define HOLD_INSIDE "/run/csbx-hold"

static void add_choice(struct strv *env, const char *name, int choice)
{
	if (choice != HOLD_UNSET)
		strv_take(env, str_printf("%s=%s", name, choice == HOLD_YES ? "y" : "n"));
}

/* A line of fstab as --mount wants it: colons for the blanks between its columns. */
static void add_mount(struct strv *argv, const char *line)
{
	char *copy = str_printf("--mount=%s", line);

	for (char *p = copy; p && *p; p++)
		*p = *p == ' ' ? ':' : *p;
	strv_take(argv, copy);
}

static void add_flags(const struct hold *h, struct strv *argv)
{
	if (h->a.net == HOLD_YES)
		strv_add(argv, "--net");
	if (h->a.ipc == HOLD_YES)
		strv_add(argv, "--ipc");
	if (h->a.uts == HOLD_YES)
		strv_add(argv, "--uts");
	for (size_t i = 0; i < h->a.env.n; i++) {
		if (getenv(h->a.env.items[i]))
			strv_take(argv, str_printf("--env=%s", h->a.env.items[i]));
	}
	for (size_t i = 0; i < h->a.mounts.n; i++)
		add_mount(argv, h->a.mounts.items[i]);
}

/* enroot's own /etc/rc reads this file before it runs the entry point. */
static int skip_entrypoint(const struct hold *h, struct strv *argv, struct err *e)
{
	static const char text[] = "exec \"$@\"\n";
	const struct io_replace where = {h->dirfd, "rc.local", 0600, .replace = 1};
	int r;

	if (h->a.entrypoint == HOLD_YES)
		return 0;
	r = io_write_file_at(&where, text, sizeof(text) - 1, e);
	strv_add(argv, "--no-entrypoint");
	strv_take(argv, str_printf("--mount=%s/rc.local:/etc/rc.local:none:bind,ro,x-create=file",
				   h->a.dir));
	return r;
}

/*
 * A container with a name is there to be changed: a step finds the files that earlier ones wrote.
 * Read-only it would be its image alone, without its layer.
 */
static int writable(const struct hold *h)
{
	return h->a.writable == HOLD_UNSET && h->a.name ? HOLD_YES : h->a.writable;
}

/* The container's start hides the directory beneath the container's mounts. */
static void tell_steps(const struct hold *h, struct strv *env)
{
	char *told = str_printf(STEP_DIRS_VARIABLE "=%s", h->a.dir);

	for (int i = 0; i < 2 && told; i++) { /* DIR/UID/STEP */
		char *slash = strrchr(told, '/');

		if (slash)
			*slash = 0;
	}
	if (told && !str_eq(strchr(told, '=') + 1, STEP_DIRS_USUAL))
		strv_take(env, told);
	else
		free(told);
}

static int make_command(const struct hold *h, const struct paths *paths, struct strv *argv,
			struct strv *env, struct err *e)
{
	_free_ char *program = paths_helper(paths, "csbx-hold");
	int r;

	strv_add(argv, "csbx");
	strv_add(argv, "enroot");
	strv_add(argv, "start");
	add_flags(h, argv);
	strv_take(argv,
		  program ? str_printf("--mount=%s:" HOLD_INSIDE ":none:bind,ro,x-create=file",
				       program)
			  : NULL);
	r = skip_entrypoint(h, argv, e);
	strv_add(argv, h->target);
	strv_add(argv, HOLD_INSIDE);
	add_choice(env, "ENROOT_MOUNT_HOME", h->a.mount_home);
	add_choice(env, "ENROOT_REMAP_ROOT", h->a.remap_root);
	add_choice(env, "ENROOT_ROOTFS_WRITABLE", writable(h));
	strv_add(env, "ENROOT_UNSHARE_PID=n"); /* it would give it a supervisor */
	tell_steps(h, env);
	strv_add(env, "CSBX_LINGER=0"); /* no process comes after the step's one container */
	if (r >= 0)
		r = strv_check(argv, e);
	return r < 0 ? r : strv_check(env, e);
}

/* Its output is the entry point's, or says why there is no container. */
static int ended_early(struct hold *h, struct err *e)
{
	_strbuf_ struct strbuf log = STRBUF_INIT;
	int status = step_child_reap(h->child);

	h->child = 0;
	fd_close(&h->child_sock);
	if (io_read_file_at(h->dirfd, "log", LOG_BYTES_MAX, &log, NULL) >= 0)
		strbuf_add(&h->said, strbuf_str(&log), log.len);
	if (WIFSIGNALED(status))
		return err_set(e, ECANCELED, "the container was killed by signal %d",
			       WTERMSIG(status));
	return err_set(e, ECANCELED, "the container could not be started (exit code %d)",
		       WEXITSTATUS(status));
}

static int start(struct hold *h, const struct strv *argv, const struct strv *env, struct err *e)
{
	_close_ int log = openat(h->dirfd, "log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	struct step_child c = {.argv = argv, .env = env, .out_fd = log, .err_fd = log};
	_close_ int theirs = -1;
	int pair[2], r;
	char byte;

	if (log < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "the container's start");
	h->child_sock = pair[0];
	theirs = c.in_fd = pair[1];
	r = step_child_start(&c, &h->child, e);
	fd_close(&theirs);
	if (r < 0)
		return r;
	/* The entry point may take its time. */
	r = step_child_poll(h->child_sock, h->stop_fd, -1, e);
	if (r < 0) {
		kill(-h->child, SIGKILL);
		return r;
	}
	while ((r = (int)read(h->child_sock, &byte, 1)) < 0 && errno == EINTR) {
	}
	return r == 1 ? 0 : ended_early(h, e);
}

/*
 * Its image server's end is the container's, for a user who looks whether the step has left
 * something.
 */
static void watch_server(struct hold *h, const struct paths *paths, const char *server)
{
	_close_ int dirfd = server ? paths_open(paths->runtime, "servers", NULL) : -1;
	struct squashd_reply reply;

	if (dirfd >= 0 && squashd_ask(dirfd, server, SQUASHD_STATUS, &reply, NULL) >= 0)
		h->server_pidfd = (int)syscall(SYS_pidfd_open, reply.server_pid, 0);
}

/* Asked for limits of csbx's own, a container gets a supervisor, and cannot be joined. */
static int check_bare(struct hold *h, const struct cmd *c, struct err *e)
{
	struct join_target t = JOIN_TARGET_INIT;
	int r = join_open(&c->paths, h->child, &t, e);

	if (r >= 0)
		watch_server(h, &c->paths, t.record.server);
	else
		r = hold_explain_supervisor(h, c->config, e);
	join_close(&t);
	return r;
}

static int fill_state(struct hold *h, pid_t pid, const struct paths *paths, struct err *e)
{
	h->state.pid = pid;
	h->state.runtime = str_printf("%s", paths->runtime);
	h->state.workdir = h->a.workdir ? str_printf("%s", h->a.workdir) : NULL;
	h->state.shows_log = h->a.entrypoint_log == HOLD_YES;
	for (size_t i = 0; i < h->a.env.n; i++)
		strv_add(&h->state.keep, h->a.env.items[i]);
	if (!h->state.runtime || (h->a.workdir && !h->state.workdir))
		return err_oom(e);
	return strv_check(&h->state.keep, e);
}

int hold_start(struct hold *h, struct err *e)
{
	_strv_ struct strv argv = STRV_INIT, env = STRV_INIT;
	struct enroot x = {.self = PROGRAM_CSBX};
	int r = enroot_load_state(&x, e);

	if (r >= 0)
		r = make_command(h, &x.cmd.paths, &argv, &env, e);
	if (r >= 0)
		r = start(h, &argv, &env, e);
	if (r >= 0)
		r = check_bare(h, &x.cmd, e);
	if (r >= 0)
		r = fill_state(h, h->child, &x.cmd.paths, e);
	enroot_free_state(&x);
	return r;
}

int hold_join_running(struct hold *h, struct err *e)
{
	struct enroot x = {.self = PROGRAM_CSBX};
	struct instance_list l = {0};
	int r = enroot_load_state(&x, e);

	if (r >= 0)
		r = instance_list(&x.cmd.paths, h->a.name, &l, e);
	if (r >= 0 && l.n)
		r = hold_check_running(h, l.items[0].init, e);
	if (r >= 0 && l.n)
		r = fill_state(h, l.items[0].init, &x.cmd.paths, e);
	r = r < 0 ? r : l.n > 0;
	instance_list_free(&l);
	enroot_free_state(&x);
	return r;
}
