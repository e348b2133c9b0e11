/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. Two containers that share nothing: the snippet's, under the harness that calls a function
 * in a fresh fork, and that of the asserting code, which is run by a worker process so that both
 * have a supervisor. This process stands between them and carries values: each is read as a
 * literal, and what is passed on is written anew from what was read, so nothing reaches the
 * asserting code but values of the ten kinds. One call is under way at a time.
 *
 *	asserting code  Q [function, args, kwargs]  ->  C to the snippet
 *	snippet		A, then E		    ->  A ["R", value] or ["E", type, message]
 *
 * The asserting code has passed when it says so (D) and its process ends with 0: nobody else is in
 * its container. A call that is not done in time is ended and raises there; so does one that
 * finds the snippet gone.
 */
#include "cmd/eval/check_run.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/eval/frame.h"
#include "cmd/eval/job.h"
#include "cmd/eval/judge.h"
#include "cmd/eval/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/result_json.h"

#define KILL_MS 1000u
#define LEAVE_MS 2000u
#define STRAYS_MAX 1000u
#define CHECK_PATH "/" EVAL_CODE_DIR "/check.py"
#define BACKSTOP 20u /* the asserting code has this many times --timeout in all */
#define RESULT_BYTES_MAX (64u << 20)

enum state {
	LOADING, /* the snippet */
	IDLE,    /* nothing is asked of the snippet */
	CALLING,
	ENDING, /* the call took too long, its fork is killed */
	LEAVING,
};

struct peer {
	int fd;
	struct frame_buffer in;
	struct strbuf out;
	size_t sent;
	bool is_gone;
};

struct relay {
	struct peer snippet, check;
	int timer, epoll;
	enum state state;
	uint64_t number, step_ms;
	size_t strays;
	struct strbuf question; /* that waits for the snippet */
	bool has_question, has_answer, is_done;
	struct eval_verdict *verdict;
};

static void enter(struct relay *r, enum state state, uint64_t ms)
{
	const struct itimerspec t = {
		.it_value = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000 + 1}};

	r->state = state;
	(void)timerfd_settime(r->timer, 0, &t, NULL);
}

