/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The relay between the two containers of a check carries values: each is read as a
 * literal, and what is passed on is written anew from what was read, so nothing reaches the
 * asserting code but values of these kinds. One call is under way at a time.
 *
 *	asserting code  Q [function, args, kwargs]  ->  C to the snippet
 *	snippet		A, then E		    ->  A ["R", value, ...] or ["E", type, base, message, ...]
 *
 * Without args and kwargs the question is what stands under a name. Lists, dicts, sets and made values are numbered in the order in
 * which they begin (literal.c), so that what is passed on begins with as many of them as what came.
 *
 * The answer has the number of the question. A call that is not done in time is ended; that, and
 * all else that is no answer of the snippet's, is ["F", message]: asserting code may expect
 * exceptions of the snippet, and this is none.
 */
#include "cmd/judge/check_relay.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "cmd/judge/judge.h"
#include "cmd/judge/value/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define KILL_MS 1000u
#define LEAVE_MS 2000u

static void enter(struct check_relay *r, enum check_state state, uint64_t ms)
{
	r->state = state;
	peer_clock_set(&r->watch, ms);
}

/*
 * --- to the asserting code -----------------------------------------------------------------------
 */

static const struct value no_value = {.kind = VALUE_NONE};

static struct value text_value(const char *s)
{
	return (struct value){.kind = VALUE_STR, .n = strlen(s), .text = s};
}

static void answer(struct check_relay *r, const struct value *items, size_t n)
{
	const struct value list = {.kind = VALUE_LIST, .n = n, .items = (struct value *)items};
	_strbuf_ struct strbuf payload = STRBUF_INIT;

	value_write_literal(&list, &payload);
	peer_send(&r->check, &r->watch, 'A', r->asked, &payload);
	r->has_question = false;
}

static void answer_failed(struct check_relay *r, const char *message)
{
	const struct value items[] = {text_value("F"), text_value(message)};

	answer(r, items, 2);
}

static void answer_gone(struct check_relay *r)
{
	const struct eval_error *x = &r->verdict->error;
	_free_ char *why = x->type ? str_printf("the snippet did not load: %s: %s", x->type,
						x->message ? x->message : "")
				   : str_printf("the snippet's program has ended");

	answer_failed(r, why ? why : "");
}

/* ["R", type, value, None, whether it was awaited] */
static void answer_returned(struct check_relay *r, const struct value *x, size_t n)
{
	const struct value items[] = {x[0], x[2], n > 4 ? x[4] : no_value};

	answer(r, items, 3);
}

/* ["E", type, base, message, line, None, what it is, whether it was awaited] */
static void answer_raised(struct check_relay *r, const struct value *x, size_t n)
{
	const struct value items[] = {
		x[0], x[1], x[2], x[3], n > 6 ? x[6] : no_value, n > 7 ? x[7] : no_value,
	};

	answer(r, items, 6);
}

static void answer_from(struct check_relay *r, const struct value *v)
{
	const struct value *x = v->items;
	bool is_list = v->kind == VALUE_LIST && v->n >= 4 && x[0].kind == VALUE_STR &&
		       x[1].kind == VALUE_STR;
	bool is_missing = is_list && value_is_text(&x[0], "U") && x[3].kind == VALUE_STR;

	/* Asking for what is not there is no call, and no answer that asking code may expect. */
	r->was_called |= !is_missing && !r->is_about_name;
	if (is_list && value_is_text(&x[0], "R"))
		answer_returned(r, x, v->n);
	else if (is_missing)
		answer_failed(r, x[3].text);
	else if (is_list && x[2].kind == VALUE_STR && value_is_text(&x[0], "T"))
		answer_failed(r, x[2].text);
	else if (is_list && x[2].kind == VALUE_STR && x[3].kind == VALUE_STR)
		answer_raised(r, x, v->n);
	else
		answer_failed(r, "the snippet answered with garbage");
}

/*
 * --- to the snippet ------------------------------------------------------------------------------
 */

