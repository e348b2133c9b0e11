/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_JUDGE_H
#define CSBX_CMD_EVAL_JUDGE_H

/*
 * The room cmd/judge. Judged runs: `csbx eval`.
 *
 * In: a snippet and what is asked of it. Out: a verdict with its reasons.
 *
 *	eval.c, job.h		what is asked
 *	judge.h, outcome.h	which containers run, and what their ends mean
 *	container.h, warm.h, harness.h: containers, with an interpreter that is there already
 *	lanes.h, loan.h		containers that are there already
 *	channel.h, harness_frame.h, peer.h	what a container says
 *	cases.h, cases_run.h, check_relay.h, check_run.h, lint.h: ways of judging
 *	eval_batch.h, job_line.h: many, by cmd/judge/batch
 *	feedback.c, summary.h	verdicts for people
 *
 * Must: treat what comes out of a container as hostile.
 * Mustn't: give a verdict where the host failed.
 */

/* From a job to its verdict: which containers run, in which order, and what their ends mean. */

#include <stdbool.h>

#include "cmd/judge/container.h"
#include "runtime/base/str.h"

struct eval_job;
struct err;
struct json_out;

/* The error of a program, as its own process tells it, or its last words do. */
struct eval_error {
	char *type, *message; /* NULL: nothing is known */
	unsigned line;        /* in the snippet; 0: not known */
};

/* The finding of asserting code. */
struct eval_check {
	bool is_there, passed;
	struct eval_error error; /* why not */
	char *result;            /* the result object of its container, JSON */
};

struct eval_verdict {
	const struct eval_job *job;
	struct eval_ended ended; /* the container that the result object is about */
	int completed;           /* -1: not known */
	bool is_out_of_time;     /* --total-timeout left cases that were not run */
	struct eval_error error;
	struct eval_check check;
	struct strv feedback; /* a sentence each */
};

/* Fills job->cases too. -errno: csbx itself failed, nothing was run. */
int eval_judge(const struct eval_container *container, struct eval_job *job,
	       struct eval_verdict *ret, struct err *e);
void eval_verdict_free(struct eval_verdict *v);

/* [type, message, line] from the program's process. A malformed value counts as absent. */
void eval_error_read(const char *payload, size_t len, struct eval_error *ret);
void eval_error_free(struct eval_error *x);

/* csbx's exit code (docs/cli.md) */
int eval_exit_code(const struct eval_verdict *v);

/* Members of the result object; ctx: a struct eval_verdict. */
void eval_verdict_write(void *ctx, struct json_out *j);

/* eval_words.c: fills error and feedback from the result. */
void eval_explain(const struct eval_job *job, struct eval_verdict *v);

#endif
