/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The base (rootfs.c) covers /proc of this mount namespace, and hooks need a /proc. So the
 * base moves to a directory of the user's own, the root with it; nothing depends on where it hangs.
 * The two files of the contract lie in the base too: no process outside this mount namespace sees
 * them.
 */
#include "runtime/child/hook.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/linux_calls.h"
#include "runtime/base/str.h"
#include "runtime/kernel/cap.h"
#include "runtime/kernel/cap_exec.h"
#include "runtime/child/child.h"
#include "runtime/spec/env_lines.h"
#include "runtime/child/hook_mounts.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/spec/plan.h"
#include "runtime/spec/spec.h"

#define FILE_BYTES_MAX (4u << 20) /* of ENROOT_ENVIRON and ENROOT_MOUNTS */
#define EXIT_NOT_RUN 127

static int show_root(struct child *c, const char *dir, struct err *e)
{
	_close_ int place = open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (place < 0)
		return err_sys(e, "%s", dir);
	return mount_attach(c->base_fd, place, e);
}

static int write_file(const char *name, const char *text, struct err *e)
{
	_close_ int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_sys(e, "make %s", name);
	return io_write_all(fd, text, strlen(text), e);
}

static const char *environ_text(const struct child *c)
{
	const char *text = c->spec->hooks.environ_text;

	return text ? text : "";
}

static int make_files(const struct child *c, struct err *e)
{
	if (mkdir("hooks", 0700) < 0)
		return err_sys(e, "make a directory for the hooks");
	if (write_file("hooks/environ", environ_text(c), e) < 0)
		return e ? -e->code : -EIO;
	return write_file("hooks/fstab", "", e);
}

/* Our pid in the pid namespace that the caller's /proc is of. */
static void add_pid(struct strv *env)
{
	char pid[32];
	ssize_t n = readlink("/proc/self", pid, sizeof(pid) - 1);

	if (n < 0)
		n = snprintf(pid, sizeof(pid), "%d", getpid());
	pid[n] = 0;
	strv_take(env, str_printf("ENROOT_PID=%s", pid));
}

static int make_environment(const struct child *c, const char *dir, struct strv *env, struct err *e)
{
	const struct strv *given = &c->spec->hooks.env;

	for (size_t i = 0; i < given->n; i++)
		strv_add(env, given->items[i]);
	add_pid(env);
	strv_take(env, str_printf("ENROOT_ROOTFS=%s/root", dir));
	strv_take(env, str_printf("ENROOT_ENVIRON=%s/hooks/environ", dir));
	strv_take(env, str_printf("ENROOT_MOUNTS=%s/hooks/fstab", dir));
	return strv_check(env, e);
}