static void peer_flush(struct relay *r, struct peer *p)
{
	struct epoll_event ev = {.events = EPOLLIN};

	while (p->sent < p->out.len && !p->is_gone) {
		ssize_t n = send(p->fd, p->out.data + p->sent, p->out.len - p->sent,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			p->is_gone = true;
		else
			p->sent += (size_t)n;
	}
	if (p->sent < p->out.len && !p->is_gone) {
		ev.events |= EPOLLOUT;
	} else {
		strbuf_reset(&p->out);
		p->sent = 0;
	}
	(void)epoll_ctl(r->epoll, p->is_gone ? EPOLL_CTL_DEL : EPOLL_CTL_MOD, p->fd, &ev);
}

static void put(struct relay *r, struct peer *p, char kind, uint64_t number,
		const struct strbuf *payload)
{
	frame_write(&p->out, kind, number, payload ? strbuf_str(payload) : NULL,
		    payload ? payload->len : 0);
	peer_flush(r, p);
}

/* --- to the asserting code -----------------------------------------------------------------------
 */

static struct value text_value(const char *s)
{
	return (struct value){.kind = VALUE_STR, .n = strlen(s), .text = s};
}

static void answer(struct relay *r, const struct value *items, size_t n)
{
	const struct value list = {.kind = VALUE_LIST, .n = n, .items = (struct value *)items};
	_strbuf_ struct strbuf payload = STRBUF_INIT;

	value_write_literal(&list, &payload);
	put(r, &r->check, 'A', 0, &payload);
	r->has_question = false;
}

static void answer_error(struct relay *r, const char *type, const char *message)
{
	const struct value items[] = {text_value("E"), text_value(type), text_value(message)};

	answer(r, items, 3);
}

static void answer_gone(struct relay *r)
{
	const struct eval_error *x = &r->verdict->error;
	_free_ char *why = x->type ? str_printf("the snippet did not load: %s: %s", x->type,
						x->message ? x->message : "")
				   : str_printf("the snippet's program has ended");

	answer_error(r, "RuntimeError", why ? why : "");
}

static void answer_from(struct relay *r, const struct value *v)
{
	const struct value *x = v->items;
	bool is_list = v->kind == VALUE_LIST && v->n >= 4 && x[0].kind == VALUE_STR &&
		       x[1].kind == VALUE_STR;

	if (is_list && value_is_text(&x[0], "R"))
		answer(r, (const struct value[]){x[0], x[2]}, 2);
	else if (is_list && x[2].kind == VALUE_STR && value_is_text(&x[0], "T"))
		answer_error(r, "ValueError", x[2].text);
	else if (is_list && x[2].kind == VALUE_STR)
		answer_error(r, x[1].text, x[2].text);
	else
		answer_error(r, "RuntimeError", "the snippet answered with garbage");
}

/* --- to the snippet ------------------------------------------------------------------------------
 */

static void ask(struct relay *r)
{
	r->has_answer = false;
	if (getrandom(&r->number, sizeof(r->number), 0) != sizeof(r->number))
		r->number++;
	enter(r, CALLING, r->step_ms);
	put(r, &r->snippet, 'C', r->number, &r->question);
}

/* Asking code is trusted to be well-formed, not to be right: what is not is an error there. */
static void asked(struct relay *r, const struct frame *f)
{
	static const struct value no = {.kind = VALUE_BOOL};
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	struct value v, items[4];
	struct value list = {.kind = VALUE_LIST, .n = 4, .items = items};

	r->has_question = true;
	if (value_read_literal(&pool, f->payload, f->len, &v, NULL) < 0 || v.kind != VALUE_LIST ||
	    v.n != 3 || v.items[0].kind != VALUE_STR || v.items[1].kind != VALUE_LIST ||
	    v.items[2].kind != VALUE_DICT) {
		answer_error(r, "TypeError", "the arguments cannot be told");
		return;
	}
	memcpy(items, v.items, 3 * sizeof(*items));
	items[3] = no;
	strbuf_reset(&r->question);
	value_write_literal(&list, &r->question);
	if (r->snippet.is_gone || r->state == LEAVING)
		answer_gone(r);
	else if (r->state == IDLE)
		ask(r);
}

static void idle(struct relay *r)
{
	enter(r, IDLE, r->step_ms);
	if (r->has_question)
		ask(r);
}

static void fork_ended(struct relay *r)
{
	if (!r->has_answer)
		answer_error(r, r->state == ENDING ? "TimeoutError" : "RuntimeError",
			     r->state == ENDING ? "the call was not done in time"
						: "the call ended without returning");
	idle(r);
}

static int from_snippet(struct relay *r, const struct frame *f)
{
	bool is_ours = (r->state == CALLING || r->state == ENDING) && f->number == r->number;

	if (r->state == LOADING && f->kind == 'L') {
		r->verdict->completed = 1;
		idle(r);
	} else if (r->state == LOADING && f->kind == 'X') {
		eval_error_read(f->payload, f->len, &r->verdict->error);
		enter(r, LEAVING, LEAVE_MS);
		if (r->has_question)
			answer_gone(r);
	} else if (is_ours && f->kind == 'A' && !r->has_answer && r->state == CALLING) {
		_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
		struct value v = {.kind = VALUE_NONE};

		if (value_read_literal(&pool, f->payload, f->len, &v, NULL) < 0)
			v.kind = VALUE_NONE;
		r->has_answer = true;
		answer_from(r, &v);
	} else if (is_ours && f->kind == 'E') {
		fork_ended(r);
	} else if (++r->strays > STRAYS_MAX) {
		return RUN_KILLED;
	}
	return 0;
}

static void from_check(struct relay *r, const struct frame *f)
{
	if (f->kind == 'Q')
		asked(r, f);
	else if (f->kind == 'D')
		r->is_done = true;
	else if (f->kind == 'X')
		eval_error_read(f->payload, f->len, &r->verdict->check.error);
}

/* The asserting code has ended: so may the snippet. */
static void check_left(struct relay *r)
{
	if (!r->snippet.is_gone)
		shutdown(r->snippet.fd, SHUT_WR);
	enter(r, LEAVING, LEAVE_MS);
}

static void snippet_left(struct relay *r)
{
	r->snippet.is_gone = true;
	(void)epoll_ctl(r->epoll, EPOLL_CTL_DEL, r->snippet.fd, NULL);
	if (r->has_question)
		answer_gone(r);
}

/* 0: go on; above 0: the snippet's container ends, as that. */
static int time_is_up(struct relay *r)
{
	uint64_t ticks;

	if (read(r->timer, &ticks, sizeof(ticks)) != sizeof(ticks))
		return 0;
	if (r->state == CALLING) {
		enter(r, ENDING, KILL_MS);
		put(r, &r->snippet, 'K', r->number, NULL);
		return 0;
	}
	/* The asserting code takes its time: it has a clock of its own. */
	if (r->state == IDLE)
		return 0;
	return RUN_TIMEOUT;
}

static int relay_handle(void *ctx)
{
	struct relay *r = ctx;
	struct frame f;
	int n, code = 0;

	if (!r->snippet.is_gone) {
		n = frame_fill(&r->snippet.in, r->snippet.fd, NULL);
		while (!code && frame_next(&r->snippet.in, &f, NULL) > 0)
			code = from_snippet(r, &f);
		if (frame_next(&r->snippet.in, &f, NULL) < 0)
			code = RUN_KILLED;
		if (n == 0 || (n < 0 && n != -EAGAIN))
			snippet_left(r);
	}
	if (!r->check.is_gone) {
		n = frame_fill(&r->check.in, r->check.fd, NULL);
		while (frame_next(&r->check.in, &f, NULL) > 0)
			from_check(r, &f);
		if (n == 0 || (n < 0 && n != -EAGAIN)) {
			r->check.is_gone = true;
			(void)epoll_ctl(r->epoll, EPOLL_CTL_DEL, r->check.fd, NULL);
			check_left(r);
		}
	}
	if (!r->snippet.is_gone)
		peer_flush(r, &r->snippet);
	if (!r->check.is_gone)
		peer_flush(r, &r->check);
	return code ? code : time_is_up(r);
}

/* --- both containers -----------------------------------------------------------------------------
 */

static int relay_open(struct relay *r, int far[2], struct err *e)
{
	struct epoll_event ev = {.events = EPOLLIN};
	int a[2], b[2] = {-1, -1};

	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	r->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (r->epoll < 0 || r->timer < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, a) < 0)
		return err_sys(e, "channel");
	r->snippet.fd = a[0];
	far[0] = a[1];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, b) < 0)
		return err_sys(e, "channel");
	r->check.fd = b[0];
	far[1] = b[1];
	if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, a[0], &ev) < 0 ||
	    epoll_ctl(r->epoll, EPOLL_CTL_ADD, b[0], &ev) < 0 ||
	    epoll_ctl(r->epoll, EPOLL_CTL_ADD, r->timer, &ev) < 0)
		return err_sys(e, "channel");
	enter(r, LOADING, r->step_ms);
	return 0;
}

