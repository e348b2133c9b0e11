/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_IMAGE_OPTS_H
#define CSBX_CMD_IMAGE_IMAGE_OPTS_H

/* Options of all verbs that read an image (source) and of those that make a file of it (output). */

#include "cmd/image/registry_opts.h"
#include "cmd/frame/opt.h"
#include "image/import/import.h"
#include "image/source/source.h"

struct cmd;
struct err;
struct transfer;

struct output_opts;

struct source_opts {
	const char *arch, *platform;
	bool offline;
	struct registry_opts registry;    /* with two tables of its own */
	struct store *store;              /* opened when first needed */
	const struct output_opts *output; /* of the import that follows; NULL: none does */
	/* Some times a second while blobs come, besides what is drawn; NULL: nothing. */
	void (*progress)(void *arg, const struct transfer *t);
	void *progress_arg;
};
extern const struct opt_table source_opts_table;

struct output_opts {
	uint64_t threads, max_image_bytes;
	bool all_root, no_enroot_files, keep_capabilities, quiet;
	struct squash_options squash;
};
extern const struct opt_table output_opts_table;

/* Opens uri; tmp_dirfd: where what has to be copied first may lie; quiet: no progress. */
int source_opts_open(struct cmd *c, struct source_opts *o, const char *uri, int tmp_dirfd,
		     bool quiet, struct image_source *ret, struct err *e);

/* The same for its digest (source.h). */
int source_opts_digest(struct cmd *c, struct source_opts *o, const char *uri, int tmp_dirfd,
		       bool quiet, struct digest *ret, struct err *e);

/* The cache, as CSBX_CACHE_PATH and CSBX_SHARED_CACHE_PATH name it. */
int open_store(const struct cmd *c, struct store **ret, struct err *e);

/*
 * After an import of src that failed by r: whether a layer in the cache turned out to be damaged
 * and was dropped, so that another try fetches it again.
 */
bool source_opts_retry(struct image_source *src, int r, const struct err *e);
void source_opts_done(struct source_opts *o);

struct import_options output_opts_import(const struct output_opts *o);

#endif
