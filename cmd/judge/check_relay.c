/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The relay between the two containers of a check carries values: each is read as a
 * literal, and what is passed on is written anew from what was read, so nothing reaches the
 * asserting code but values of these kinds. One call is under way at a time; others wait. Each
 * process of the asserting code that calls has a channel of its own, which it sends the other end
 * of: no process reads the answer of another, and what one leaves half done ends with it.
 *
 *	asserting code  Q [function, args, kwargs]  ->  C to the snippet
 *	snippet		A, then E		    ->  A ["R", value, ...] or ["E", type, base, message, ...]
 *
 * An answer may end with what the call did to its arguments, which the asserting code then has as well: where it
 * returned None, or where that was asked for (--in-place). Else a snippet could empty a list that it is to sort.
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
/* Of the answer that tells the snippet's names: none has as many, and the asserting code has to have room for it. */
#define NAMES_BYTES_MAX (256u << 10)

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

static void answer_to(struct check_relay *r, struct check_asker *to, const struct value *items,
		      size_t n)
{
	const struct value list = {.kind = VALUE_LIST, .n = n, .items = (struct value *)items};
	_strbuf_ struct strbuf payload = STRBUF_INIT;

	value_write_literal(&list, &payload);
	peer_send(&to->peer, &r->watch, 'A', to->asked, &payload);
	to->has_question = false;
	if (to == r->served)
		r->served = NULL;
}

static void answer_failed_to(struct check_relay *r, struct check_asker *to, const char *message)
{
	const struct value items[] = {text_value("F"), text_value(message)};

	answer_to(r, to, items, 2);
}

/* To the one that waits for it, where it does. */
static void answer(struct check_relay *r, const struct value *items, size_t n)
{
	if (r->served)
		answer_to(r, r->served, items, n);
}

static void answer_failed(struct check_relay *r, const char *message)
{
	if (r->served)
		answer_failed_to(r, r->served, message);
}

static void answer_gone(struct check_relay *r, struct check_asker *to)
{
	const struct eval_error *x = &r->verdict->error;
	_free_ char *why = x->type ? str_printf("the snippet did not load: %s: %s", x->type,
						x->message ? x->message : "")
				   : str_printf("the snippet's program has ended");

	answer_failed_to(r, to, why ? why : "");
}

static void answer_all_gone(struct check_relay *r)
{
	for (size_t i = 0; i < r->n_askers; i++) {
		if (r->askers[i]->has_question)
			answer_gone(r, r->askers[i]);
	}
}

/* What it did to its arguments is one that may say so. */
static bool may_change(const struct check_relay *r, const struct value *value,
		       const struct value *changes)
{
	bool is_none = value && value->kind == VALUE_NONE;

	return changes->kind == VALUE_LIST && !r->is_about_name && (r->is_in_place || is_none);
}

static void answer_garbage(struct check_relay *r)
{
	answer_failed(r, "the snippet answered with garbage");
}

/* ["R", type, value, None, whether it was awaited, what it did to its arguments] */
static void answer_returned(struct check_relay *r, const struct value *x, size_t n)
{
	const struct value items[] = {
		x[0],
		x[2],
		n > 4 ? x[4] : no_value,
		n > 5 ? x[5] : no_value,
	};

	if (n > 5 && !may_change(r, &x[2], &x[5]))
		answer_garbage(r);
	else
		answer(r, items, n > 5 ? 4 : 3);
}

/* ["E", type, base, message, line, None, what it is, whether it was awaited, what it did to its arguments] */
static void answer_raised(struct check_relay *r, const struct value *x, size_t n)
{
	const struct value items[] = {
		x[0],
		x[1],
		x[2],
		x[3],
		n > 6 ? x[6] : no_value,
		n > 7 ? x[7] : no_value,
		n > 8 ? x[8] : no_value,
	};

	if (n > 8 && !may_change(r, NULL, &x[8]))
		answer_garbage(r);
	else
		answer(r, items, n > 8 ? 7 : 6);
}

