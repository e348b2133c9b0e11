/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_MOUNT_WORDS_H
#define CSBX_CMD_BUILD_DOCKERFILE_MOUNT_WORDS_H

/*
 * The value of RUN --mount: "type=cache,target=/root/.cache" (docker's reference, "RUN --mount").
 */

#include <stdbool.h>
#include <stdint.h>

struct err;
struct expand;

enum run_mount_kind {
	RUN_MOUNT_BIND,
	RUN_MOUNT_CACHE,
	RUN_MOUNT_TMPFS,
	RUN_MOUNT_SECRET,
	RUN_MOUNT_SSH
};
enum run_mount_sharing { RUN_SHARED, RUN_PRIVATE, RUN_LOCKED };

struct run_mount {
	enum run_mount_kind kind;
	char *target, *source, *from, *id, *env; /* NULL: not given */
	bool readonly, readwrite, required;      /* as asked for: a bind is read-only by itself */
	enum run_mount_sharing sharing;
	uint64_t size_bytes; /* tmpfs; 0: not given */
	bool mode_is_set;
	unsigned mode;
	uint32_t uid, gid;
};

/* x: the variables that target, source, from and id may hold. -EINVAL in docker's words. */
int run_mount_parse(const char *value, const struct expand *x, struct run_mount *ret,
		    struct err *e);
void run_mount_free(struct run_mount *m);

#endif
