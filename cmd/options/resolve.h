/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_RESOLVE_H
#define CSBX_CMD_RESOLVE_H

/*
 * From an operand and options to a container_spec.
 *
 * An operand with a slash or ending in .sqsh is an image's path, anything else a container's
 * name. One place decides what the container runs, in one order: defaults, then the image,
 * then what the user set, be it in the configuration, a CSBX_* variable or an option (opt.h has
 * already let the later of these win).
 */

#include <stdbool.h>

#include "runtime/record/container_record.h"
#include "runtime/server/image_meta.h"

struct cmd;
struct err;
struct run_opts;

/* The meaning of an operand. */
struct subject {
	struct container_record record; /* of a container; empty for an image's path */
	struct image_meta meta;
	struct strbuf meta_record; /* memory of meta where the record has none */
};

/*
 * Looks the operand up; fills spec.rootfs, spec.name and *ret. -ENOENT with a message that says
 * what was looked for where.
 */
int subject_open(struct cmd *c, const char *operand, struct run_opts *o, struct subject *ret,
		 struct err *e);
/* The same for a container whose record has been read; takes the record, also on failure. */
int subject_open_read(struct cmd *c, const char *name, struct container_record *record,
		      struct run_opts *o, struct subject *ret, struct err *e);
void subject_close(struct subject *s);

/* The parts of a command line that differ between verbs. */
struct resolve_request {
	const struct subject *subject;
	int argc; /* the user's command and arguments */
	char **argv;
	const char *rc; /* --rc: a script in place of the image's /etc/rc, or NULL */
};

/* Only the main user, as a start of the container (-w: spec.rootfs.upper) would have him. */
int resolve_main_user(const struct subject *s, struct run_opts *o, struct err *e);

/*
 * The part of resolve_spec() that looks at neither command nor user nor environment, for a front
 * end that has set those: names, streams, sources of mounts, the policy, and the freeze.
 */
int resolve_rest(struct cmd *c, const struct subject *s, struct run_opts *o, struct err *e);

/* Completes and freezes o->spec. */
int resolve_spec(struct cmd *c, const struct resolve_request *q, struct run_opts *o, struct err *e);

#endif
