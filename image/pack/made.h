/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_MADE_H
#define CSBX_IMAGE_MADE_H

/* A file of no content that was just made by its name: it is opened, and its time set by descriptor. */

#include <stdint.h>
#include <sys/types.h>

struct err;

/* O_PATH. What is of another type (S_IFLNK, ...), or has another name as well, is -ESTALE. */
int made_open(int dir, const char *name, mode_t type, struct err *e);

int made_set_time(int fd, int64_t mtime_s, long mtime_ns, struct err *e);

#endif
