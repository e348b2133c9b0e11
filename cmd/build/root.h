/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_ROOT_H
#define CSBX_CMD_BUILD_ROOT_H

/*
 * The files of a stage so far: a base image and the steps over it. A process may enter them, to
 * read them or to make one more step, as csbx cp enters a container that does not run.
 */

#include "cmd/options/resolve.h"
#include "cmd/options/run_opts.h"
#include "image/table/table.h"
#include "runtime/layer/layer.h"
#include "runtime/server/client.h"
#include "runtime/server/unpacked.h"
#include "runtime/spec/user.h"
#include "runtime/userns/userns.h"

struct build_cache;
struct build_step;
struct cmd;
struct err;

struct build_root {
	char *image; /* path of its squashfs file; NULL: FROM scratch */
	char image_id[IMAGE_ID_BYTES];
	struct strv layers; /* upper directories, the lowest first */
};

int build_root_copy(struct build_root *to, const struct build_root *from, struct err *e);
void build_root_free(struct build_root *r);

/* Fills o->spec.rootfs; subject_close() *ret in any case. */
int build_root_open(struct cmd *c, const struct build_cache *cache, const struct build_root *r,
		    struct run_opts *o, struct subject *ret, struct err *e);

/* /etc/passwd and /etc/group as they are now, in the memory of *memory (strbuf_free() both). */
void build_root_users(const struct build_root *r, const struct subject *s, struct strbuf memory[2],
		      struct user_db *ret);

struct build_view {
	struct run_opts opts;
	struct subject subject;
	struct layer layer;
	struct unpacked unpacked;
	struct squashd_link link;
	struct id_map map;
	bool is_writable;
};

/* step: the one to be written; NULL: the root is read. build_view_close() in any case. */
int build_view_open(struct cmd *c, const struct build_cache *cache, const struct build_root *r,
		    const struct build_step *step, struct build_view *v, struct err *e);
/* In a child with one thread: the root, O_RDONLY|O_DIRECTORY. */
int build_view_enter(const struct build_view *v, struct err *e);
void build_view_close(struct build_view *v);

#endif
