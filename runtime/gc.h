/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_GC_H
#define CSBX_RUNTIME_GC_H

/*
 * Removes what dead supervisors and interrupted commands left: instance files nobody holds,
 * scratch layers, temporary names in the data, cache and layer directories, cgroups of dead
 * instances, sockets without a server, old meta records. What is alive is told by kernel locks
 * and by a connect that is answered, never by pids or age.
 */

#include <stdbool.h>
#include <stddef.h>

struct err;
struct paths;

enum gc_kind { GC_INSTANCE, GC_SCRATCH, GC_TEMPORARY, GC_LAYER, GC_CGROUP, GC_SOCKET, GC_SERVER, GC_CACHE };

struct gc_item {
	enum gc_kind kind;
	char *path;
	char *failed; /* why it could not be removed, NULL = removed */
};

struct gc_report {
	struct gc_item *items;
	size_t n, cap;
};

struct gc_request {
	bool servers; /* end idle image servers as well */
	bool dry_run; /* report only: what doctor and list show */
};

/* 0 also when single items failed (they say so); an error when nothing could be looked at. */
int gc_run(const struct paths *p, const struct gc_request *q, struct gc_report *ret, struct err *e);
void gc_report_free(struct gc_report *r);
const char *gc_kind_name(enum gc_kind kind);

#endif
