/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_FSTAB_H
#define CSBX_RUNTIME_FSTAB_H

/*
 * Lines of fstab(5) as enroot reads them, as mounts of a container. Up to six fields, separated by
 * blanks, with the escapes of fstab(5) (\040 and other octal ones):
 *
 *	SOURCE TARGET TYPE OPTIONS FREQ PASS
 *
 * What is left out is guessed: "SOURCE", "SOURCE TARGET", "SOURCE OPTIONS", "SOURCE TARGET
 * OPTIONS", "SOURCE TARGET TYPE", "tmpfs TARGET [OPTIONS]". A second or third field is a list of
 * options if its first word is one. A target is a path of the container whether it begins with a
 * slash or not; a source that is no type and no absolute path is relative to the caller.
 *
 * A bind has the device nodes of its source unless an option says nodev, as in enroot.
 *
 * A word that is not known, or that asks for what cannot be had here, is an error. Pure functions
 * of the text.
 */

#include <stdbool.h>
#include <stddef.h>

#include "runtime/spec/spec.h"

struct err;

enum fstab_kind {
	FSTAB_MOUNT,   /* add mount */
	FSTAB_REMOUNT, /* change mount.readonly and mount.exec_off of what is at mount.target */
	FSTAB_UMOUNT,  /* take away what is at mount.target */
};

struct fstab_entry {
	enum fstab_kind kind;
	struct mount_spec mount; /* source as written unless it is of the root, asked is empty */
	bool is_kernel;          /* of a file system that the kernel makes: proc, sysfs, ... */
	bool silent, sets_readonly, sets_exec;
	int pass; /* -1: before the hooks */
};

#define FSTAB_LINE_MAX 8192u

/*
 * One line; `rootfs` is what ${ENROOT_ROOTFS} stood for (or NULL): a source below it becomes a
 * directory of the container's own (MOUNT_SELF). 1: *ret is filled, fstab_entry_free() it. 0: an
 * empty line or a comment. -EINVAL with the reason.
 */
int fstab_parse_line(const char *line, size_t len, const char *rootfs, struct fstab_entry *ret,
		     struct err *e);
void fstab_entry_free(struct fstab_entry *x);

/* fstab_words.c: true if the first word of a comma-separated list is an option's. */
bool fstab_words_known(const char *list);
/* Applies a list of options. Looks at x->mount.kind, which is known before. */
int fstab_words_apply(struct fstab_entry *x, const char *list, struct err *e);

#endif