static void ask(struct check_relay *r)
{
	r->has_answer = false;
	if (getrandom(&r->number, sizeof(r->number), 0) != sizeof(r->number))
		r->number++;
	enter(r, CHECK_CALLING, r->step_ms);
	if (r->is_about_all)
		peer_send(&r->snippet, &r->watch, 'N', r->number, NULL);
	else
		peer_send(&r->snippet, &r->watch, 'C', r->number, &r->question);
}

/* A call, or what stands under a name. */
static bool is_question(struct check_relay *r, const struct value *v)
{
	if (v->kind != VALUE_LIST || v->n != 3 || v->items[0].kind != VALUE_STR)
		return false;
	r->is_about_name = v->items[1].kind == VALUE_NONE && v->items[2].kind == VALUE_NONE;
	r->is_about_all = r->is_about_name && !v->items[0].n;
	r->was_asked |= !r->is_about_all; /* which each import asks */
	return r->is_about_name ||
	       (v->items[1].kind == VALUE_LIST && v->items[2].kind == VALUE_DICT);
}

/* Asking code is trusted to be well-formed, not to be right: a wrong question is an error there. */
static void asked(struct check_relay *r, const struct harness_frame *f)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	struct value v, items[4];
	struct value list = {.kind = VALUE_LIST, .n = 4, .items = items};

	r->has_question = true;
	r->asked = f->number;
	if (value_read_literal(&pool, f->payload, f->len, &v, NULL) < 0 || !is_question(r, &v)) {
		r->was_asked = true;
		answer_failed(r, "the arguments cannot be told");
		return;
	}
	memcpy(items, v.items, 3 * sizeof(*items));
	items[3] = no_value;
	strbuf_reset(&r->question);
	value_write_call(&list, &r->question);
	if (r->snippet_is_gone || r->state == CHECK_LEAVING)
		answer_gone(r);
	else if (r->state == CHECK_IDLE)
		ask(r);
}

static void idle(struct check_relay *r)
{
	enter(r, CHECK_IDLE, r->step_ms);
	if (r->has_question)
		ask(r);
}

static void fork_ended(struct check_relay *r)
{
	r->was_called |= !r->has_answer && !r->is_about_name;
	if (!r->has_answer)
		answer_failed(r, r->state == CHECK_ENDING ? "the call was not done in time"
							  : "the call ended without returning");
	idle(r);
}

static int from_snippet(struct check_relay *r, const struct harness_frame *f)
{
	bool is_ours =
		(r->state == CHECK_CALLING || r->state == CHECK_ENDING) && f->number == r->number;

	if (r->state == CHECK_LOADING && f->kind == 'L') {
		r->verdict->completed = 1;
		if (r->check_is_gone)
			enter(r, CHECK_LEAVING, LEAVE_MS);
		else
			idle(r);
	} else if (r->state == CHECK_LOADING && f->kind == 'X') {
		eval_error_read(f->payload, f->len, &r->verdict->error);
		enter(r, CHECK_LEAVING, LEAVE_MS);
		if (r->has_question)
			answer_gone(r);
	} else if (is_ours && f->kind == 'A' && !r->has_answer && r->state == CHECK_CALLING) {
		_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
		struct value v = {.kind = VALUE_NONE};

		if (value_read_literal(&pool, f->payload, f->len, &v, NULL) < 0)
			v.kind = VALUE_NONE;
		r->has_answer = true;
		answer_from(r, &v);
	} else if (is_ours && f->kind == 'E') {
		fork_ended(r);
	} else if (peer_strayed(&r->snippet, f)) {
		return RUN_KILLED;
	}
	return 0;
}

/* [why] */
static char *read_unfit(const struct harness_frame *f)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	struct value v;

	if (value_read_literal(&pool, f->payload, f->len, &v, NULL) < 0 || v.kind != VALUE_LIST ||
	    v.n != 1 || v.items[0].kind != VALUE_STR)
		return NULL;
	return str_printf("%.300s", v.items[0].text);
}

static void from_check(struct check_relay *r, const struct harness_frame *f)
{
	if (f->kind == 'Q')
		asked(r, f);
	else if (f->kind == 'D')
		r->is_done = true;
	else if (f->kind == 'X')
		eval_error_read(f->payload, f->len, &r->verdict->check.error);
	else if (f->kind == 'B' && !r->unfit)
		r->unfit = read_unfit(f);
}

