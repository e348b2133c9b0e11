/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_TEMP_DIR_H
#define CSBX_RUNTIME_TEMP_DIR_H

/*
 * Temporary names in a directory of ours: .tmp-* is what is being built or deleted. A process that
 * has such a name holds a shared lock on the directory's .lock; a process that gets that lock
 * exclusively knows that every .tmp-* there is debris.
 */

#include <stdbool.h>
#include <stddef.h>

struct err;

#define TEMP_PREFIX ".tmp-"
#define TEMP_LOCK ".lock"
#define TEMP_NAME_BYTES 24

/* Takes the shared lock; returns the descriptor that holds it. */
int temp_begin(int dirfd, struct err *e);
/*
 * The exclusive lock, or -EAGAIN while somebody has a temporary name. On a file system without
 * locks it is never had: temporary names work there, and what a kill leaves stays.
 */
int temp_try_exclusive(int dirfd, struct err *e);

int temp_name(char ret[TEMP_NAME_BYTES], struct err *e);
bool temp_is_name(const char *name);

/*
 * What was made ahead, for the next process that wants to build such a directory: one, whole and
 * never used. gc takes it away, under the exclusive lock.
 */
#define TEMP_AHEAD ".ahead"

bool temp_is_ahead(const char *name);
/* Gives the one that was made ahead the name `to`: false where there is none. Needs the shared lock. */
bool temp_take_ahead(int dirfd, const char *to);
/* The same for a caller without the lock, who does not wait for it. */
bool temp_try_take_ahead(int dirfd, const char *to);
/* Puts `name` there; false, and it stays where it is, when there is one. */
bool temp_put_ahead(int dirfd, const char *name);

/* Renames `name` to a fresh temporary name. */
int temp_move_away(int dirfd, const char *name, char ret[TEMP_NAME_BYTES], struct err *e);

#endif
