/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_SWEEP_H
#define CSBX_CMD_BUILD_SWEEP_H

/* The files that builds keep (cmd/build/cache.h), as far as other verbs tidy them up. */

#include <stdbool.h>

struct err;
struct gc_report;
struct paths;

#define BUILD_CACHE_DIR "build" /* below the cache path */
#define BUILD_NEW_PREFIX "new-" /* steps that are being made, or were when a build was killed */
#define BUILD_OLD_PREFIX "old-" /* a link to what was replaced */

/* A name of the cache, and where it is a link what it leads to. */
int build_cache_remove(int dirfd, const char *name, struct err *e);

/*
 * Removes what killed builds have left, and steps that were replaced, unless a build runs now; 0
 * then, too. report: is told what went; may be NULL.
 */
int build_cache_sweep(const struct paths *p, bool dry_run, struct gc_report *report, struct err *e);

#endif
