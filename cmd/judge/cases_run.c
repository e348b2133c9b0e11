/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The expected values never leave this process. The program is sent one case's arguments
 * under a random number and answers under that number; only then is it sent the next. It can answer
 * what it likes: an answer is compared with a value it does not know, so to pass it must know it.
 * An answer under another number, one more for the same case, garbage: none of it is about another
 * case, and too much of it ends the run. The program is not told how many cases are left, what they
 * are called, or whether it passed.
 *
 *	STARTING  until the container has started the interpreter: the program's clock stands still
 *	LOADING	  until L, or X: what the snippet's own statements did
 *	WAITING	  the kernel refused a process for the case (peer.h), which is put again
 *	RUNNING	  C was sent; A is the answer, E says that the fork of this case has ended
 *	KILLING	  it took too long: K was sent, E is waited for
 *	LEAVING	  the channel is closed for writing, which ends the harness
 *
 * Each of them has its time, and where the harness does not keep it the container ends: the
 * program may have taken the harness over, but not the clock.
 */
#include "cmd/judge/cases_run.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cmd/judge/cases.h"
#include "cmd/judge/job.h"
#include "cmd/judge/judge.h"
#include "cmd/judge/peer.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define KILL_MS 1000u
#define START_MS 60000u /* a container may take on a busy machine; it has limits of its own */
#define LEAVE_MS 2000u

enum state { STARTING, LOADING, WAITING, RUNNING, KILLING, LEAVING };

struct asker {
	struct peer_watch watch;
	struct peer program;
	int started[2]; /* a pipe: a byte comes when the program runs */
	enum state state;
	struct eval_job *job;
	struct eval_verdict *verdict;
	size_t at; /* the case that runs, or is the next */
	uint64_t number, since_ns, step_ms;
	uint64_t until_ns; /* the time of all cases; 0: not begun, UINT64_MAX: they have none */
	const char *why_enough;              /* no more cases are put to it; NULL: they are */
	bool is_loaded, is_over, is_flooded; /* is_over: the container is gone */
	struct refusal refusal;
	bool is_refused; /* and that is the host's fault: no more is asked */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct eval_case *current(struct asker *a)
{
	return &a->job->cases.items[a->at];
}

static void enter(struct asker *a, enum state state, uint64_t ms)
{
	a->state = state;
	peer_clock_set(&a->watch, ms);
}

/* As much time as a step has, or as is left of the time of all cases, which begins here. */
static void enter_step(struct asker *a, enum state state)
{
	uint64_t now = now_ns(), left_ms = 1, step_ms = refusal_try_ms(&a->refusal, a->step_ms);

	if (!a->until_ns)
		a->until_ns = now + a->job->total_timeout_ms * 1000000u;
	if (a->until_ns > now)
		left_ms = (a->until_ns - now) / 1000000u + 1;
	enter(a, state, left_ms < step_ms ? left_ms : step_ms);
}

static bool is_out_of_time(const struct asker *a)
{
	return a->until_ns && now_ns() >= a->until_ns;
}

/* [function, args, kwargs, whether what it prints is wanted] */
static void send_case(struct asker *a)
{
	const struct eval_case *c = current(a);
	const struct value items[] = {
		{.kind = VALUE_STR, .n = strlen(a->job->function), .text = a->job->function},
		c->args,
		c->kwargs,
		{.kind = VALUE_BOOL, .truth = c->compare.kind == COMPARE_STDOUT},
	};
	const struct value list = {.kind = VALUE_LIST, .n = 4, .items = (struct value *)items};
	_strbuf_ struct strbuf payload = STRBUF_INIT;

	if (getrandom(&a->number, sizeof(a->number), 0) != sizeof(a->number))
		a->number = now_ns();
	value_write_call(&list, &payload);
	a->since_ns = now_ns();
	enter_step(a, RUNNING);
	peer_send(&a->program, &a->watch, 'C', a->number, &payload);
}

/* Decides if the case that has ended was the last to be put to the program. */
static void see_enough(struct asker *a)
{
	const struct eval_case *ended = a->at ? &a->job->cases.items[a->at - 1] : NULL;

	if (a->at == a->job->cases.n)
		return;
	if (a->job->fail_fast && ended && ended->outcome != EVAL_PASSED)
		a->why_enough = EVAL_WHY_FAIL_FAST;
	else if (is_out_of_time(a))
		a->why_enough = EVAL_WHY_NO_TIME;
}

/* The next case, or none is left. */
static void go_on(struct asker *a)
{
	see_enough(a);
	if (a->is_over) {
		/* No program runs that could fail: the next case is one for another container. */
		a->state = LEAVING;
	} else if (a->at < a->job->cases.n && !a->why_enough) {
		send_case(a);
	} else {
		shutdown(a->program.fd, SHUT_WR);
		enter(a, LEAVING, LEAVE_MS);
	}
}

static void next_case(struct asker *a)
{
	a->refusal = (struct refusal){0};
	a->at++;
	go_on(a);
}

/* wait(2)'s status of the fork that ran the case, by the harness's word. */
static void fork_ended(struct asker *a, const struct harness_frame *f)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	struct eval_case *c = current(a);
	struct value v = {.kind = VALUE_NONE};
	long status = 0;