static void peer_close(struct peer *p)
{
	fd_close(&p->fd);
	frame_buffer_free(&p->in);
	strbuf_free(&p->out);
}

static void relay_close(struct relay *r)
{
	peer_close(&r->snippet);
	peer_close(&r->check);
	strbuf_free(&r->question);
	fd_close(&r->timer);
	fd_close(&r->epoll);
}

/* In the worker: its end says whether it passed, its result object goes into `out`. */
static void run_checker(const struct eval_box *box, const struct eval_job *job, int far, int text,
			int out)
{
	struct strv argv = STRV_INIT;
	const struct file_spec file = {.path = (char *)CHECK_PATH + 1,
				       .data = (char *)strbuf_str(&job->check),
				       .len = job->check.len,
				       .is_users = true};
	const int fds[] = {far, text};
	struct container_spec spec = *box->spec;
	const struct eval_box own = {box->paths, &spec};
	const struct eval_start start = {
		.argv = &argv,
		.files = &file,
		.n_files = 1,
		.keep_fds = fds,
		.n_keep_fds = 2,
		.timeout_ms = box->spec->limits.timeout_ms * BACKSTOP,
	};
	struct strbuf object = STRBUF_INIT;
	struct eval_ended x;

	spec.capture_output = true;
	spec.proc.close_stdin = true;
	eval_harness_argv(&argv);
	strv_add(&argv, CHECK_PATH);
	if (job->function)
		strv_add(&argv, job->function);
	eval_start(&own, &start, &x);
	(void)result_json(&x.spec, &x.result, true, &object, NULL);
	(void)io_write_all(out, strbuf_str(&object), object.len, NULL);
	_exit(x.result.status != RUN_EXITED || x.result.exit_code);
}

