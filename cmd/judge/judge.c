/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. A script of Python runs under the harness, which tells on the channel that the last
 * statement was done, or which exception it was: a help, no verdict, for the script shares the
 * process with it. Shell and JavaScript run as they are. C is compiled in one container and run in
 * another: csbx sees the compiler's own exit code from outside, and the program cannot reach the
 * compiler.
 */
#include "cmd/judge/judge.h"
#include "cmd/judge/peer.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "cmd/judge/cases_run.h"
#include "cmd/judge/check_run.h"
#include "cmd/judge/harness_frame.h"
#include "cmd/judge/job.h"
#include "cmd/judge/lint.h"
#include "cmd/judge/value/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"

#define COMPILE_TIMEOUT_MS 30000u
#define PROGRAM "/" EVAL_CODE_DIR "/snippet"

/* Frames of a script: at most one of each kind counts. */
struct script_channel {
	int fd;
	struct harness_buffer in;
	bool done;
	struct eval_verdict *verdict;
};

static int script_handle(void *ctx)
{
	struct script_channel *s = ctx;
	struct harness_frame f;
	int r = harness_frame_fill(&s->in, s->fd, NULL);

	if (r == -EAGAIN)
		return 0;
	if (r <= 0)
		return -EPIPE;
	while ((r = harness_frame_next(&s->in, &f, NULL)) > 0) {
		if (f.kind == 'D')
			s->done = true;
		else if (f.kind == 'X' && !s->done)
			eval_error_read(f.payload, f.len, &s->verdict->error);
	}
	return r;
}

static void add_args(struct strv *argv, const struct eval_job *job)
{
	for (size_t i = 0; i < job->args.n; i++)
		strv_add(argv, job->args.items[i]);
}

/* The program to be started: the file that compile() made, or the snippet, and its input. */
struct program {
	struct file_spec file;
	const struct value *input; /* NULL: the caller's */
	uint64_t timeout_ms;
};

static int judge_script(const struct eval_container *container, const struct eval_job *job,
			const struct program *p, struct eval_verdict *v, struct err *e)
{
	_strv_ struct strv argv = STRV_INIT;
	struct file_spec files[2];
	int pair[2], fds[2], r = peer_pair(pair, e);
	struct script_channel s = {.verdict = v};
	struct container_channel listen = {.handle = script_handle, .ctx = &s};
	struct eval_start start = {.argv = &argv,
				   .files = files,
				   .keep_fds = fds,
				   .n_keep_fds = 2,
				   .timeout_ms = p->timeout_ms,
				   .input = p->input,
				   .may_share = true,
				   .channel = &listen};

	if (r < 0)
		return r;
	s.fd = listen.fd = pair[0];
	fds[0] = pair[1];
	fds[1] = eval_run_harness_fd(container, EVAL_HARNESS_SCRIPT, e);
	if (fds[1] >= 0) {
		start.n_files = eval_job_files(job, files, &argv);
		add_args(&argv, job);
		eval_start(container, &start, &v->ended);
		fd_close(&pair[1]);
		while (script_handle(&s) == 0 && !s.done)
			;
		v->completed = s.done;
	}
	harness_buffer_free(&s.in);
	fd_close(&pair[0]);
	fd_close(&pair[1]);
	if (fds[1] < 0)
		return fds[1];
	close(fds[1]);
	return 0;
}

static int judge_program(const struct eval_container *container, const struct eval_job *job,
			 const struct program *p, struct eval_verdict *v, struct err *e)
{
	_strv_ struct strv argv = STRV_INIT;
	struct eval_start start = {.argv = &argv,
				   .files = &p->file,
				   .n_files = 1,
				   .input = p->input,
				   .timeout_ms = p->timeout_ms};

	if (job->lang == EVAL_PYTHON)
		return judge_script(container, job, p, v, e);
	if (job->lang == EVAL_BASH)
		strv_add(&argv, "bash");
	else if (job->lang == EVAL_NODE)
		strv_add(&argv, "node");
	strv_add(&argv, job->lang == EVAL_C ? PROGRAM : eval_snippet_path(job->lang));
	add_args(&argv, job);
	eval_start(container, &start, &v->ended);
	return 0;
}

