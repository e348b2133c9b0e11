/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_TEST_RUN_H
#define CSBX_CMD_EVAL_TEST_RUN_H

/*
 * The room cmd/judge/test. Judged test runs: `csbx test`.
 *
 * In: a repository, patches, test ids. Out: which tests passed, what was tampered with, a verdict.
 *
 *	args.h, ids.h, wish.c	what is asked
 *	clone.h, clone_url.h, git.h: the repository
 *	input.h, run.h, execute.c, isolate.h: the containers
 *	record.c, report.h	what the harness said
 *	tamper.h, verdict.h, json.h: what it means
 *	batch.c			many
 *
 * Must: compare trees by content.
 * Mustn't: let the repository be code before the session has begun.
 */

/*
 * One run of `csbx test`: what is wanted -> the harness's input and mounts -> a container -> a
 * report and a verdict. The repository is written to in the container's throw-away layer only.
 */

#include <stdbool.h>

#include "cmd/judge/channel.h"
#include "cmd/judge/test/clone.h"
#include "cmd/judge/test/input.h"
#include "cmd/judge/test/report.h"
#include "cmd/judge/test/verdict.h"
#include "runtime/base/str.h"

struct container_spec;
struct err;
struct paths;
struct run_result;

enum test_runner { RUNNER_PYTEST, RUNNER_UNITTEST };

#define TEST_PATCH_BYTES_MAX (32u << 20) /* of all together */

struct test_patch {
	char *name;
	struct strbuf data;
	bool is_tests; /* --test-patch: one, applied last */
};

struct test_wish {
	int end_fd;                 /* readable when its containers are to end; 0: there is none */
	const char *repo;           /* --repo: a directory of the host's, or NULL */
	const char *repo_in_image;  /* absolute path inside, or NULL */
	const char *clone, *commit; /* --clone, --commit: neither of these */
	bool copy;                  /* copy the files instead of an overlay over the directory */
	const char *python;
	const struct container_spec *run; /* files are read for it */
	struct test_patch *patches;       /* owned, as the lists are */
	size_t n_patches;
	struct test_lists lists;
	int argc; /* for the runner */
	char **argv;
	enum test_runner runner;
	bool strict;
	bool isolate; /* each listed test in a container of its own */
};

/* The data is copied; a name is for messages. */
int test_wish_add_patch(struct test_wish *w, const char *name, const void *data, size_t len,
			bool is_tests, struct err *e);
int test_wish_add_patch_file(struct test_wish *w, const char *path, bool is_tests, struct err *e);
/* Frees the members that a wish owns. */
void test_wish_free(struct test_wish *w);

struct test_run {
	struct channel channel;
	struct test_report report;
	struct test_verdict verdict;
	struct test_input input; /* the harness's input; its wish is the caller's */
	int input_fd;            /* the same, for the harness */
	struct clone clone;
};
#define TEST_RUN_INIT                                                        \
	{                                                                    \
		.channel = CHANNEL_INIT, .input_fd = -1, .clone = CLONE_INIT \
	}

/* The directory of the repository inside; reads no file. */
const char *test_repo_target(const struct test_wish *w, const char *workdir);

/* Adds the repository, before the spec is resolved. */
int test_add_repo(const struct test_wish *w, struct container_spec *spec, const char *target,
		  struct err *e);

/* Fetches a clone, opens the channel, writes the input, adds the harness; spec is resolved. */
int test_prepare(struct test_run *t, const struct test_wish *w, const struct paths *paths,
		 struct container_spec *spec, const char *target, struct err *e);

/* Opens t's own channel, and writes the input with its secret; test_prepare() does. */
int test_open(struct test_run *t, const struct test_input *in, struct err *e);

/* Runs it. 0: *result and t->verdict say what happened; -errno: there was no container. */
int test_execute(struct test_run *t, const struct test_wish *w, const struct container_spec *spec,
		 const struct paths *paths, struct run_result *result, struct err *e);

void test_run_done(struct test_run *t);

#endif
