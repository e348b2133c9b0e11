/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_UNSQUASH_H
#define CSBX_IMAGE_UNSQUASH_H

/*
 * An image file of csbx back as a tar (libsquashfs): the files of the image, without the /.csbx
 * that csbx put there. Owners, modes, times in seconds, attributes and hard links are kept.
 */

struct err;

/* image_fd: a squashfs file; out_fd: anything that can be written to. */
int unsquash_tar(int image_fd, int out_fd, struct err *e);

/*
 * The same of a file of a stack that lies over others: the names that it hides become whiteouts. A
 * file that was made of upper directories gives what tree_pack_uppers() gave of them, byte for
 * byte.
 */
int unsquash_layer(int image_fd, int out_fd, struct err *e);

#endif
