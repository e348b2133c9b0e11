/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_CACHE_H
#define CSBX_CMD_BUILD_CACHE_H

/*
 * The files that steps have made, by key: $CSBX_CACHE_PATH/build.
 *
 *	HEX		a link to the step's directory, HEX.ID; a step made anew has another ID
 *	HEX.ID/upper	the files one step has added, changed and deleted, as an overlay leaves them
 *	HEX.ID/boot	while it may not be on disk: the boot id of the machine that wrote it
 *	HEX.image	the id of the image that a build with this last key gave
 *	new-ID/		a step that is being made
 *	old-ID		a link to a directory that goes when no build runs (build_sweep.h)
 *	.step-HH	locks: held by the process that makes a step whose key begins with HH
 *.lock shared by builds, exclusive for a prune (temp_dir.h)
 *
 * A step appears by one rename when it is complete, so it is there or it is not. A step with a boot
 * id of before is none: the machine went down before its files were written out. A step that is
 * made anew takes no file from a build that has found the one before; the keys of the steps that
 * follow have the ID in them, so no step is ever put on another one than it was made on.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/image/build_prune.h"
#include "runtime/base/str.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/name.h"

struct err;

/*
 * A key is the digest of a text: fields, each behind its length, so that no two lists of fields are
 * one text, whatever bytes are in them. Errors stick in the buffer.
 */
void key_add(struct strbuf *key, const char *text);
void key_add_data(struct strbuf *key, const void *data, size_t len);
/* Their number, then each. */
void key_add_words(struct strbuf *key, const struct strv *words);

#define BUILD_KEY_BYTES 65 /* 64 hex digits and a NUL */
#define BUILD_DIR_BYTES (BUILD_KEY_BYTES + 1 + NAME_ID_DIGITS)

struct build_cache {
	char *path; /* absolute */
	int dirfd;  /* of it; -1: closed */
	int lock;   /* shared, as long as it is open */
	struct paths
		paths;     /* the caller's, with the cache in the place of kept layers; not owned */
	struct strv fresh; /* directories made by this build, to be written out */
	struct build_seen
		*seen; /* steps that this build had, in all its processes; NULL: one process */
};
#define BUILD_CACHE_INIT                \
	{                               \
		.dirfd = -1, .lock = -1 \
	}

int build_cache_open(struct build_cache *c, const struct paths *p, struct err *e);
/* Has what was made written to disk, by a process of its own. */
void build_cache_close(struct build_cache *c);

/* Call before this build becomes several processes: the steps that one has made are there for the
 * others. */
int build_cache_share(struct build_cache *c, struct err *e);
/* True for the first of them that asks about this number. */
bool build_cache_tell(struct build_cache *c, size_t number);

/* One step: found, or to be made. */
struct build_step {
	char key[BUILD_KEY_BYTES];
	char dir[BUILD_DIR_BYTES]; /* of what is there, beneath the cache */
	char name[32];             /* "new-..." beneath the cache while it is made, else "" */
	char as[BUILD_DIR_BYTES];  /* the directory it is to become; "": a new one */
	int lock;
	bool is_seen; /* another process of this build has told of it */
};
#define BUILD_STEP_INIT    \
	{                  \
		.lock = -1 \
	}

/*
 * 1: the step is there. 0: it is not, and it is the caller's to make it in s->name; others who want
 * it wait. fresh: of the steps that are there, only those that this build has made count.
 */
int build_step_begin(struct build_cache *c, const char *key, bool fresh, struct build_step *s,
		     struct err *e);
/* The absolute path of its directory while it is made; caller frees. */
char *build_step_path(const struct build_cache *c, const struct build_step *s);
/* It becomes that directory, of another time: false where the cache has one of that name. */
bool build_step_is_as(const struct build_cache *c, struct build_step *s, const char *dir);
/* It is complete. */
int build_step_commit(struct build_cache *c, struct build_step *s, struct err *e);
/* Ends it in any case; removes files that were made and not committed. */
void build_step_end(struct build_cache *c, struct build_step *s);

/* The absolute path of a step's upper directory, NULL without one: it changed nothing. -ENOMEM. */
int build_step_upper(const struct build_cache *c, const struct build_step *s, char **ret,
		     struct err *e);

/* The image that a last key gave; -ENOENT. */
int build_cache_image(const struct build_cache *c, const char *key, char *ret, size_t size);
int build_cache_set_image(const struct build_cache *c, const char *key, const char *id,
			  struct err *e);

#endif