/* ret: of reading it. */
static void answer_from(struct check_relay *r, const struct value *v, int ret)
{
	const struct value *x = v->items;
	bool is_list = v->kind == VALUE_LIST && v->n >= 4 && x[0].kind == VALUE_STR &&
		       x[1].kind == VALUE_STR;
	bool is_missing = is_list && value_is_text(&x[0], "U") && x[3].kind == VALUE_STR;

	/* Asking for what is not there is no call, and no answer that asking code may expect. */
	r->was_called |= !is_missing && (!r->is_about_name || r->is_about_attribute);
	if (is_list && value_is_text(&x[0], "R"))
		answer_returned(r, x, v->n);
	else if (is_missing)
		answer_failed(r, x[3].text);
	else if (is_list && x[2].kind == VALUE_STR && value_is_text(&x[0], "T"))
		answer_failed(r, x[2].text);
	else if (is_list && x[2].kind == VALUE_STR && x[3].kind == VALUE_STR)
		answer_raised(r, x, v->n);
	else if (ret == -E2BIG)
		answer_failed(r, "what it returned has more than a million values");
	else
		answer_garbage(r);
}

/*
 * --- to the snippet ------------------------------------------------------------------------------
 */

/* Without the snippet. A call is done by a fork, so these are its names as long as it lasts. */
static bool answer_with_names(struct check_relay *r, struct check_asker *a)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	struct value v = {.kind = VALUE_NONE};
	int ret;

	if (!a->is_about_all || !r->names.len)
		return false;
	ret = value_read_literal(&pool, r->names.data, r->names.len, &v, NULL);
	if (ret < 0)
		v.kind = VALUE_NONE;
	r->served = a;
	r->is_about_name = true;
	r->is_about_attribute = false;
	answer_from(r, &v, ret);
	return true;
}

static void ask(struct check_relay *r, struct check_asker *a)
{
	r->has_answer = false;
	r->is_call_open = true;
	r->served = a;
	if (getrandom(&r->number, sizeof(r->number), 0) != sizeof(r->number))
		r->number++;
	r->is_about_name = a->is_about_name;
	r->is_about_attribute = a->is_about_attribute;
	r->is_about_all = a->is_about_all;
	enter(r, CHECK_CALLING, refusal_try_ms(&r->refusal, r->step_ms));
	if (a->is_about_all)
		peer_send(&r->snippet, &r->watch, 'N', r->number, NULL);
	else
		peer_send(&r->snippet, &r->watch, 'C', r->number, &a->question);
}

/* The call is not wanted any more: its fork may end. */
static void end_call(struct check_relay *r)
{
	enter(r, CHECK_ENDING, KILL_MS);
	peer_send(&r->snippet, &r->watch, 'K', r->number, NULL);
}

/* What the asker had asked before is not waited for any more. */
static void drop_question(struct check_relay *r, struct check_asker *a)
{
	a->has_question = false;
	if (a != r->served)
		return;
	r->served = NULL;
	if (r->state == CHECK_CALLING && !r->has_answer && !r->snippet_is_gone)
		end_call(r);
}

/* A call, or what stands under a name. */
static bool is_question(struct check_relay *r, struct check_asker *a, const struct value *v)
{
	if (v->kind != VALUE_LIST || v->n != 3 || v->items[0].kind != VALUE_STR)
		return false;
	a->is_about_name = v->items[1].kind == VALUE_NONE && v->items[2].kind == VALUE_NONE;
	a->is_about_all = a->is_about_name && !v->items[0].n;
	a->is_about_attribute = a->is_about_name && strchr(v->items[0].text, '.');
	r->was_asked = true;
	return a->is_about_name ||
	       (v->items[1].kind == VALUE_LIST && v->items[2].kind == VALUE_DICT);
}

/* Asking code is trusted to be well-formed, not to be right: a wrong question is an error there. */
static void asked(struct check_relay *r, struct check_asker *a, const struct harness_frame *f)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	struct value v, items[4];
	struct value list = {.kind = VALUE_LIST, .n = 4, .items = items};
	int ret;

	drop_question(r, a);
	a->has_question = true;
	a->is_about_name = a->is_about_all = a->is_about_attribute = false;
	a->asked = f->number;
	a->turn = r->turns++;
	ret = value_read_literal(&pool, f->payload, f->len, &v, NULL);
	if (ret < 0 || !is_question(r, a, &v)) {
		r->was_asked = true;
		answer_failed_to(r, a,
				 ret == -E2BIG ? "the arguments have more than a million values"
					       : "the arguments cannot be told");
		return;
	}
	memcpy(items, v.items, 3 * sizeof(*items));
	items[3] = r->is_in_place ? text_value("in_place") : no_value;
	strbuf_reset(&a->question);
	value_write_call(&list, &a->question);
	if (r->snippet_is_gone || r->state == CHECK_LEAVING)
		answer_gone(r, a);
	else if (r->state == CHECK_IDLE && !answer_with_names(r, a))
		ask(r, a);
}

