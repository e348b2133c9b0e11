/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. Two containers that share nothing: the snippet's, under the harness that calls a function
 * in a fresh fork, and that of the asserting code, which is run by a worker process so that both
 * have a supervisor. This process stands between them (check_relay.h). The asserting code has
 * passed when it says so and its process ends with 0: no other process is in its container. In a
 * batch it may be a lane, where asserting code of other lines was before; no snippet ever is. One
 * that has asked nothing of the snippet says nothing about it, and has not passed.
 */
#include "cmd/judge/check_run.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/judge/check_relay.h"
#include "cmd/judge/job.h"
#include "cmd/judge/judge.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/patient_fork.h"
#include "runtime/spec/result_json.h"

/* How the worker ends. FELL: its program did, by itself or by a signal; LATE: its time was over. */
enum { CHECK_LEFT, CHECK_FELL, CHECK_STOPPED, CHECK_LATE, CHECK_NO_VERDICT };
#define BACKSTOP 20u /* the asserting code has this many times --timeout in all */
#define RESULT_BYTES_MAX (64u << 20)

/* All that the asserting code may take; 0: any time. */
static uint64_t time_in_all(const struct eval_container *container, const struct eval_job *job)
{
	const uint64_t ms = container->spec->limits.timeout_ms * BACKSTOP;

	return job->total_timeout_ms && (!ms || job->total_timeout_ms < ms) ? job->total_timeout_ms
									    : ms;
}

/* In the worker: its end says whether it passed, its result object goes into `out`. */
static void run_checker(const struct eval_container *container, const struct eval_job *job, int far,
			int text, int out)
{
	struct strv argv = STRV_INIT;
	const struct file_spec file = {.path = (char *)EVAL_CHECK_PATH + 1,
				       .data = (char *)strbuf_str(&job->check),
				       .len = job->check.len,
				       .is_users = true};
	const int fds[] = {far, text};
	struct container_spec spec = *container->spec;
	const struct eval_container own = {.paths = container->paths,
					   .spec = &spec,
					   .warm = container->warm,
					   .lane = container->lane,
					   .end_fd = container->end_fd};
	const struct eval_start start = {
		.argv = &argv,
		.files = &file,
		.n_files = 1,
		.keep_fds = fds,
		.n_keep_fds = 2,
		.timeout_ms = time_in_all(container, job),
		.may_share = true,
	};
	struct strbuf object = STRBUF_INIT;
	struct eval_ended x;

	spec.capture_output = true;
	spec.proc.close_stdin = true;
	eval_harness_argv(&argv);
	strv_add(&argv, EVAL_CHECK_PATH);
	if (job->function)
		strv_add(&argv, job->function);
	eval_start(&own, &start, &x);
	(void)result_json(&x.spec, &x.result, true, &object, NULL);
	(void)io_write_all(out, strbuf_str(&object), object.len, NULL);
	if (run_is_none(x.result.status) || x.result.passed_on)
		_exit(CHECK_NO_VERDICT);
	if (x.result.status == RUN_TIMEOUT)
		_exit(CHECK_LATE);
	if (x.result.status != RUN_EXITED && x.result.status != RUN_SIGNALED)
		_exit(CHECK_STOPPED);
	_exit(x.result.status == RUN_SIGNALED || x.result.exit_code ? CHECK_FELL : CHECK_LEFT);
}

static pid_t start_checker(const struct eval_container *container, const struct eval_job *job,
			   const struct check_relay *r, int far[2], int out, struct err *e)
{
	_close_ int text = eval_run_harness_fd(container, EVAL_HARNESS_CHECK, e);
	pid_t pid;

	if (text < 0)
		return text;
	pid = patient_fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid)
		return pid;
	/* Ends that it holds as well would never be seen to close. */
	close(far[0]);
	close(r->snippet.fd);
	close(r->askers[0]->peer.fd);
	run_checker(container, job, far[1], text, out);
	_exit(CHECK_NO_VERDICT);
}

static void run_snippet(const struct eval_container *container, const struct eval_job *job,
			struct check_relay *r, int far, int text, struct eval_ended *ret)
{
	_strv_ struct strv argv = STRV_INIT;
	const struct container_channel listen = {
		.fd = r->watch.epoll, .handle = check_relay_handle, .ctx = r};
	const int fds[] = {far, text};
	struct file_spec files[2];
	const struct eval_start start = {
		.argv = &argv,
		.files = files,
		.n_files = eval_job_files(job, files, &argv),
		.keep_fds = fds,
		.n_keep_fds = 2,
		.input = job->input,
		.channel = &listen,
		.may_share = true,
	};

	eval_start(container, &start, ret);
	ret->spec.limits.timeout_ms = container->spec->limits.timeout_ms;
}

/*
 * True where the container of the asserting code did not come about or was killed from outside, or
 * its program fell before the asserting code had begun, as far as is known: that says nothing about
 * the snippet.
 */
static bool has_no_verdict(const struct eval_check *c, const struct check_relay *r, int status)
{
	bool has_begun = r->was_asked || r->is_done || r->unfit || c->error.type;

	if (!WIFEXITED(status) || WEXITSTATUS(status) == CHECK_NO_VERDICT)
		return true;
	return WEXITSTATUS(status) == CHECK_FELL && !has_begun;
}

static void set_no_verdict(struct run_result *r)
{
	if (run_is_none(r->status))
		return;
	judge_set_sandbox_error(r);
	(void)err_set(&r->error, EIO, "the container of the asserting code failed");
}