/* If nothing was compiled the user is not told that the program could not be fetched. */
static void forget_fetch(struct run_result *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n_files; i++)
		strbuf_free(&r->files[i].data);
	r->n_files = 0;
	for (size_t i = 0; i < r->degraded.n; i++) {
		if (str_has_prefix(r->degraded.items[i], "fetch: "))
			free(r->degraded.items[i]);
		else
			r->degraded.items[kept++] = r->degraded.items[i];
	}
	if (kept < r->degraded.n)
		r->degraded.items[kept] = NULL;
	r->degraded.n = kept;
}

/* True: v->ended has the compiled program in its files. */
static bool compile(const struct eval_container *container, const struct eval_job *job,
		    struct eval_ended *x)
{
	static const char *const words[] = {"cc", "-O2", "-o", PROGRAM, PROGRAM ".c", "-lm", NULL};
	_strv_ struct strv argv = STRV_INIT;
	struct file_spec file = eval_snippet_file(job);
	uint64_t timeout_ms = container->spec->limits.timeout_ms;
	struct eval_start start = {
		.argv = &argv,
		.files = &file,
		.n_files = 1,
		.fetch = PROGRAM,
		.timeout_ms = timeout_ms > COMPILE_TIMEOUT_MS ? timeout_ms : COMPILE_TIMEOUT_MS,
	};
	struct run_result *r = &x->result;

	for (size_t i = 0; words[i]; i++)
		strv_add(&argv, words[i]);
	eval_start(container, &start, x);
	if (r->status == RUN_EXITED && !r->exit_code && r->n_files == 1 && r->files[0].is_there)
		return true;
	forget_fetch(r);
	if (!run_is_none(r->status)) {
		r->status = RUN_COMPILE_ERROR;
		r->exit_code = -1;
		r->signal = 0;
	}
	return false;
}

/*
 * Judges a case by what its run printed; one that did not end well has failed, whatever it printed.
 */
static void judge_run(struct eval_case *c, const struct eval_verdict *v)
{
	const struct run_result *r = &v->ended.result;
	/* The other way to end a program that has done its work. */
	bool has_left = str_eq(v->error.type ? v->error.type : "", "SystemExit") && !r->exit_code;

	c->duration_ns = r->wall_ns;
	eval_case_printed(c, strbuf_str(&r->out.text), r->out.text.len);
	if (r->out.truncated)
		eval_case_failed(c, EVAL_WRONG_OUTPUT,
				 "printed %llu bytes, more than are kept (--max-output)",
				 (unsigned long long)r->out.bytes);
	if (r->status != RUN_EXITED)
		eval_case_failed(c, eval_outcome_of_end(r), "did not end by itself: %s",
				 run_status_name(r->status));
	else if (v->error.type && !has_left)
		eval_case_failed(c, EVAL_RAISED, "raised %.200s%s%.1000s", v->error.type,
				 v->error.message && *v->error.message ? ": " : "",
				 v->error.message ? v->error.message : "");
	else if (r->exit_code)
		eval_case_failed(c, EVAL_EXITED, "ended with exit code %d", r->exit_code);
}

/* The time that the next case may take; false: that of all together is over. */
static bool next_timeout(const struct eval_container *container, const struct eval_job *job,
			 uint64_t used_ns, struct program *p)
{
	uint64_t used_ms = used_ns / 1000000u, left_ms = job->total_timeout_ms - used_ms;

	p->timeout_ms = container->spec->limits.timeout_ms;
	if (!job->total_timeout_ms)
		return true;
	if (used_ms >= job->total_timeout_ms)
		return false;
	if (!p->timeout_ms || left_ms < p->timeout_ms)
		p->timeout_ms = left_ms;
	return true;
}

/*
 * Each case in a container of its own. The verdict tells of the first run that failed, and before
 * all others of one that csbx could not run.
 */
static int judge_runs(const struct eval_container *container, struct eval_job *job,
		      struct program *p, struct eval_verdict *v, struct err *e)
{
	bool is_kept = false, is_out_of_time = false, is_interrupted = false;
	uint64_t used_ns = 0;
	int r = 0;