	if (value_read_literal(&pool, f->payload, f->len, &v, NULL) >= 0 && v.kind == VALUE_INT)
		status = strtol(v.text, NULL, 10);
	c->duration_ns = now_ns() - a->since_ns;
	if (c->outcome == EVAL_OPEN && (status & 0x7f))
		eval_case_failed(c, EVAL_CRASHED, "was ended by signal %ld (%s)", status & 0x7f,
				 strsignal((int)(status & 0x7f)));
	else if (c->outcome == EVAL_OPEN)
		eval_case_failed(c, EVAL_EXITED, "ended with exit code %ld without returning",
				 (status >> 8) & 0xff);
	next_case(a);
}

/* No process was made for the case that was put. */
static void refused(struct asker *a)
{
	if (refusal_may_pass(&a->refusal, a->step_ms)) {
		enter(a, WAITING, REFUSAL_PAUSE_MS);
	} else if (a->refusal.is_hosts) {
		a->is_refused = true;
	} else {
		eval_case_failed(current(a), EVAL_PIDS_LIMIT, REFUSAL_WORDS);
		next_case(a);
	}
}

static void answered(struct asker *a, const struct harness_frame *f)
{
	struct eval_case *c = current(a);

	if (c->outcome == EVAL_OPEN)
		eval_case_answered(c, f->payload, f->len);
	else
		eval_case_failed(c, EVAL_BAD_ANSWER, "answered more than once");
}

static void take(struct asker *a, const struct harness_frame *f)
{
	bool is_running = a->state == RUNNING || a->state == KILLING;
	bool is_ours = is_running && a->at < a->job->cases.n && f->number == a->number;

	if (a->state <= LOADING && f->kind == 'L') {
		a->is_loaded = true;
		go_on(a);
	} else if (a->state <= LOADING && f->kind == 'X') {
		eval_error_read(f->payload, f->len, &a->verdict->error);
		enter(a, LEAVING, LEAVE_MS);
	} else if (a->state == RUNNING && f->kind == 'A' && is_ours) {
		answered(a, f);
	} else if (f->kind == 'E' && is_ours) {
		fork_ended(a, f);
	} else if (f->kind == 'P' && is_ours && a->state == KILLING) {
		next_case(a);
	} else if (f->kind == 'P' && is_ours && current(a)->outcome == EVAL_OPEN) {
		refused(a);
	} else {
		a->is_flooded = peer_strayed(&a->program, f);
	}
}

