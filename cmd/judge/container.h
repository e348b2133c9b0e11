/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_CONTAINER_H
#define CSBX_CMD_EVAL_CONTAINER_H

/*
 * The containers of one judged run: each starts from the same resolved spec, with a root, an id
 * and a command of its own.
 */

#include "runtime/start/container.h"
#include "runtime/spec/result.h"
#include "runtime/spec/spec.h"

struct err;
struct eval_job;
struct eval_lane;
struct eval_warm;
struct paths;
struct value;

/* Resolved once; not changed by what starts from it. */
struct eval_container {
	const struct paths *paths;
	const struct container_spec *spec; /* frozen */
	const struct eval_warm *warm;      /* NULL: every interpreter is started */
	int end_fd;                        /* readable when what runs is to end; 0: there is none */
	struct eval_lane *lane;            /* NULL: every container is a fresh one */
};

/* The container with what a job has of its own: files, environment, limits. */
struct eval_job_container {
	struct eval_container container;
	struct container_spec spec;
};
int eval_job_container_make(const struct eval_container *from, const struct eval_job *job,
			    struct eval_job_container *ret, struct err *e);
void eval_job_container_free(struct eval_job_container *b);

/* One container: the parts that it has besides. All is borrowed. */
struct eval_start {
	const struct strv *argv;
	const struct file_spec *files;
	size_t n_files;
	const int *keep_fds; /* 3, 4 ... inside */
	size_t n_keep_fds;
	const char *fetch; /* a file to take out, or NULL */
	uint64_t timeout_ms;
	const struct value *input;               /* standard input, a text; NULL: the container's */
	const struct container_channel *channel; /* or NULL */
	bool may_share; /* it may run in a lane: what it leaves is for no later run to see */
	int started_fd; /* gets a byte when the program runs; 0: no process waits for it */
};

/* The end of one start. The spec is its own where it differs from the container's. */
struct eval_ended {
	struct container_spec spec;
	struct run_result result;
};

/*
 * True where an end is to be told of in the place of an earlier one: the host is at fault, and was
 * not before.
 */
static inline bool result_outranks(const struct run_result *later, const struct run_result *earlier)
{
	return run_is_none(later->status) && !run_is_none(earlier->status);
}

/* What became of the program is no verdict; the caller says why in r->error. */
void judge_set_sandbox_error(struct run_result *r);

/* A run that does not come about is a result too (sandbox_error), and no error. */
void eval_start(const struct eval_container *container, const struct eval_start *s,
		struct eval_ended *ret);
void eval_ended_free(struct eval_ended *x);
/*
 * A caller that ends csbx or the container, and a job that is over, have asked for the end of the
 * program: what became of it then is no verdict. True where it is so; the result says it.
 */
bool judge_is_interrupted(struct run_result *result);

/*
 * An image that was changed in place while it was in use is the host's failure: what the program
 * read is not what its image has.
 */
void judge_look_at_image(const struct container_spec *spec, struct run_result *result);

/*
 * The files of a harness (cmd/harness) one after the other in a sealed memfd: no program inside can
 * write it, and the container's root has nothing of it.
 */
void eval_harness_argv(struct strv *argv); /* what has the interpreter read it, as descriptor 4 */
bool eval_is_harness(const struct strv *argv);
enum eval_harness {
	EVAL_HARNESS_SCRIPT,
	EVAL_HARNESS_CASES,
	EVAL_HARNESS_CHECK,
	EVAL_HARNESS_LINT,
	EVAL_HARNESSES,                       /* of these a run has one; */
	EVAL_HARNESS_FROZEN = EVAL_HARNESSES, /* this makes a warm interpreter */
};
int eval_harness_fd(const struct paths *paths, enum eval_harness which, struct err *e);
/*
 * For a run in this container: one that the runs share, where they have an interpreter that reads it to
 * its end and closes it before any of the program's code.
 */
int eval_run_harness_fd(const struct eval_container *container, enum eval_harness which,
			struct err *e);

#endif