	for (size_t i = 0;
	     r >= 0 && i < job->cases.n && !is_interrupted && !(is_kept && job->fail_fast); i++) {
		static const struct value nothing = {.kind = VALUE_STR, .text = ""};
		struct eval_case *c = &job->cases.items[i];
		struct eval_verdict one = {.completed = -1, .job = job};

		is_out_of_time = !next_timeout(container, job, used_ns, p);
		if (is_out_of_time)
			break;
		p->input = c->input ? c->input : &nothing;
		r = judge_program(container, job, p, &one, e);
		is_interrupted = judge_is_interrupted(&one.ended.result);
		if (r >= 0)
			judge_run(c, &one);
		used_ns += one.ended.result.wall_ns;
		if (c->outcome == EVAL_PASSED)
			eval_error_free(&one.error); /* sys.exit() */
		if (is_kept && !result_outranks(&one.ended.result, &v->ended.result)) {
			eval_verdict_free(&one);
		} else {
			eval_verdict_free(v);
			*v = one;
		}
		is_kept = is_kept || c->outcome != EVAL_PASSED;
	}
	v->is_out_of_time = is_out_of_time;
	eval_cases_fail_rest(&job->cases, EVAL_NOT_RUN,
			     is_out_of_time ? EVAL_WHY_NO_TIME : EVAL_WHY_FAIL_FAST);
	return r;
}

static int judge_all(const struct eval_container *container, struct eval_job *job,
		     struct program *p, struct eval_verdict *v, struct err *e)
{
	p->timeout_ms = container->spec->limits.timeout_ms;
	return job->cases.n ? judge_runs(container, job, p, v, e)
			    : judge_program(container, job, p, v, e);
}

static int judge_c(const struct eval_container *container, struct eval_job *job,
		   struct eval_verdict *v, struct err *e)
{
	struct eval_ended compiled;
	struct program p = {.file = {.path = (char *)PROGRAM + 1, .mode = 0755, .is_users = true},
			    .input = job->input};
	int r;

	if (!compile(container, job, &compiled)) {
		v->ended = compiled;
		eval_cases_fail_rest(&job->cases, EVAL_NOT_LOADED,
				     "was not run: it was not compiled");
		return 0;
	}
	p.file.data = (char *)strbuf_str(&compiled.result.files[0].data);
	p.file.len = compiled.result.files[0].data.len;
	r = judge_all(container, job, &p, v, e);
	eval_ended_free(&compiled);
	return r;
}

/* Cases are ended one by one in a container that ends well: the result is that the time was over. */
static void tell_hang(const struct eval_job *job, struct eval_verdict *v)
{
	struct run_result *r = &v->ended.result;

	if (r->status != RUN_EXITED || (!v->is_out_of_time && !eval_cases_all_hang(&job->cases)))
		return;
	r->status = RUN_TIMEOUT;
	r->timed_out = true;
	r->exit_code = -1;
}

int eval_judge(const struct eval_container *container, struct eval_job *job,
	       struct eval_verdict *ret, struct err *e)
{
	struct program p = {.file = eval_snippet_file(job), .input = job->input};
	int r;

	*ret = (struct eval_verdict){.completed = -1, .job = job};
	r = eval_job_has_lint(job) ? eval_lint(container, job, ret, e) : 0;
	if (r > 0)
		eval_cases_fail_rest(&job->cases, EVAL_NOT_RUN,
				     "was not run: the program uses what is not allowed");
	if (r)
		return r < 0 ? r : 0;
	if (job->has_check)
		r = eval_run_check(container, job, ret, e);
	else if (job->function)
		r = eval_run_cases(container, job, ret, e);
	else if (job->lang == EVAL_C)
		r = judge_c(container, job, ret, e);
	else
		r = judge_all(container, job, &p, ret, e);
	if (r >= 0) {
		tell_hang(job, ret);
		eval_explain(job, ret);
	}
	return r;
}

void eval_verdict_free(struct eval_verdict *v)
{
	eval_ended_free(&v->ended);
	eval_error_free(&v->error);
	eval_error_free(&v->check.error);
	free(v->check.result);
	strv_free(&v->feedback);
}

int eval_exit_code(const struct eval_verdict *v)
{
	int code = run_exit_code(&v->ended.result);
	enum run_status status = v->ended.result.status;

	if (v->check.is_there && !run_is_none(status))
		return !v->check.passed;
	if (v->job->cases.n && !run_is_none(status))
		return !eval_cases_all_passed(&v->job->cases);
	return !code && !v->completed ? 1 : code;
}
