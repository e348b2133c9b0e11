/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_MOUNT_SPEC_H
#define CSBX_CMD_MOUNT_SPEC_H

/*
 * The ways people write mounts, as struct mount_spec. Pure functions of a string: nothing is
 * looked up, so a relative source stays as it was written until mount_make_absolute().
 *
 *	mount_parse	    --mount, three grammars told apart by their form:
 *		type=bind,src=S,dst=D,readonly		docker's --mount
 *		S:D:TYPE:OPTIONS[:0[:0]]		a line of fstab(5) with ':' for blanks
 *		S  S:OPTIONS  S:D  S:D:OPTIONS  tmpfs:D[:OPTIONS]	short forms of both worlds
 *	volume_parse	    --volume S:D[:OPTIONS]
 *	tmpfs_parse	    --tmpfs D[:OPTIONS]
 *	device_parse	    --device S[:D[:rwm]]
 *
 * In the forms with ':' the sequences \040 \011 \012 \072 \134 stand for blank, tab, newline,
 * colon and backslash, as in fstab(5). A word that asks for something that cannot be had (set-id
 * files, device nodes, shared propagation) is an error, never passed over.
 *
 * On success the mount owns its strings; on failure it is as before. -EINVAL with the reason.
 */

struct err;
struct mount_spec;

int mount_parse(const char *text, struct mount_spec *ret, struct err *e);
int volume_parse(const char *text, struct mount_spec *ret, struct err *e);
int tmpfs_parse(const char *text, struct mount_spec *ret, struct err *e);
int device_parse(const char *text, struct mount_spec *ret, struct err *e);

/* Sets the target in its normal form; relative ones and those with '.' or '..' are refused. */
int mount_set_target(struct mount_spec *m, const char *target, struct err *e);

/* Puts cwd before a relative source. */
int mount_make_absolute(struct mount_spec *m, const char *cwd, struct err *e);

#endif
