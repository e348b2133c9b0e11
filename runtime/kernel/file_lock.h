/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_FILE_LOCK_H
#define CSBX_RUNTIME_FILE_LOCK_H

/*
 * Whole-file locks of open file descriptions (F_OFD_SETLK, fcntl(2)): released by the kernel when
 * the last descriptor goes, so death needs no clean-up, and, unlike flock(2), there on NFS and
 * askable without taking.
 */

#include <stdbool.h>

/* A write lock needs a descriptor open for writing. 0, or -EAGAIN when another holds it. */
int file_lock_try(int fd, bool exclusive);
/* Waits; 0 or -errno. */
int file_lock_wait(int fd, bool exclusive);
/*
 * Opens the file below dirfd, makes it where it is missing, and waits for the lock. A descriptor or
 * -errno. Nobody may unlink such a file: a lock on a file without a name excludes no one.
 */
int file_lock_open(int dirfd, const char *name, bool exclusive);
/* True while another open file description holds the write lock; takes nothing. */
bool file_lock_is_held(int fd);

#endif
