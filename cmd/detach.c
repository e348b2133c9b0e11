/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A detached start is the same supervisor in a child with a session of its own: no daemon, nothing
 * else between it and the container. The parent waits until the command runs, so that what fails
 * before is told where it was asked for, and exits as an attached start would have. From then on
 * the run's directory (run_dir.h) is all that speaks for it.
 */
#include "cmd/detach.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/container.h"
#include "runtime/result.h"
#include "runtime/run_dir.h"
#include "runtime/run_log.h"

/* From the supervisor to the parent, when the command did not come to run. */
struct failure {
	int exit_code;
	struct err error;
};

struct detached {
	struct cmd *c;
	struct run_opts *o;
	struct run_dir dir;
	struct run_log log;
	struct result_out out;
	int report_fd;
};

static int leave_session(struct err *e)
{
	_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return err_sys(e, "/dev/null");
	if (setsid() < 0 || chdir("/") < 0)
		return err_sys(e, "leave the session");
	for (int fd = 0; fd < 3; fd++) {
		if (dup2(null, fd) < 0)
			return err_sys(e, "leave the terminal");
	}
	return 0;
}

static void tell_failure(const struct detached *d, const struct err *error, int exit_code)
{
	const struct failure f = {exit_code, *error};

	(void)io_write_all(d->report_fd, &f, sizeof(f), NULL);
}

static void supervise_detached(struct detached *d)
{
	const struct container_hooks hooks = {d->report_fd, &d->log};
	const struct container_spec *spec = &d->o->spec;
	struct run_result result = {0};
	struct err e = ERR_INIT;
	int r = leave_session(&e);

	if (r >= 0)
		r = container_run(spec, &d->c->paths, &hooks, &result, &e);
	run_log_close(&d->log);
	if (r < 0) {
		result.status = RUN_SANDBOX_ERROR;
		result.exit_code = CMD_EXIT_FAILED;
		result.error = e;
	}
	(void)result_out_write(&d->out, spec, &result, NULL);
	/* Whoever still listens has not been told that it runs. */
	if (r < 0 || result.status == RUN_LAUNCH_ERROR) {
		run_dir_discard(&d->c->paths, &d->dir);
		tell_failure(d, &result.error, run_exit_code(&result));
	} else {
		(void)run_dir_finish(&d->dir, spec, &result, NULL);
	}
	run_result_free(&result);
}

/* The supervisor's word: a byte, it runs; else a failure. */
static int await(int fd, pid_t child, const struct container_spec *spec, const char *what)
{
	_strbuf_ struct strbuf line = STRBUF_INIT;
	struct failure f = {.exit_code = CMD_EXIT_FAILED};
	ssize_t n;

	do {
		n = read(fd, &f, sizeof(f));
	} while (n < 0 && errno == EINTR);
	if (n == 1) {
		strbuf_addf(&line, "%s\n", spec->id);
		return cmd_print(&line);
	}
	(void)waitpid(child, NULL, 0);
	if (n != sizeof(f))
		err_set(&f.error, EIO, "the supervisor died");
	err_sanitize(&f.error);
	cmd_error(&f.error, "%s", what);
	return f.exit_code;
}

static int prepare(struct detached *d, struct err *e)
{
	struct container_spec *s = &d->o->spec;
	int r;

	if (d->o->result.json && !d->o->result.path)
		return err_set(e, EINVAL, "--detach: --json needs a file, --json=FILE");
	if (d->o->tty == TTY_WISH_YES)
		return err_set(e, EINVAL, "--detach and --tty exclude each other");
	s->proc.tty = TTY_NO;
	r = result_out_open(&d->o->result, s, &d->out, e);
	if (r >= 0)
		r = run_dir_create(&d->c->paths, s, &d->dir, e);
	if (r >= 0)
		r = run_log_create(d->dir.fd, RUN_LOG_BYTES, &d->log, e);
	return r;
}

int run_detached(struct cmd *c, struct run_opts *o, const char *what)
{
	struct detached d = {
		.c = c, .o = o, .dir = RUN_DIR_INIT, .log = RUN_LOG_INIT, .out = {.fd = -1}};
	struct err e = ERR_INIT;
	int report[2] = {-1, -1}, r = prepare(&d, &e), code;
	pid_t child;

	if (r >= 0 && pipe2(report, O_CLOEXEC) < 0)
		r = err_sys(&e, "pipe");
	child = r < 0 ? -1 : fork();
	if (child == 0) {
		fd_close(&report[0]);
		d.report_fd = report[1];
		supervise_detached(&d);
		_exit(0);
	}
	if (r >= 0 && child < 0)
		r = err_sys(&e, "fork");
	fd_close(&report[1]);
	run_log_close(&d.log);
	fd_close(&d.out.fd);
	if (r < 0)
		run_dir_discard(&c->paths, &d.dir);
	else
		run_dir_close(&d.dir);
	code = r < 0 ? cmd_error(&e, "%s", what) : await(report[0], child, &o->spec, what);
	fd_close(&report[0]);
	return code;
}
