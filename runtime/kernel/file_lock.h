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
 * -errno. No process may unlink such a file: a lock on a file without a name excludes no process.
 */
int file_lock_open(int dirfd, const char *name, bool exclusive);
/*
 * For a process that removes what a dead holder left: keeps holders and other claims out, and lets
 * file_lock_is_held() stay false. 0, or -EAGAIN when the lock is held or claimed.
 */
int file_lock_claim(int fd);
/* True while another open file description holds the write lock; takes nothing. */
bool file_lock_is_held(int fd);

#endif
