/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_MOUNT_OPTION_H
#define CSBX_RUNTIME_MOUNT_OPTION_H

/*
 * The option words of a mount ("ro", "size=64m", "x-create=dir"). Each grammar has a vocabulary of
 * its own, as the same word may be granted in one and refused in another; the effect of a granted
 * word on a mount, and the way to read lists and values, are the same for all. Pure functions.
 */

#include <stdbool.h>
#include <stddef.h>

struct err;
struct mount_spec;

enum mount_option_kind {
	MOUNT_OPTION_NOTHING, /* already so */
	MOUNT_OPTION_BIND,
	MOUNT_OPTION_RBIND,
	MOUNT_OPTION_RO,
	MOUNT_OPTION_RW,
	MOUNT_OPTION_EXEC,
	MOUNT_OPTION_NOEXEC,
	MOUNT_OPTION_DEV, /* a bind has the device nodes of its source */
	MOUNT_OPTION_NODEV,
	MOUNT_OPTION_OPTIONAL,
	MOUNT_OPTION_SIZE, /* of a tmpfs; a value follows */
	MOUNT_OPTION_MODE,
	MOUNT_OPTION_REFUSED,
	/* A word of fstab lines (fstab_words.c): nothing is done to the mount itself. */
	MOUNT_OPTION_SILENT,
	MOUNT_OPTION_REMOUNT,
	MOUNT_OPTION_DETACH,
};

struct mount_option {
	const char *name; /* ends in '=' where a value follows */
	enum mount_option_kind kind;
	const char *why; /* MOUNT_OPTION_REFUSED */
};

struct mount_vocabulary {
	const struct mount_option *options;
	size_t n;
};

/* The word of that length; NULL: not known. */
const struct mount_option *mount_option_find(const struct mount_vocabulary *v, const char *word,
					     size_t len);
/* True if the first word of a comma-separated list is known. */
bool mount_option_begins(const struct mount_vocabulary *v, const char *list);

/* -EINVAL where there is no such word. */
int mount_option_look(const struct mount_vocabulary *v, const char *word,
		      const struct mount_option **ret, struct err *e);
/* Does to m what option o, written as word, says; m->kind is known before. */
int mount_option_apply(struct mount_spec *m, const struct mount_option *o, const char *word,
		       struct err *e);

typedef int mount_option_take(void *arg, const char *word, struct err *e);
/* Calls take for each word of a list; "" for what is between two commas. */
int mount_options_each(const char *list, mount_option_take *take, void *arg, struct err *e);

#endif
