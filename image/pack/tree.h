/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_TREE_PACK_H
#define CSBX_IMAGE_TREE_PACK_H

/*
 * The room image/pack. Trees as tars, for copies between a host and a container.
 *
 * In: a directory's descriptor and a name; a tar. Out: a tar; files.
 *
 *	copy_rules.h		where a copy ends up
 *	tree.h, tar_out.h	a tree becomes a tar
 *	tree_unpack.h		a tar becomes files beneath a directory
 *
 * Must: work beneath a descriptor.
 * Mustn't: open what is no regular file or directory.
 */

/*
 * A file or a directory with all that is in it as a tar, sorted by name, hard links kept. csbx
 * follows no link and opens only regular files for reading. It passes over sockets. Attributes
 * (xattr) are taken along of upper directories only.
 */

struct err;
struct tar_out;
struct uppers;

/*
 * Device nodes in a directory: -EOPNOTSUPP, or left out, which with WHITEOUTS is said by the names
 * of the image specification (layer.md): the directory is an overlay's upper one, what it hides
 * becomes ".wh.NAME" and ".wh..wh..opq".
 */
enum tree_devices {
	TREE_DEVICES_REFUSED,
	TREE_DEVICES_LEFT_OUT,
	TREE_DEVICES_OF_IMAGE, /* left out, and with them what csbx puts into an image: /.csbx */
	TREE_DEVICES_WHITEOUTS,
};

/*
 * fd: O_PATH descriptor of the file or directory to pack. member: its name in the archive; "." for
 * the content of a directory alone; "" for a whole root: names begin in it, mounts below are empty
 * directories and device nodes are left out. The caller ends the archive.
 */
int tree_pack(int fd, const char *member, enum tree_devices devices, struct tar_out *out,
	      struct err *e);

/* Upper directories (layer/uppers.h) as one, with WHITEOUTS: a layer of an image. */
int tree_pack_uppers(const struct uppers *dirs, struct tar_out *out, struct err *e);

#endif