/* Returns how the worker ended, of those above. */
static int take_result(struct eval_verdict *v, pid_t pid, int out, const struct check_relay *r,
		       bool has_function)
{
	struct eval_check *c = &v->check;
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (has_no_verdict(c, r, status))
		set_no_verdict(&v->ended.result);
	/* A call that failed in a process that the asserting code has forked fails it, too. */
	if (r->is_call_open && v->ended.result.status == RUN_SIGNALED && !c->error.type) {
		c->error.type = str_printf("CallFailed");
		c->error.message = str_printf("the call ended the snippet's whole program");
	}
	c->passed = r->is_done && r->was_called && r->verdict->completed == 1 && status == 0 &&
		    !c->error.type;
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHECK_LATE && !c->error.type)
		c->error.message = str_printf("it was not done in time");
	else if (r->is_done && !r->was_called)
		c->error.message = str_printf(
			"it called no function of the snippet%s",
			has_function
				? ""
				: " (it imports them from the module solution; check(candidate) "
				  "is called where --function names the candidate)");
	if (lseek(out, 0, SEEK_SET) == 0 && io_read_all(out, RESULT_BYTES_MAX, &text, NULL) >= 0 &&
	    text.len > 1) {
		text.data[--text.len] = 0; /* the newline: a record of a batch is one line */
		c->result = strbuf_take(&text);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : CHECK_NO_VERDICT;
}

/*
 * Nothing of the snippet has reached asserting code that has called nothing: where it fails it is
 * wrong itself, or the image lacks what it wants.
 */
static int check_own_error(const struct eval_verdict *v, const struct check_relay *r,
			   const struct eval_job *job, int end, struct err *e)
{
	static const char *const verdicts[] = {"CallFailed", "SystemExit", "AssertionError"};
	/* What the snippet has told may be what was asserted, else it is the check's own affair. */
	const size_t n_verdicts = job->takes_names ? 3 : 2;
	const struct eval_error *x = &v->check.error;
	_free_ char *where = x->line ? str_printf(" in line %u", x->line) : NULL;

	if (r->unfit && !run_is_none(v->ended.result.status))
		return err_set(e, EINVAL, "check: %s", r->unfit);
	if (r->was_asked || run_is_none(v->ended.result.status))
		return 0;
	if (!x->type && (end == CHECK_STOPPED || end == CHECK_LATE))
		return err_set(e, EINVAL,
			       "check: a limit ended it, before any call of the snippet");
	if (!x->type || (job->takes_names && str_eq(x->type, "NameError")))
		return 0;
	for (size_t i = 0; i < n_verdicts; i++) {
		if (str_eq(x->type, verdicts[i]))
			return 0;
	}
	return err_set(
		e, EINVAL,
		"check: it failed by itself, before any call of the snippet: %.80s%s%s%.200s",
		x->type, where ? where : "", x->message && *x->message ? ": " : "",
		x->message ? x->message : "");
}

/*
 * The asserting code once more, beside no snippet: one that takes all processors, or all processes
 * that the user may have, must not make it look wrong. -errno: it fails by itself all the same.
 */
static int fails_alone(const struct eval_container *container, const struct eval_job *job,
		       struct run_result *ret, struct err *e)
{
	_close_ int out = memfd_create("csbx-result", MFD_CLOEXEC);
	struct eval_verdict alone = {0};
	struct check_relay r;
	int far[2] = {-1, -1}, end, rc = check_relay_open(&r, &alone, UINT32_MAX, false, far, e);
	pid_t pid;

	fd_close(&far[0]);
	pid = rc < 0 ? rc : start_checker(container, job, &r, far, out, e);
	fd_close(&far[1]);
	if (pid >= 0) {
		check_relay_see_off(&r);
		end = take_result(&alone, pid, out, &r, job->function);
		rc = check_own_error(&alone, &r, job, end, e);
	}
	if (pid < 0 || run_is_none(alone.ended.result.status)) {
		set_no_verdict(ret);
		rc = 0;
	}
	check_relay_close(&r);
	eval_error_free(&alone.error);
	eval_error_free(&alone.check.error);
	free(alone.check.result);
	return rc;
}

static int run_both(const struct eval_container *container, struct eval_job *job,
		    struct check_relay *r, int far[2], struct eval_verdict *v, struct err *e)
{
	_close_ int out = memfd_create("csbx-result", MFD_CLOEXEC);
	_close_ int text = eval_run_harness_fd(container, EVAL_HARNESS_CASES, e);
	pid_t pid;
	int end;

	if (text < 0)
		return text;
	if (out < 0)
		return err_sys(e, "memfd_create");
	pid = start_checker(container, job, r, far, out, e);
	if (pid < 0)
		return pid;
	fd_close(&far[1]);
	run_snippet(container, job, r, far[0], text, &v->ended);
	fd_close(&far[0]);
	check_relay_see_off(r);
	if (r->is_refused)
		refusal_set_result(&r->refusal, &v->ended.result);
	(void)judge_is_interrupted(&v->ended.result);
	end = take_result(v, pid, out, r, job->function);
	if (r->unfit || check_own_error(v, r, job, end, NULL) >= 0)
		return check_own_error(v, r, job, end, e);
	return fails_alone(container, job, &v->ended.result, e);
}

int eval_run_check(const struct eval_container *container, struct eval_job *job,
		   struct eval_verdict *v, struct err *e)
{
	const uint64_t timeout_ms = container->spec->limits.timeout_ms;
	struct check_relay r;
	bool imports = memmem(strbuf_str(&job->check), job->check.len, "solution", 8);
	int far[2] = {-1, -1};
	int ret = check_relay_open(&r, v, timeout_ms ? timeout_ms : UINT32_MAX, imports, far, e);

	r.is_in_place = job->is_in_place;
	v->completed = 0;
	v->check.is_there = true;
	if (ret >= 0)
		ret = run_both(container, job, &r, far, v, e);
	fd_close(&far[0]);
	fd_close(&far[1]);
	check_relay_close(&r);
	return ret;
}
