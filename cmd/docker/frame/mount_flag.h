/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_MOUNT_FLAG_H
#define CSBX_CMD_DOCKER_MOUNT_FLAG_H

/* docker's --mount: key=value pairs separated by commas, as its command line reads them. */

#include <stdbool.h>
#include <stdint.h>

struct container_spec;
struct err;
struct mount_spec;
struct paths;

/* One --mount, taken apart; strings are of `text`, NULL where nothing was said. */
struct mount_flag {
	char *text, *type, *source, *target, *consistency, *propagation;
	bool readonly, non_recursive, no_copy;
	uint64_t tmpfs_bytes;
	unsigned tmpfs_mode;
};

/* -EINVAL with the command line's text; mount_flag_free() in any case. */
int mount_flag_parse(struct mount_flag *f, const char *text, struct err *e);
void mount_flag_free(struct mount_flag *f);

/* OPT_CALL's setter: the command line's own checks; adds the text to the strv. */
int docker_set_mount(void *strv, const char *value, struct err *e);

/* -EINVAL with the daemon's text. */
int docker_mount_flag_add(const struct paths *p, const char *text, struct container_spec *s,
			  struct err *e);

/*
 * mount_volume.c: a source of the host as -v and --mount read it; a named or an anonymous volume.
 */
char *docker_absolute_source(const char *source);
int docker_mount_volume(const struct paths *p, const char *name, struct mount_spec *m,
			struct err *e);
/*
 * Makes a source that -v names and that is not there, a directory at a time. -EPERM: it would lie
 * in one of csbx's own directories; -ELOOP: another user's link is on the way.
 */
int docker_make_source(const struct paths *p, const char *path, struct err *e);

#endif
