/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_RUN_OPTS_H
#define CSBX_CMD_RUN_OPTS_H

/*
 * The room cmd/options. Options of verbs that start a container, and what they make of it.
 *
 * In: option values, settings, an image's record. Out: a specification.
 *
 *	run_opts.h, opt_*.c	the tables
 *	mount_spec.h, mount_words.h, mount_keys.h, env_file.h, signal_name.h: values
 *	image_find.h, image_path.h, subject.c: what is to be started
 *	resolve.h, resolve_env.h: from all of it to a specification
 *	run_container.h, detach.h, keep.h, result_out.h, program_places.h, input_file.h: running it
 *
 * Must: decide each default in one place.
 * Mustn't: start anything by itself.
 */

/*
 * The run options: one shared set of tables for every verb that starts a container. Options that
 * need no knowledge of the image go straight into the spec; the rest waits here, as it was written,
 * until resolve.c brings it together with the image.
 */

#include <stdbool.h>

#include "cmd/frame/opt.h"
#include "cmd/options/result_out.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

struct err;

enum tty_wish { TTY_WISH_AUTO, TTY_WISH_NO, TTY_WISH_YES };

struct run_opts {
	struct container_spec spec;
	struct strv env;       /* "K=V", or "K": the caller's value */
	struct strv env_files; /* --env-file, to be read between them (env_file.h) */
	bool no_job_env;
	const char *user, *workdir;
	struct strv mount_dirs; /* one for each --mount, in order: its target; "": no directory */
	const char *entrypoint; /* NULL: the image's; "": none */
	const char *stdin_path;
	bool no_stdin; /* --interactive=no */
	bool read_only, fake_root;
	enum tty_wish tty;
	struct result_opts result;
};

extern const struct opt_table run_table_files;     /* mounts, devices, the root's writability */
extern const struct opt_table run_table_process;   /* environment, user, streams */
extern const struct opt_table run_table_isolation; /* namespaces, capabilities, filters */
extern const struct opt_table exec_table_process;  /* the part of it that an exec has */
extern const struct opt_table run_table_limits;
extern const struct opt_table run_table_result; /* JSON, output limits */

/* The rows for a verb's `uses`; at: offset of the struct run_opts in the verb's arguments. */
#define RUN_OPT_USES(at)                                                              \
	{&run_table_files, at}, {&run_table_process, at}, {&run_table_isolation, at}, \
		{&run_table_limits, at},                                              \
	{                                                                             \
		&run_table_result, at                                                 \
	}

void run_opts_init(struct run_opts *o);
void run_opts_done(struct run_opts *o);

#endif