static void case_is_late(struct asker *a)
{
	struct eval_case *c = current(a);

	if (c->outcome != EVAL_OPEN)
		return;
	if (is_out_of_time(a))
		eval_case_failed(c, EVAL_TIMEOUT,
				 "was not done when the time of all cases was over "
				 "(--total-timeout)");
	else
		eval_case_failed(c, EVAL_TIMEOUT, "was not done within %llu.%03llu s",
				 (unsigned long long)a->step_ms / 1000,
				 (unsigned long long)a->step_ms % 1000);
}

/* 0: go on; above 0: the container ends. */
static int time_is_up(struct asker *a)
{
	if (!peer_clock_rang(&a->watch))
		return 0;
	if (a->state == WAITING) {
		send_case(a);
		return 0;
	}
	if (a->state != RUNNING)
		return RUN_TIMEOUT;
	case_is_late(a);
	enter(a, KILLING, KILL_MS);
	peer_send(&a->program, &a->watch, 'K', a->number, NULL);
	return 0;
}

static void see_start(struct asker *a)
{
	char byte;

	if (read(a->started[0], &byte, 1) != 1 || a->state != STARTING)
		return;
	enter_step(a, LOADING);
}

static int asker_handle(void *ctx)
{
	struct asker *a = ctx;
	struct harness_frame f;
	int r = harness_frame_fill(&a->program.in, a->program.fd, NULL), n;

	see_start(a);
	while ((n = harness_frame_next(&a->program.in, &f, NULL)) > 0 && !a->is_flooded)
		take(a, &f);
	if (a->is_refused)
		return RUN_KILLED;
	if (n < 0 || a->is_flooded) {
		a->is_flooded = true;
		return RUN_KILLED;
	}
	if (r < 0 && r != -EAGAIN)
		return r;
	if (!r && a->is_over)
		return -EPIPE;
	if (!a->is_over)
		peer_flush(&a->program, &a->watch);
	return time_is_up(a);
}

static int asker_open(struct asker *a, int *ret_far, struct err *e)
{
	int r = peer_watch_open(&a->watch, e);

	if (r >= 0)
		r = peer_open(&a->program, &a->watch, ret_far, e);
	if (r >= 0 && pipe2(a->started, O_CLOEXEC | O_NONBLOCK) < 0)
		r = err_sys(e, "channel");
	if (r >= 0)
		r = peer_watch_add(&a->watch, a->started[0], e);
	if (r >= 0)
		enter(a, STARTING, a->step_ms + START_MS);
	return r;
}

static void asker_close(struct asker *a)
{
	peer_close(&a->program);
	peer_watch_close(&a->watch);
	fd_close(&a->started[0]);
	fd_close(&a->started[1]);
}

/* The container is gone; its last words count, if they were about the case that ran. */
static void drain(struct asker *a)
{
	a->is_over = true;
	while (!a->is_flooded && !a->is_refused && asker_handle(a) == 0)
		;
}

static const char *why_it_ended(const struct asker *a, const struct run_result *r)
{
	return a->is_flooded ? "misused the channel to csbx" : eval_words_of_end(r);
}

static enum eval_outcome outcome_of_end(const struct asker *a, const struct run_result *r)
{
	return a->is_flooded ? EVAL_BAD_ANSWER : eval_outcome_of_end(r);
}

/* One container, from case a->at on. */
static int ask_in_container(const struct eval_container *container, struct asker *a,
			    struct eval_ended *ret, struct err *e)
{
	_strv_ struct strv argv = STRV_INIT;
	struct file_spec files[2];
	struct container_channel listen = {.handle = asker_handle, .ctx = a};
	_close_ int far = -1, text = -1;
	size_t first = a->at;
	int r = asker_open(a, &far, e);

