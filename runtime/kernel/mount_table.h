/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_MOUNT_TABLE_H
#define CSBX_RUNTIME_MOUNT_TABLE_H

/*
 * The mounts of a process as the kernel lists them: proc_pid_mountinfo(5). With it two paths can be
 * told to be one directory though they lead through different mounts: both have the same file
 * system (major and minor) and the same path in it.
 */

#include <stdbool.h>
#include <stddef.h>

struct err;

struct mount_row {
	int id, parent;
	unsigned major, minor;
	const char *root;  /* the directory of the file system that is mounted */
	const char *point; /* where, as seen from the root of the process */
	bool is_writable;  /* by the mount's own options */
	bool is_below;     /* the mount that mount_table_mark() was told */
};

struct mount_table {
	struct mount_row *rows; /* in the kernel's order */
	size_t n;
	char *text; /* that the rows point into */
};
#define MOUNT_TABLE_INIT                           \
	{                                          \
		.rows = NULL, .n = 0, .text = NULL \
	}

/*
 * Takes text, NUL-terminated and from malloc, also on failure. A line it cannot read is -EBADMSG.
 */
int mount_table_parse(char *text, struct mount_table *ret, struct err *e);
void mount_table_free(struct mount_table *t);

/* NULL when there is none. */
const struct mount_row *mount_table_by_id(const struct mount_table *t, int id);

/* Fills in is_below: true for `top` itself and every mount below it. */
void mount_table_mark(struct mount_table *t, int top);

/* The mount, of those that are not below, that path leads into. */
const struct mount_row *mount_table_locate(const struct mount_table *t, const char *path);

/*
 * True when a mount below may show the file at path outside, a part of it, or a directory on the
 * way to it; path is without links. False is certain, also where something is mounted over the
 * path.
 */
bool mount_table_may_show(const struct mount_table *t, const char *path);

/*
 * True when the directory source has path in it, which need not be there, by whatever mounts of one
 * file system. with_below: the mounts below source count too. Both are paths outside, source
 * without links, path as far as it exists.
 */
bool mount_table_shows(const struct mount_table *t, const char *source, bool with_below,
		       const char *path);
/* The same, by a mount that can be written to. */
bool mount_table_shows_writable(const struct mount_table *t, const char *source, bool with_below,
				const char *path);

/*
 * The part of path beyond dir, which it lies in or is: "" or "a/b". NULL when it does not. Both are
 * absolute, without "." and "..".
 */
const char *path_beyond(const char *dir, const char *path);

#endif
