/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_RUN_MOUNTS_H
#define CSBX_CMD_BUILD_RUN_MOUNTS_H

/*
 * RUN --mount: what a step sees besides its files, and what of it makes the step another one.
 */

#include "cmd/build/dockerfile/mount_words.h"
#include "image/model/digest.h"
#include "runtime/spec/name.h"
#include "runtime/spec/spec.h"

struct build;
struct build_stage;
struct build_step;
struct err;
struct instruction;
struct strbuf;

#define RUN_MOUNTS_MAX 64u
#define RUN_VOLUME_BYTES 48

struct run_mount_item {
	const char *asked;         /* the words of the instruction */
	struct run_mount words;    /* as they were read */
	char *target;              /* absolute; NULL: not given */
	struct build_stage *from;  /* whose files it shows; NULL: those of the context, or none */
	struct build_stage *image; /* likewise, of an image: owned */
	struct digest seen;        /* of the context's files that it shows, where it was looked */
	char *tree;                /* the volume that has a copy of them for this step alone */
	char cache[RUN_VOLUME_BYTES]; /* a cache's volume */
	int lock;                     /* of that cache; -1: others may use it meanwhile */
	unsigned n_found;             /* components of the target that were there before the step */
};

struct run_mounts {
	struct run_mount_item *items;
	unsigned n;
};

/* Reads the words and makes the stages that they name. run_mounts_done() in any case. */
int run_mounts_read(struct build *b, struct build_stage *s, const struct instruction *i,
		    struct run_mounts *m, struct err *e);
/* Adds the things that the step depends on by its mounts: the files of the context and the stages
 * that it sees. */
int run_mounts_hash(const struct build *b, struct run_mounts *m, struct strbuf *out, struct err *e);
int run_mounts_add(struct build *b, const struct build_stage *s, struct run_mounts *m,
		   struct container_spec *spec, struct err *e);
void run_mounts_done(struct build *b, struct run_mounts *m);

/* --- run_secret.c --- */

int run_secret_add(struct build *b, struct run_mount_item *x, struct container_spec *spec,
		   struct err *e);
/* The text as a program at path, for this step. */
int run_script_add(struct build *b, struct run_mounts *m, const char *path, const char *text,
		   struct container_spec *spec, struct err *e);

/* --- run_cache.c --- */

/* As ids are in a step. With one id there is no other owner. */
int run_owner_set(struct build *b, int fd, uint32_t uid, uint32_t gid, unsigned mode,
		  struct err *e);

/* x->cache and, where other steps have to wait, x->lock; those of all items in one order. */
int run_caches_open(struct build *b, struct run_mounts *m, struct err *e);
/* A cache that is new gets its files, its owner and its mode. */
int run_cache_fill(struct build *b, struct run_mount_item *x, struct err *e);

/* --- mount_tree.c --- */

/* Adds one to the container's. source and target become its own, in any case. */
int run_mount_new(struct container_spec *spec, enum mount_kind kind, char *source, char *target,
		  const char *asked, struct mount_spec **ret, struct err *e);

/*
 * Copies the files that x names to `to`, a name below dir, or with "/" into dir itself. -ENOTDIR:
 * that is not a directory.
 */
int mount_tree_copy(struct build *b, const struct run_mount_item *x, int dir, const char *to,
		    struct err *e);
/* The digest of those of the context, as a field; a copy has to be of the same. */
int mount_tree_hash(const struct build *b, struct run_mount_item *x, struct strbuf *out,
		    struct err *e);
/* --- mount_targets.c --- */

/* Finds the targets that are there: n_found of every item. */
int mount_targets_find(struct build *b, const struct build_stage *s, struct run_mounts *m,
		       struct err *e);
/*
 * Those that were made for the mounts go from what the step has written, if they are as empty as
 * they were made.
 */
int mount_targets_clean(struct build *b, const struct build_stage *s, const struct build_step *step,
			const struct run_mounts *m, struct err *e);

#endif