static struct check_asker *first_asker(const struct check_relay *r)
{
	struct check_asker *first = NULL;

	for (size_t i = 0; i < r->n_askers; i++) {
		struct check_asker *a = r->askers[i];

		if (a->has_question && (!first || a->turn < first->turn))
			first = a;
	}
	return first;
}

static void idle(struct check_relay *r)
{
	struct check_asker *next;

	enter(r, CHECK_IDLE, r->step_ms);
	r->refusal = (struct refusal){0};
	while ((next = first_asker(r)) && answer_with_names(r, next))
		;
	if (next)
		ask(r, next);
}

/* No process was made for the call; above 0: the snippet's container ends, as that. */
static int refused(struct check_relay *r)
{
	if (refusal_may_pass(&r->refusal, r->step_ms)) {
		enter(r, CHECK_WAITING, REFUSAL_PAUSE_MS);
	} else if (r->refusal.is_hosts) {
		r->is_refused = true;
		return RUN_KILLED;
	} else {
		r->was_called = true;
		answer_failed(r, "the call " REFUSAL_WORDS);
		idle(r);
	}
	return 0;
}

static void fork_ended(struct check_relay *r)
{
	r->is_call_open = false;
	r->was_called |= !r->has_answer && !r->is_about_name;
	if (!r->has_answer)
		answer_failed(r, r->state == CHECK_ENDING ? "the call was not done in time"
							  : "the call ended without returning");
	idle(r);
}

static bool is_check_gone(const struct check_relay *r)
{
	for (size_t i = 0; i < r->n_askers; i++) {
		if (!r->askers[i]->is_gone)
			return false;
	}
	return true;
}

