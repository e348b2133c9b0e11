/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/exec.h"

#include <stdlib.h>

#include "cmd/docker/show/events.h"
#include "cmd/docker/daemon/groups.h"
#include "cmd/docker/daemon/start.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/frame/cmd.h"
#include "cmd/options/result_out.h"
#include "cmd/options/run_opts.h"
#include "cmd/verb/exec_job.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/life/container_state.h"
#include "runtime/spec/name.h"
#include "runtime/spec/result.h"

#define DOCKER_EXEC_EVENT_ID (NAME_CONTAINER_ID_DIGITS + 1)

void docker_exec_args_done(struct docker_exec_args *a)
{
	strv_free(&a->argv);
	strv_free(&a->env);
}

/* One exec on its way. */
struct execing {
	const struct docker_exec_args *a;
	const struct docker_exec_how *how;
	struct run_opts opts;
	struct exec_job job;
	struct docker_target target;
	char *id; /* of the container, as messages show it */
	char exec_id[DOCKER_EXEC_EVENT_ID];
	struct docker_fault *f;
};

/* A fault in the words of docker's runtime; the text takes the place of the process's output. */
static int runtime_says(struct docker_fault *f, int exit_code, const char *text)
{
	int r = docker_refuse(f, "%s", text ? text : "out of memory");

	f->exit_code = exit_code;
	return r;
}

/* The request could not be made: a user that is not there, a directory that is none. */
static int refused(struct execing *x)
{
	const char *user = x->a->user ? x->a->user : "", *colon = strchr(user, ':');
	_free_ char *name = strndup(user, strcspn(user, ":"));
	_free_ char *text = NULL;

	switch (x->f->err.origin) {
	case ERR_NO_USER:
		text = str_printf("unable to find user %s: no matching entries in passwd file",
				  name ? name : "");
		break;
	case ERR_NO_GROUP:
		text = str_printf("unable to find group %s: no matching entries in group file",
				  colon ? colon + 1 : "");
		break;
	case ERR_WORKDIR:
		text = str_printf("OCI runtime exec failed: exec failed: Cwd must be an absolute "
				  "path: unknown");
		break;
	default:
		return docker_fault_by_code(x->f, -x->f->err.code);
	}
	return runtime_says(x->f, CMD_EXIT_NOT_EXECUTABLE, text);
}

/* It was made and did not come to run. */
static int not_started(struct execing *x, const struct run_result *result)
{
	const struct process_spec *p = &x->opts.spec.proc;
	bool is_missing = result->error.code == ENOENT;
	int code = result->exit_code;
	_free_ char *text = NULL;

	if (result->error.origin == ERR_WORKDIR) {
		code = is_missing ? CMD_EXIT_NOT_FOUND : CMD_EXIT_NOT_EXECUTABLE;
		text = str_printf(DOCKER_EXEC_FAILED "chdir to cwd (\"%s\") set in config.json "
						     "failed: %s: unknown",
				  p->cwd,
				  is_missing ? "no such file or directory" : "not a directory");
	} else {
		text = docker_launch_text(DOCKER_EXEC_FAILED, p->argv.items[0], code,
					  &result->error);
		code = code == CMD_EXIT_FAILED ? CMD_EXIT_NOT_EXECUTABLE : code;
	}
	return runtime_says(x->f, code, text);
}

int docker_exec_check(const struct paths *p, struct docker_target *t, struct docker_fault *f)
{
	struct container_state s = {0};
	int r = docker_target_instance(p, t, f);

	if (r >= 0 && t->stays &&
	    container_state_read(p, t->found.name, &t->found.record, &s, NULL) >= 0 &&
	    s.status == CONTAINER_PAUSED)
		return docker_fault(f, DOCKER_CONFLICT, EBUSY,
				    "container %s is paused, unpause the container before exec",
				    docker_target_id(t));
	return r;
}

static int connect_job(struct execing *x, const char *operand)
{
	const struct paths *p = x->job.paths;
	struct docker_target *t = &x->target;
	int r = docker_target_open(p, operand, t, x->f);

	if (r >= 0)
		r = docker_exec_check(p, t, x->f);
	if (r >= 0) {
		x->id = strdup(docker_target_id(t));
		x->job.rec = t->instance;
		r = exec_job_open(&x->job, &x->f->err);
		if (r == -ESRCH)
			docker_target_not_running(t, x->f);
		t->has_instance = false;
	}
	return r;
}

void docker_exec_words(const struct docker_exec_args *a, const char *action, struct strbuf *out)
{
	strbuf_addf(out, "%s: %s", action, a->argv.items[0]);
	/* Docker has a space behind the first word even where it is the last. */
	strbuf_addstr(out, a->argv.n == 1 ? " " : "");
	for (size_t i = 1; i < a->argv.n; i++)
		strbuf_addf(out, " %s", a->argv.items[i]);
}

