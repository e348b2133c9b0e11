/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_OUTCOME_H
#define CSBX_CMD_EVAL_OUTCOME_H

/* The outcome of a case in one word: "outcome" of the result object. docs/judging.md explains
 * each. */
enum eval_outcome {
	EVAL_OPEN, /* nothing is known so far; never written */
	EVAL_PASSED,
	EVAL_WRONG_VALUE,     /* another value than expected, or one that cannot be compared */
	EVAL_WRONG_OUTPUT,    /* another text was printed */
	EVAL_WRONG_TYPE,      /* a value of another type */
	EVAL_WRONG_EXCEPTION, /* another exception, or another message */
	EVAL_NO_EXCEPTION,    /* it returned where an exception was expected */
	EVAL_RAISED,          /* an exception where none was expected */
	EVAL_MISSING,         /* the snippet has no such function */
	EVAL_EXITED,          /* the process left without an answer, or with another code than 0 */
	EVAL_CRASHED,         /* a signal ended it */
	EVAL_TIMEOUT,
	EVAL_OOM,
	EVAL_OUTPUT_LIMIT,
	EVAL_PIDS_LIMIT,
	EVAL_BAD_ANSWER, /* the channel got something that is no answer */
	EVAL_NOT_LOADED, /* the snippet failed before it could be called */
	EVAL_NOT_RUN,    /* it was not its turn, or csbx itself failed */
	EVAL_OUTCOMES
};

const char *eval_outcome_name(enum eval_outcome o);
/* By how the container ended in which a case was cut off. */
struct run_result;
enum eval_outcome eval_outcome_of_end(const struct run_result *r);
const char *eval_words_of_end(const struct run_result *r);

#endif
