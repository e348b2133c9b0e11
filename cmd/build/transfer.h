/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_TRANSFER_H
#define CSBX_CMD_BUILD_TRANSFER_H

/*
 * Files go as a tar from one child, which sees their source, to another, which has entered the
 * files they go to; neither executes anything from there.
 */

#include "cmd/build/unpack.h"

struct build_view;
struct err;

struct transfer {
	struct unpack_job job;
	const struct build_view *from; /* NULL: they lie below from_dir */
	int from_dir;
	const struct build_view *to;
	int to_dir; /* written to as the users of `to`, instead of its files; -1: none */
	/* In the child that sees them, below root: unpack_announce(), then the tar. */
	int (*send)(void *arg, int root, struct err *e);
	void *arg;
};

int transfer_run(struct transfer *t, struct err *e);

#endif
