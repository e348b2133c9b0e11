/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_JOBS_H
#define CSBX_CMD_IMAGE_JOBS_H

/*
 * The work of the verbs import, load and export, for those of other dialects too: a verb fills the
 * job as its command line says and has its own words for an error. -EEXIST: the output is there,
 * and force was not asked for.
 */

#include "cmd/image/image_opts.h"
#include "cmd/options/run_opts.h"

struct cmd;
struct err;

struct import_job {
	const char *output; /* NULL: named after the image, in the current directory */
	bool force;
	struct source_opts source;
	struct output_opts image;
};
/* *ret_path (NULL allowed): the file, also on -EEXIST; caller frees. */
int import_job_run(struct cmd *c, struct import_job *j, const char *uri, char **ret_path,
		   struct err *e);
void import_job_done(struct import_job *job);

struct load_job {
	const char *name; /* NULL: the image's */
	bool force;
	bool is_enroot; /* replaces recipes only, running ones too (container_store.h) */
	struct source_opts source;
	struct output_opts image;
};
int load_job_run(struct cmd *c, struct load_job *j, const char *uri, struct err *e);
void load_job_done(struct load_job *job);

struct export_job {
	const char *output;
	uint64_t threads, max_image_bytes;
	bool force, all_root, quiet;
	struct squash_options squash;
	struct run_opts run; /* which ids there are */
};
void export_job_init(struct export_job *job);
int export_job_run(struct cmd *c, struct export_job *j, const char *name, char **ret_path,
		   struct err *e);
void export_job_done(struct export_job *job);

#endif
