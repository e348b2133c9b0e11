/* SPDX-License-Identifier: Apache-2.0 */
/* A start of a recipe or an image that no process waits for (runtime/start/detach.h). */
#include "cmd/options/detach.h"

#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/start/container.h"
#include "runtime/start/detach.h"
#include "runtime/spec/result.h"
#include "runtime/record/run_dir.h"
#include "runtime/stream/run_log.h"

struct detached {
	struct cmd *c;
	struct run_opts *o;
	struct run_dir dir;
	struct run_log log;
	struct result_out out;
};

static void supervise_detached(void *arg, int report_fd)
{
	struct detached *d = arg;
	const struct container_hooks hooks = {report_fd, &d->log};
	const struct container_spec *spec = &d->o->spec;
	struct run_result result = {0};
	struct err e = ERR_INIT;
	int r = container_run(spec, &d->c->paths, &hooks, &result, &e);

	run_log_close(&d->log);
	if (r < 0) {
		result.status = RUN_SANDBOX_ERROR;
		result.exit_code = CMD_EXIT_FAILED;
		result.error = e;
	}
	(void)result_out_write(&d->out, spec, &result, NULL);
	/* A caller that still listens has not been told that it runs. */
	if (r < 0 || result.status == RUN_LAUNCH_ERROR) {
		run_dir_discard(&d->c->paths, &d->dir);
		detach_failed(report_fd, run_exit_code(&result), &result.error);
	} else {
		(void)run_dir_finish(&d->dir, spec, &result, NULL);
	}
	run_result_free(&result);
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
	_strbuf_ struct strbuf line = STRBUF_INIT;
	struct err e = ERR_INIT;
	int r = prepare(&d, &e), code = CMD_EXIT_FAILED;

	cmd_hide_values(c, &o->env);
	if (r < 0)
		run_dir_discard(&c->paths, &d.dir);
	else
		r = detach(supervise_detached, &d, false, &code, &e);
	run_log_close(&d.log);
	fd_close(&d.out.fd);
	run_dir_close(&d.dir);
	if (r < 0) {
		cmd_error(&e, "%s", what);
		return code;
	}
	strbuf_addf(&line, "%s\n", o->spec.id);
	return cmd_print(&line);
}