static pid_t start_checker(const struct eval_box *box, const struct eval_job *job,
			   const struct relay *r, int far[2], int out, struct err *e)
{
	static const char *const harness[] = {"literal.py", "check.py", NULL};
	_close_ int text = eval_harness_fd(box->paths, harness, e);
	pid_t pid;

	if (text < 0)
		return text;
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid)
		return pid;
	/* Ends that it holds as well would never be seen to close. */
	close(far[0]);
	close(r->snippet.fd);
	close(r->check.fd);
	run_checker(box, job, far[1], text, out);
	_exit(1);
}

static void run_snippet(const struct eval_box *box, const struct eval_job *job, struct relay *r,
			int far, int text, struct eval_ended *ret)
{
	_strv_ struct strv argv = STRV_INIT;
	const struct container_channel listen = {.fd = r->epoll, .handle = relay_handle, .ctx = r};
	const int fds[] = {far, text};
	struct file_spec files[2];
	const struct eval_start start = {
		.argv = &argv,
		.files = files,
		.n_files = eval_job_files(job, files, &argv),
		.keep_fds = fds,
		.n_keep_fds = 2,
		.channel = &listen,
	};

	eval_start(box, &start, ret);
	ret->spec.limits.timeout_ms = box->spec->limits.timeout_ms;
}

/* The snippet is gone; the asserting code is told so, and has its backstop. */
static void see_off(struct relay *r)
{
	if (!r->snippet.is_gone)
		(void)relay_handle(r);
	if (!r->snippet.is_gone)
		snippet_left(r);
	while (!r->check.is_gone) {
		struct pollfd p = {.fd = r->epoll, .events = POLLIN};

		(void)poll(&p, 1, -1);
		(void)relay_handle(r);
	}
}

static void take_result(struct eval_check *c, pid_t pid, int out, bool is_done)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	c->passed = is_done && status == 0;
	if (lseek(out, 0, SEEK_SET) == 0 && io_read_all(out, RESULT_BYTES_MAX, &text, NULL) >= 0 &&
	    text.len > 1) {
		text.data[--text.len] = 0; /* the newline: a record of a batch is one line */
		c->result = strbuf_take(&text);
	}
}

static int run_both(const struct eval_box *box, struct eval_job *job, struct relay *r, int far[2],
		    struct eval_verdict *v, struct err *e)
{
	static const char *const harness[] = {"literal.py", "cases.py", NULL};
	_close_ int out = memfd_create("csbx-result", MFD_CLOEXEC);
	_close_ int text = eval_harness_fd(box->paths, harness, e);
	pid_t pid;

	if (text < 0)
		return text;
	if (out < 0)
		return err_sys(e, "memfd_create");
	pid = start_checker(box, job, r, far, out, e);
	if (pid < 0)
		return pid;
	fd_close(&far[1]);
	run_snippet(box, job, r, far[0], text, &v->ended);
	fd_close(&far[0]);
	see_off(r);
	take_result(&v->check, pid, out, r->is_done);
	return 0;
}

int eval_run_check(const struct eval_box *box, struct eval_job *job, struct eval_verdict *v,
		   struct err *e)
{
	struct relay r = {
		.snippet = {.fd = -1},
		.check = {.fd = -1},
		.timer = -1,
		.epoll = -1,
		.verdict = v,
		.step_ms = box->spec->limits.timeout_ms ? box->spec->limits.timeout_ms : UINT32_MAX,
	};
	int far[2] = {-1, -1};
	int ret = relay_open(&r, far, e);

	v->completed = 0;
	v->check.is_there = true;
	if (ret >= 0)
		ret = run_both(box, job, &r, far, v, e);
	fd_close(&far[0]);
	fd_close(&far[1]);
	relay_close(&r);
	return ret;
}
