/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_CHECK_RELAY_H
#define CSBX_CMD_EVAL_CHECK_RELAY_H

/*
 * Passes messages between the asserting code of --check and the snippet, each in a container of its
 * own: calls one way, values the other (cmd/harness/PROTOCOL.md).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/judge/peer.h"
#include "runtime/base/str.h"

struct err;
struct eval_verdict;

enum check_state {
	CHECK_LOADING, /* the snippet */
	CHECK_IDLE,    /* nothing is asked of the snippet */
	CHECK_WAITING, /* the kernel refused a process for the call (peer.h), which is put again */
	CHECK_CALLING,
	CHECK_ENDING, /* the call took too long, its fork is killed */
	CHECK_LEAVING,
};

/* A process of the asserting code, at the other end of a channel of its own. */
struct check_asker {
	struct peer peer;
	bool is_gone;
	bool has_question;       /* it waits for an answer */
	bool is_about_name;      /* and calls nothing */
	bool is_about_all;       /* but asks which names there are */
	bool is_about_attribute; /* but asks what a function or class has */
	uint64_t asked, turn;    /* the number of the question, and when it came */
	struct strbuf question;  /* as the snippet is asked it */
};

struct check_relay {
	struct peer_watch watch; /* readable when check_relay_handle() has something to do */
	struct peer snippet;
	bool snippet_is_gone;
	struct check_asker **askers; /* the first is the process that csbx started */
	size_t n_askers;
	struct check_asker
		*served; /* whose question the snippet is at; NULL: no process waits for it */
	enum check_state state;
	uint64_t number, step_ms, turns;
	bool is_in_place;    /* each call gives its arguments back, else those that return None */
	struct strbuf names; /* the answer to who asks for them all; empty: the snippet is asked */
	bool has_answer;
	bool is_call_open; /* its fork has not been heard to end */
	struct refusal refusal;
	bool is_refused;    /* and that is the host's fault: there is no verdict */
	bool is_about_name; /* the question that is served: it calls nothing */
	bool is_about_attribute;
	bool is_about_all;
	bool was_asked; /* anything, which names there are included: what the asserting code does may be by the snippet */
	bool was_called; /* a function that the snippet has was called, once at least */
	char *unfit;     /* why the asserting code cannot be run, as it says; NULL: it can */
	bool is_done;    /* the asserting code said that it has passed */
	struct eval_verdict *verdict;
};

/*
 * v takes what the snippet and the asserting code say of themselves. step_ms: for loading and for
 * each call. wants_names: the asserting code will ask which names the snippet has, so the snippet
 * tells them as it is loaded. far: the containers' ends, of the snippet and of the asserting code; the caller's. On
 * failure too, check_relay_close() and closing what is not -1 in far is the caller's.
 */
int check_relay_open(struct check_relay *r, struct eval_verdict *v, uint64_t step_ms,
		     bool wants_names, int far[2], struct err *e);
/*
 * 0: go on; above 0: the snippet's container ends, as that (container.h, struct container_channel).
 */
int check_relay_handle(void *relay);
/* The snippet's container is gone: the asserting code is told so; returns when it has gone too. */
void check_relay_see_off(struct check_relay *r);
void check_relay_close(struct check_relay *r);

#endif