static void default_signals(void)
{
	sigset_t none;

	for (int i = 1; i < SIGRTMIN; i++)
		(void)signal(i, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A script without "#!" is the shell's, as if a shell had started it. */
static void exec_program(const struct hook_command *h, char *const *env)
{
	_strv_ struct strv argv = STRV_INIT;

	execve(h->argv.items[0], h->argv.items, env);
	if (errno != ENOEXEC)
		return;
	strv_add(&argv, "bash");
	for (size_t i = 0; i < h->argv.n; i++)
		strv_add(&argv, h->argv.items[i]);
	if (argv.failed)
		return;
	execve("/bin/bash", argv.items, env);
	execve("/bin/sh", argv.items, env);
}

/* It tells through `failed`, which an exec closes, the reason why it could not run. */
static _Noreturn void be_hook(const struct child *c, const struct hook_command *h, char *const *env,
			      int failed)
{
	const char *cwd = c->spec->hooks.cwd;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), code;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || null < 0 || dup2(null, 0) < 0 ||
	    dup2(null, 1) < 0 || close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
		_exit(EXIT_NOT_RUN);
	if (chdir(cwd ? cwd : "/") < 0 && chdir("/") < 0)
		_exit(EXIT_NOT_RUN);
	umask(022);
	sources_restore_limit(c);
	default_signals();
	if (geteuid())
		(void)cap_keep_over_exec(CAP_ALL, NULL);
	exec_program(h, env);
	code = errno;
	(void)io_write_all(failed, &code, sizeof(code), NULL);
	_exit(EXIT_NOT_RUN);
}

static int not_run(const struct hook_command *h, int code, struct err *e)
{
	bool is_there = !access(h->argv.items[0], F_OK);

	return err_code(e, code, "%s cannot be run%s", h->shown,
			code == ENOENT && is_there ? ": the program of its #! line" : "");
}

static int run_one(const struct child *c, const struct hook_command *h, char *const *env,
		   struct err *e)
{
	_close_ int in = -1, to = -1;
	int fds[2], status, code;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "run %s", h->shown);
	in = fds[0];
	to = fds[1];
	pid = fork();
	if (!pid)
		be_hook(c, h, env, to);
	if (pid < 0)
		return err_sys(e, "run %s", h->shown);
	fd_close(&to);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_sys(e, "wait for %s", h->shown);
	}
	if (read(in, &code, sizeof(code)) == sizeof(code))
		return not_run(h, code, e);
	if (WIFSIGNALED(status))
		return err_set(e, ECANCELED, "%s was ended by signal %d", h->shown,
			       WTERMSIG(status));
	if (WEXITSTATUS(status))
		return err_set(e, ECANCELED, "%s exited with return code %d", h->shown,
			       WEXITSTATUS(status));
	return 0;
}

/*
 * Lines behind what we wrote are additions. A hook that rewrote the file wins for all names that
 * its lines have; variables that no line can hold are not in the file and stay.
 */
static int read_environment(struct child *c, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_strv_ struct strv added = STRV_INIT;
	size_t known = strlen(environ_text(c));
	const struct strv *old = &c->spec->proc.env;
	int r = io_read_path("hooks/environ", FILE_BYTES_MAX, &text, e);

	if (r < 0)
		return err_wrap(e, "environment of the hooks");
	if (text.len < known || memcmp(strbuf_str(&text), environ_text(c), known))
		known = 0;
	if (text.len == known)
		return 0;
	r = env_lines_parse(text.data + known, text.len - known, 0, &added, NULL, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < old->n; i++)
		strv_add(&c->hook_env, old->items[i]);
	for (size_t i = 0; i < added.n; i++) {
		if (!str_has_prefix(added.items[i], "ENROOT_"))
			strv_add(&c->hook_env, added.items[i]);
	}
	strv_settle_env(&c->hook_env);
	return strv_check(&c->hook_env, e);
}

static int read_mounts(struct child *c, const char *dir, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_free_ char *root = str_printf("%s/root", dir);
	int r = root ? io_read_path("hooks/fstab", FILE_BYTES_MAX, &text, e) : err_oom(e);

	if (r >= 0 && text.len)
		r = hook_mounts_make(c, strbuf_str(&text), text.len, root, e);
	return r < 0 ? err_wrap(e, "mounts of the hooks") : 0;
}

int hooks_run(struct child *c, const struct op *op, struct err *e)
{
	const struct hooks_spec *h = &c->spec->hooks;
	_strv_ struct strv env = STRV_INIT;
	/* A caller may have it ignored, and then the end of no process can be waited for. */
	void (*old)(int) = signal(SIGCHLD, SIG_DFL);
	int r = show_root(c, op->src, e);

	if (r >= 0)
		r = make_files(c, e);
	if (r >= 0)
		r = make_environment(c, op->src, &env, e);
	for (size_t i = 0; r >= 0 && i < h->n; i++)
		r = run_one(c, &h->commands[i], env.items, e);
	(void)signal(SIGCHLD, old);
	if (r >= 0)
		r = read_environment(c, e);
	return r < 0 ? r : read_mounts(c, op->src, e);
}