	if (r >= 0)
		r = text = eval_run_harness_fd(container, EVAL_HARNESS_CASES, e);
	if (r >= 0) {
		const int fds[] = {far, text};
		const struct eval_start start = {
			.argv = &argv,
			.files = files,
			.n_files = eval_job_files(a->job, files, &argv),
			.keep_fds = fds,
			.n_keep_fds = 2,
			.input = a->job->input,
			.channel = &listen,
			.may_share = true,
			.started_fd = a->started[1],
		};

		listen.fd = a->watch.epoll;
		eval_start(container, &start, ret);
		ret->spec.limits.timeout_ms =
			container->spec->limits.timeout_ms; /* ours, of a step */
		fd_close(&far);
		drain(a);
		if (a->is_refused)
			refusal_set_result(&a->refusal, &ret->result);
		if (a->is_loaded && a->at < a->job->cases.n &&
		    (a->state == WAITING || a->state == RUNNING || a->state == KILLING)) {
			if (current(a)->outcome == EVAL_OPEN)
				eval_case_failed(current(a), outcome_of_end(a, &ret->result), "%s",
						 why_it_ended(a, &ret->result));
			current(a)->duration_ns = now_ns() - a->since_ns;
			a->at++;
			see_enough(a);
		}
	}
	asker_close(a);
	return r < 0 ? r : a->at > first;
}

/* Cases that were put to no program. */
static void fail_rest(struct asker *a)
{
	const struct run_result *r = &a->verdict->ended.result;
	enum eval_outcome outcome = EVAL_NOT_LOADED;
	_free_ char *why = NULL;

	if (a->why_enough) {
		a->verdict->is_out_of_time = str_eq(a->why_enough, EVAL_WHY_NO_TIME);
		eval_cases_fail_rest(&a->job->cases, EVAL_NOT_RUN, a->why_enough);
		return;
	}
	if (a->verdict->error.type)
		why = str_printf(
			"was not run: the snippet failed before it was loaded: %.100s%s%.300s",
			a->verdict->error.type,
			a->verdict->error.message && *a->verdict->error.message ? ": " : "",
			a->verdict->error.message ? a->verdict->error.message : "");
	else
		why = str_printf("was not run: %s", why_it_ended(a, r));
	if (!a->verdict->error.type && r->status != RUN_EXITED)
		outcome = outcome_of_end(a, r);
	eval_cases_fail_rest(&a->job->cases, outcome, why ? why : "was not run");
}

int eval_run_cases(const struct eval_container *container, struct eval_job *job,
		   struct eval_verdict *v, struct err *e)
{
	struct asker a = {.job = job,
			  .verdict = v,
			  .step_ms = container->spec->limits.timeout_ms
					     ? container->spec->limits.timeout_ms
					     : UINT32_MAX,
			  .until_ns = job->total_timeout_ms ? 0 : UINT64_MAX};
	bool is_first = true, is_first_kept = false, is_interrupted;
	int r;

	do {
		struct eval_ended ended = {0};

		a.state = STARTING;
		a.is_loaded = a.is_over = a.is_flooded = false;
		a.watch = (struct peer_watch)PEER_WATCH_INIT;
		a.program = (struct peer)PEER_INIT;
		a.started[0] = a.started[1] = -1;
		r = ask_in_container(container, &a, &ended, e);
		is_interrupted = judge_is_interrupted(&ended.result);
		if (is_first)
			v->completed = a.is_loaded;
		/*
		 * The first that did not end as it should is the one to tell of, else the last;
		 * before all others one that csbx could not run.
		 */
		if (is_first_kept && !result_outranks(&ended.result, &v->ended.result)) {
			eval_ended_free(&ended);
		} else {
			eval_ended_free(&v->ended);
			v->ended = ended;
			is_first_kept = ended.result.status != RUN_EXITED || ended.result.exit_code;
		}
		is_first = false;
	} while (r > 0 && a.at < job->cases.n && !a.why_enough && !is_interrupted && !a.is_refused);
	if (r >= 0)
		fail_rest(&a);
	return r < 0 ? r : 0;
}
