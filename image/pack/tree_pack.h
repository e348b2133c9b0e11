/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_TREE_PACK_H
#define CSBX_IMAGE_TREE_PACK_H

/*
 * A file or a directory with all that is in it as a tar, sorted by name, hard links kept. Nothing
 * is followed and nothing but regular files is opened for reading. Sockets are passed over.
 * Attributes (xattr) are not taken along.
 */

struct err;
struct tar_out;

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
 * fd: O_PATH descriptor of what is packed. member: what it is called in the archive; "." for the
 * content of a directory alone; "" for a whole root: names begin in it, what is mounted below is
 * an empty directory and device nodes are left out. The caller ends the archive.
 */
int tree_pack(int fd, const char *member, enum tree_devices devices, struct tar_out *out,
	      struct err *e);

#endif
