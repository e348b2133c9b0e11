/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_UNPACK_H
#define CSBX_SQUASHD_UNPACK_H

#include <stdbool.h>

/*
 * --unpack FD DIRFD: the files of an image beneath an empty directory, for hosts without
 * /dev/fuse. Everything belongs to the caller; modes (no setuid or setgid on files, directories
 * at least rwx for the owner), times, hard links and user.* attributes are kept, the latter where
 * the file system has them; device nodes are left out. Exit status as csbx-meta.
 */
int unpack_main(int image_fd, int dirfd, bool lies_above);

#endif
