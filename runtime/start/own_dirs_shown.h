/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_OWN_DIRS_SHOWN_H
#define CSBX_RUNTIME_OWN_DIRS_SHOWN_H

/*
 * Whether a place of the host will be seen inside once something is made there. A mount, a read-only
 * one too, shows a file as soon as any process on the host makes it. What is mounted later on the
 * host does not come in.
 */

#include <stdbool.h>

#include "runtime/kernel/mount_table.h"

struct err;
struct paths;
struct plan;

struct shown {
	const struct plan *plan; /* with its sources known (op->real) */
	const struct paths *paths;
	bool has_hooks;  /* which may mount what they like */
	bool has_looked; /* the table is read once, and most often not at all */
	struct mount_table mounts;
	bool wants_writable; /* asked for are mounts that the program may make something in */
};

/*
 * path: without links as far as it exists. 1: a mount of the plan shows it, or would if it were
 * there, by its own path or by another one of the same directory (a second mount of the file
 * system, one below a mount of the plan). 0: none does.
 */
int shown_has(struct shown *s, const char *path, struct err *e);
/* The same of mounts that the program may write to. */
int shown_writable(struct shown *s, const char *path, struct err *e);
/* The same, and 1 also where the source of a mount lies in the directory, or may. */
int shown_has_part(struct shown *s, const char *dir, struct err *e);
void shown_free(struct shown *s);

#endif
