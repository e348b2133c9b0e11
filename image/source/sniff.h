/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_SNIFF_H
#define CSBX_IMAGE_SNIFF_H

/* The kind of a file or directory, for sources whose kind the user did not say. */

#include <stdbool.h>

#include "image/oci/source_uri.h"

struct err;

/* 1 when a regular file begins with a tar header, that is, needs no decompression; else 0, or
 * -errno. */
int sniff_plain_tar(int fd, struct err *e);

/* -EINVAL for a file that is plainly no archive, with its kind and the remedy; 0 for a pipe. */
int sniff_refuse(int fd, struct err *e);
/* The kind of a regular file, or -errno: SOURCE_OCI_ARCHIVE, SOURCE_DOCKER_ARCHIVE, SOURCE_TAR. */
int sniff_file(int fd, struct err *e);

/* SOURCE_OCI_LAYOUT or SOURCE_DIRECTORY. */
enum source_kind sniff_directory(int dirfd);

/* True when a directory is one of skopeo's dir: transport. */
bool sniff_skopeo_dir(int dirfd);

#endif
