/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_BUILD_H
#define CSBX_CMD_BUILD_BUILD_H

/*
 * The room cmd/build. Images from Dockerfiles: `csbx build`, `docker build`.
 *
 * In: a command line, a context, a Dockerfile. Out: an image in the caller's table, its names, or
 * one error and exit code 1 with nothing half-made left. No daemon, no privilege: every step is a
 * container of csbx's own, whose written files are kept as one layer over those of the steps before
 * it.
 *
 * In the order of the story:
 *	options.c	the command line, and what of docker's is refused
 *	context.c	the context and the Dockerfile are opened
 *	dockerfile/	the Dockerfile becomes data
 *	stages.c	which stages there are, and which are wanted
 *	build_ahead.c	stages that others take from, made meanwhile
 *	build.c		instructions one after the other: values, keys, what is cached
 *	base.c		the image of a FROM, fetched where it is missing
 *	config/		instructions that only change the configuration
 *	cache.c		what steps have made, by key
 *	cache_from.c	the same, told by images: --cache-from
 *	root.c		the files so far, to start in or to enter
 *	run_step.c	RUN
 *	run_mounts.c	RUN --mount; run_cache.c: its caches, mount_tree.c: files of stages,
 *			run_secret.c: secrets and scripts,
 *			mount_targets.c: what a container makes for them
 *	copy_step.c	COPY, ADD, WORKDIR; copy_words.c: their words; select.c, pack.c: what they take; transfer.c: on its way;
 *			add_url.c: what is fetched
 *	push.c		--push
 *	result.c	the last step becomes an image; delta.c: as small files over the base's
 *	build_text.c	what is said meanwhile; build_stream.c: to clients of the engine
 *	build_pipe.c	a build that the engine asks for
 *
 * Must: use a step only when it is complete; key a step by all that it depends on. Mustn't: follow
 * a path in a context or an image but beneath its root; know how a container is mounted.
 */

#include "cmd/build/build_ahead.h"
#include "cmd/build/cache.h"
#include "cmd/build/cache_from.h"
#include "cmd/build/config/image_config.h"
#include "cmd/build/context.h"
#include "cmd/build/dockerfile/dockerfile.h"
#include "cmd/build/build_text.h"
#include "cmd/build/root.h"

struct cmd;
struct err;
struct import_options;

struct build_args {
	struct strv tags, build_args, labels, secrets, hosts, ulimits, outputs;
	struct strv cache_from, cache_to;
	const char *file, *target, *network, *platform, *iidfile, *progress, *shm_size;
	const char *memory, *provenance, *sbom, *builder;
	struct strv ssh;
	bool no_cache, pull, quiet, load, push, rm, force_rm;
	bool is_stream; /* said in build_stream.h's form */
};

struct build_stage {
	const char *name;  /* NULL: it has none */
	size_t first, end; /* its instructions, FROM first */
	bool is_done, is_open;
	struct strv args; /* "NAME=value": ARGs declared so far; without "=": no value */
	struct build_config config;
	struct build_root root;
	struct strv steps; /* their directories beneath the cache, those of its base stages first */
	char key[BUILD_KEY_BYTES];
};

struct build {
	struct cmd *cmd;
	const struct build_args *args;
	struct build_context context;
	struct dockerfile dockerfile;
	struct build_cache cache;
	struct build_text progress;
	struct build_ahead ahead;
	struct cache_from cache_from;
	/* Makes a stage that the one which goes on takes from. */
	int (*make_source)(struct build *b, struct build_stage *from, struct err *e);
	int images; /* the table's directory */
	struct build_stage *stages;
	size_t n_stages;
	struct strv globals;          /* ARGs before the first FROM, and the platform's */
	const struct instruction *at; /* for messages: the instruction that goes on */
	unsigned step, n_steps;       /* of the stage */
	bool is_replay;               /* another process has made what is gone through */
	bool has_begun;               /* the Dockerfile is one, and has the target */
	int exit_code;                /* of a RUN that failed */
	bool is_kept;                 /* its files become an image */
	char *failed;                 /* its command */
};

/* --- stages.c --- */
int stages_find(struct build *b, struct err *e);
/* By number or name; NULL: none. Only those before `before` where that is not NULL. */
struct build_stage *stage_of(struct build *b, const char *name, const struct build_stage *before);
/* The source that --from of a COPY names: a stage before s, which may not be done yet, or an
 * image. */
int stage_from(struct build *b, const struct build_stage *s, const struct instruction *i,
	       struct build_stage **ret, char **ret_name, struct err *e);
struct build_stage *stage_target(struct build *b, struct err *e);
/* Frees the members of a stage. */
void stage_free(struct build_stage *s);
/* All values that words of the stage's instructions may name. */
int stage_values(const struct build_stage *s, struct strv *ret, struct err *e);
/* One ARG of the stage, or before all of them (NULL). */
int stage_arg(struct build *b, struct build_stage *s, const struct instruction *i, struct err *e);

/* --- base.c --- */
int build_base(struct build *b, struct build_stage *s, const char *name, struct err *e);

/* --- run_step.c, copy_step.c --- */
/* "none", "host" or another word; own: what an instruction asks for, NULL: nothing. */
const char *build_network(const struct build *b, const char *own);
int run_step(struct build *b, struct build_stage *s, const struct instruction *i, struct err *e);
int copy_step(struct build *b, struct build_stage *s, const struct instruction *i, struct err *e);
int workdir_step(struct build *b, struct build_stage *s, struct err *e);

/* --- build.c --- */
int build_stage(struct build *b, struct build_stage *s, struct err *e);
/*
 * The stage's key becomes that of what follows it. what: fields
 * (cache.h), the first of them its kind.
 */
int stage_next_key(struct build_stage *s, const struct strbuf *what, struct err *e);
/*
 * With that key: the step of the cache, or make() makes it in its directory. Its layer is put on
 * top.
 */
typedef int step_make_fn(struct build *b, struct build_stage *s, const struct build_step *step,
			 void *arg, struct err *e);
int stage_step(struct build *b, struct build_stage *s, step_make_fn *make, void *arg,
	       struct err *e);
int build_run(struct cmd *c, const struct build_args *a, const char *context);

/* --- delta.c --- */
/* -EOPNOTSUPP: it has to be all files. */
int build_delta(struct build *b, struct build_stage *s, const struct strv *tags,
		const struct import_options *o, char ret_id[IMAGE_ID_BYTES], struct err *e);

/* --- push.c --- */
/* Sends the image under all its names where that is asked for. */
int build_push(const struct build_args *a, struct err *e);

/* --- result.c --- */
/* --rm=false: the files as a RUN that failed left them become an image, which is said. */
void build_keep_failed(struct build *b, struct build_stage *s, const struct build_step *step);
int build_result(struct build *b, struct build_stage *s, char *ret_id, size_t size, struct err *e);

#endif