/* exit_code below 0: it is not known. */
static void note(const struct execing *x, const char *action, bool with_words, int exit_code)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_strv_ struct strv more = STRV_INIT;

	if (with_words)
		docker_exec_words(x->a, action, &text);
	else
		strbuf_addstr(&text, action);
	strv_take(&more, str_printf("execID=%s", x->exec_id));
	if (exit_code >= 0)
		strv_take(&more, str_printf("exitCode=%d", exit_code));
	if (!text.failed && !more.failed)
		docker_event_target_more(x->job.paths, &x->target, strbuf_str(&text), &more);
}

/* An exec of the Engine API has an id, and its making was said when it was made. */
static int begin(struct execing *x)
{
	char instance[NAME_ID_DIGITS + 1];
	int r = 0;

	if (x->how->id)
		strncpy(x->exec_id, x->how->id, sizeof(x->exec_id) - 1);
	else
		r = name_new_id(instance, &x->f->err);
	if (r >= 0 && !x->how->id)
		r = name_new_container_id(instance, x->exec_id, &x->f->err);
	if (r >= 0 && !x->how->id)
		note(x, "exec_create", true, -1);
	if (r >= 0)
		note(x, "exec_start", true, -1);
	return r;
}

/* As it was told before the start, by a request of its own or that of the making. */
static void set_size(struct execing *x)
{
	const struct exec_watch *w = x->how->watch;
	struct process_spec *p = &x->opts.spec.proc;
	unsigned rows, columns;

	if (w && w->read_size(w->arg, &rows, &columns)) {
		p->tty_rows = rows;
		p->tty_columns = columns;
	}
}

static void set_options(struct execing *x)
{
	const struct docker_exec_args *a = x->a;
	struct run_opts *o = &x->opts;

	run_opts_init(o);
	for (size_t i = 0; i < a->env.n; i++)
		strv_add(&o->env, a->env.items[i]);
	o->user = docker_user(a->user);
	o->workdir = a->workdir && *a->workdir ? a->workdir : NULL;
	o->no_stdin = !a->interactive;
	o->tty = a->tty ? TTY_WISH_YES : TTY_WISH_NO;
	x->job.opts = o;
}

static int fill(struct execing *x)
{
	const struct docker_exec_args *a = x->a;
	struct run_opts *o = &x->opts;
	int r = strv_check(&o->env, &x->f->err);

	if (r < 0)
		return r;
	if (exec_job_fill(&x->job, (int)a->argv.n, a->argv.items, &x->f->err) < 0 ||
	    (o->user && docker_groups_add_main(&o->spec.proc, &x->f->err) < 0))
		return refused(x);
	set_size(x);
	return 0;
}

/* The exit code. It may end while it is spoken to. */
static int run(struct execing *x, struct run_result *result)
{
	const struct process_spec *p = &x->opts.spec.proc;
	bool is_left = false;
	struct exec_options options = {
		.streams = {.tty = p->tty == TTY_YES,
			    .close_stdin = p->close_stdin,
			    .copy_pipes = true,
			    .goes_on = x->how->id},
		.tty_takes_stderr = true,
		.kill_after_ms = 100,
		.watch = x->how->watch,
		.ret_left = &is_left,
	};
	int r;

	if (p->tty == TTY_YES && x->how->keys && !p->close_stdin)
		options.streams.keys = *x->how->keys;
	r = exec_run(&x->job.link, p, &options, result, &x->f->err);

	if (is_left)
		return err_set(&x->f->err, ECANCELED, DOCKER_LEFT_BY_KEYS);
	if (r == -ESRCH || r == -EPIPE || r == -ECONNRESET)
		return docker_fault(x->f, DOCKER_CONFLICT, ESRCH, "container %s is not running",
				    x->id ? x->id : "");
	if (r < 0)
		return r;
	if (result->status == RUN_LAUNCH_ERROR || result->status == RUN_SANDBOX_ERROR)
		return not_started(x, result);
	return run_exit_code(result);
}

int docker_exec(const struct paths *p, const char *operand, const struct docker_exec_args *a,
		const struct docker_exec_how *how, struct docker_fault *f)
{
	struct execing x = {.a = a,
			    .how = how,
			    .job = {.paths = p, .term = "xterm", .link = EXEC_LINK_INIT},
			    .f = f};
	struct run_result result = {0};
	int r;

	if (!a->argv.n)
		return docker_refuse(f, "No exec command specified");
	set_options(&x);
	r = connect_job(&x, operand);
	if (r >= 0)
		r = fill(&x);
	if (r >= 0)
		r = begin(&x);
	if (r >= 0) {
		r = run(&x, &result);
		if (r == -ECANCELED)
			note(&x, "exec_detach", false, -1);
		else
			note(&x, "exec_die", false, r >= 0 ? r : f->exit_code);
	}
	docker_target_close(&x.target);
	run_result_free(&result);
	user_free(&x.job.user);
	exec_close(&x.job.link);
	instance_record_free(&x.job.rec);
	run_opts_done(&x.opts);
	free(x.id);
	return r;
}