static int from_snippet(struct check_relay *r, const struct harness_frame *f)
{
	bool is_ours =
		(r->state == CHECK_CALLING || r->state == CHECK_ENDING) && f->number == r->number;

	if (r->state == CHECK_LOADING && f->kind == 'L') {
		r->verdict->completed = 1;
		if (f->len <= NAMES_BYTES_MAX)
			strbuf_add(&r->names, f->payload, f->len);
		if (is_check_gone(r))
			enter(r, CHECK_LEAVING, LEAVE_MS);
		else
			idle(r);
	} else if (r->state == CHECK_LOADING && f->kind == 'X') {
		eval_error_read(f->payload, f->len, &r->verdict->error);
		enter(r, CHECK_LEAVING, LEAVE_MS);
		answer_all_gone(r);
	} else if (is_ours && f->kind == 'A' && !r->has_answer && r->state == CHECK_CALLING) {
		_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
		struct value v = {.kind = VALUE_NONE};
		bool is_too_long = r->is_about_all && f->len > NAMES_BYTES_MAX;
		int ret = is_too_long ? -EINVAL
				      : value_read_literal(&pool, f->payload, f->len, &v, NULL);

		if (ret < 0)
			v.kind = VALUE_NONE;
		r->has_answer = true;
		answer_from(r, &v, ret);
	} else if (is_ours && f->kind == 'E') {
		fork_ended(r);
	} else if (is_ours && f->kind == 'P' && !r->has_answer) {
		if (r->state == CHECK_CALLING)
			return refused(r);
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

static void from_check(struct check_relay *r, struct check_asker *a, const struct harness_frame *f)
{
	if (f->kind == 'Q')
		asked(r, a, f);
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
	answer_all_gone(r);
}

/* 0: go on; above 0: the snippet's container ends, as that. */
static int time_is_up(struct check_relay *r)
{
	if (!peer_clock_rang(&r->watch))
		return 0;
	if (r->state == CHECK_CALLING) {
		end_call(r);
		return 0;
	}
	if (r->state == CHECK_WAITING && r->served)
		ask(r, r->served);
	else if (r->state == CHECK_WAITING)
		idle(r);
	if (r->state == CHECK_CALLING)
		return 0;
	/* The asserting code takes its time: it has a clock of its own. */
	if (r->state == CHECK_IDLE)
		return 0;
	return RUN_TIMEOUT;
}

/* fd: its end of the channel; -1: that of one to be made, whose other end *far becomes. */
static int add_asker(struct check_relay *r, int fd, int *far, struct err *e)
{
	struct check_asker **p, *a = calloc(1, sizeof(*a));
	int ret;

	p = a ? reallocarray(r->askers, r->n_askers + 1, sizeof(struct check_asker *)) : NULL;
	if (!p) {
		free(a);
		fd_close(&fd);
		return err_oom(e);
	}
	r->askers = p;
	p[r->n_askers++] = a;
	ret = fd >= 0 ? peer_take(&a->peer, &r->watch, fd, e)
		      : peer_open(&a->peer, &r->watch, far, e);
	a->is_gone = ret < 0;
	return ret;
}

static void free_asker(struct check_asker *a)
{
	peer_close(&a->peer);
	strbuf_free(&a->question);
	free(a);
}

/* Those of processes that have ended; the first stays. */
static void forget_gone(struct check_relay *r)
{
	size_t n = 1;

	for (size_t i = 1; i < r->n_askers; i++) {
		if (r->askers[i]->is_gone)
			free_asker(r->askers[i]);
		else
			r->askers[n++] = r->askers[i];
	}
	r->n_askers = n;
}

/* One that is added meanwhile has its turn when it is readable. */
static void hear(struct check_relay *r, struct check_asker *a)
{
	struct harness_frame f;
	int n, got = -1;

	n = harness_frame_fill_with(&a->peer.in, a->peer.fd, &got, NULL);
	if (got >= 0)
		(void)add_asker(r, got, NULL, NULL);
	while (harness_frame_next(&a->peer.in, &f, NULL) > 0)
		from_check(r, a, &f);
	if (n == 0 || (n < 0 && n != -EAGAIN)) {
		a->is_gone = true;
		peer_unwatch(&a->peer, &r->watch);
		drop_question(r, a);
	} else {
		peer_flush(&a->peer, &r->watch);
	}
}

int check_relay_handle(void *ctx)
{
	struct check_relay *r = ctx;
	bool had_left = is_check_gone(r);
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
	for (size_t i = 0; i < r->n_askers; i++) {
		if (!r->askers[i]->is_gone)
			hear(r, r->askers[i]);
	}
	forget_gone(r);
	if (!had_left && is_check_gone(r))
		check_left(r);
	if (!r->snippet_is_gone)
		peer_flush(&r->snippet, &r->watch);
	return code ? code : time_is_up(r);
}

/*
 * --- its life ------------------------------------------------------------------------------------
 */

int check_relay_open(struct check_relay *r, struct eval_verdict *v, uint64_t step_ms,
		     bool wants_names, int far[2], struct err *e)
{
	int ret;

	*r = (struct check_relay){
		.watch = PEER_WATCH_INIT,
		.snippet = PEER_INIT,
		.verdict = v,
		.step_ms = step_ms,
	};
	ret = peer_watch_open(&r->watch, e);
	if (ret >= 0)
		ret = peer_open(&r->snippet, &r->watch, &far[0], e);
	if (ret >= 0)
		ret = add_asker(r, -1, &far[1], e);
	if (ret >= 0)
		enter(r, CHECK_LOADING, r->step_ms);
	if (ret >= 0 && wants_names)
		peer_send(&r->snippet, &r->watch, 'N', 0, NULL);
	return ret;
}

void check_relay_close(struct check_relay *r)
{
	peer_close(&r->snippet);
	for (size_t i = 0; i < r->n_askers; i++)
		free_asker(r->askers[i]);
	free(r->askers);
	strbuf_free(&r->names);
	free(r->unfit);
	peer_watch_close(&r->watch);
}

void check_relay_see_off(struct check_relay *r)
{
	if (!r->snippet_is_gone)
		(void)check_relay_handle(r);
	if (!r->snippet_is_gone)
		snippet_left(r);
	while (!is_check_gone(r)) {
		struct pollfd p = {.fd = r->watch.epoll, .events = POLLIN};

		(void)poll(&p, 1, -1);
		(void)check_relay_handle(r);
	}
}