/*
 * The asserting code has ended: so may the snippet, once it has loaded. Asserting code that asks
 * nothing does not wait for that, and still a snippet that does not load fails the verdict.
 */
static void check_left(struct check_relay *r)
{
	if (!r->snippet_is_gone)
		shutdown(r->snippet.fd, SHUT_WR);
	if (r->state != CHECK_LOADING)
		enter(r, CHECK_LEAVING, LEAVE_MS);
}

static void snippet_left(struct check_relay *r)
{
	r->snippet_is_gone = true;
	peer_unwatch(&r->snippet, &r->watch);
	if (r->has_question)
		answer_gone(r);
}

/* 0: go on; above 0: the snippet's container ends, as that. */
static int time_is_up(struct check_relay *r)
{
	if (!peer_clock_rang(&r->watch))
		return 0;
	if (r->state == CHECK_CALLING) {
		enter(r, CHECK_ENDING, KILL_MS);
		peer_send(&r->snippet, &r->watch, 'K', r->number, NULL);
		return 0;
	}
	/* The asserting code takes its time: it has a clock of its own. */
	if (r->state == CHECK_IDLE)
		return 0;
	return RUN_TIMEOUT;
}

int check_relay_handle(void *ctx)
{
	struct check_relay *r = ctx;
	struct harness_frame f;
	int n, code = 0;

	if (!r->snippet_is_gone) {
		n = harness_frame_fill(&r->snippet.in, r->snippet.fd, NULL);
		while (!code && harness_frame_next(&r->snippet.in, &f, NULL) > 0)
			code = from_snippet(r, &f);
		if (harness_frame_next(&r->snippet.in, &f, NULL) < 0)
			code = RUN_KILLED;
		if (n == 0 || (n < 0 && n != -EAGAIN))
			snippet_left(r);
	}
	if (!r->check_is_gone) {
		n = harness_frame_fill(&r->check.in, r->check.fd, NULL);
		while (harness_frame_next(&r->check.in, &f, NULL) > 0)
			from_check(r, &f);
		if (n == 0 || (n < 0 && n != -EAGAIN)) {
			r->check_is_gone = true;
			peer_unwatch(&r->check, &r->watch);
			check_left(r);
		}
	}
	if (!r->snippet_is_gone)
		peer_flush(&r->snippet, &r->watch);
	if (!r->check_is_gone)
		peer_flush(&r->check, &r->watch);
	return code ? code : time_is_up(r);
}

/*
 * --- its life ------------------------------------------------------------------------------------
 */

int check_relay_open(struct check_relay *r, struct eval_verdict *v, uint64_t step_ms, int far[2],
		     struct err *e)
{
	int ret;

	*r = (struct check_relay){
		.watch = PEER_WATCH_INIT,
		.snippet = PEER_INIT,
		.check = PEER_INIT,
		.verdict = v,
		.step_ms = step_ms,
	};
	ret = peer_watch_open(&r->watch, e);
	if (ret >= 0)
		ret = peer_open(&r->snippet, &r->watch, &far[0], e);
	if (ret >= 0)
		ret = peer_open(&r->check, &r->watch, &far[1], e);
	if (ret >= 0)
		enter(r, CHECK_LOADING, r->step_ms);
	return ret;
}

void check_relay_close(struct check_relay *r)
{
	peer_close(&r->snippet);
	peer_close(&r->check);
	strbuf_free(&r->question);
	free(r->unfit);
	peer_watch_close(&r->watch);
}

void check_relay_see_off(struct check_relay *r)
{
	if (!r->snippet_is_gone)
		(void)check_relay_handle(r);
	if (!r->snippet_is_gone)
		snippet_left(r);
	while (!r->check_is_gone) {
		struct pollfd p = {.fd = r->watch.epoll, .events = POLLIN};

		(void)poll(&p, 1, -1);
		(void)check_relay_handle(r);
	}
}
