/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_GC_H
#define CSBX_RUNTIME_GC_H

/*
 * Removes what dead supervisors and interrupted commands left. Kernel locks and a connect that is
 * answered tell what is alive, never pids or age, so gc may run at any time beside anything. It
 * removes only those containers that were to be removed at their end (--rm), when a kill has kept
 * their supervisor from it, and those whose owner is gone (owner.h).
 */

#include <stdbool.h>
#include <stddef.h>

struct err;
struct paths;

enum gc_kind {
	GC_JOB,       /* container that ran on when its batch job was over: killed */
	GC_INSTANCE,  /* file of a start whose supervisor is gone */
	GC_SCRATCH,   /* throw-away layer that no process holds */
	GC_TEMPORARY, /* half-made or half-deleted directory or file */
	GC_SOCKET,    /* socket that no server answers */
	GC_SERVER,    /* idle image server, asked to leave */
	GC_CACHE,     /* meta record not written, or unpacked image not used, for 30 days */
	GC_CGROUP,    /* control groups of a start whose supervisor is gone */
	GC_RUN,       /* log and result of a detached start, ended long ago or never begun */
	GC_CONTAINER, /* with --rm, or of an owner that is gone */
	GC_EXEC,      /* record of an exec whose container does not run, or that ended long ago */
	GC_VOLUME,    /* anonymous, of a container whose making or removal was killed */
	GC_KINDS,
};

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
	bool servers;    /* end idle image servers as well */
	const char *job; /* first end what this batch job left running, NULL = none */
	bool dry_run;    /* report only: what doctor and list show */
};

/* 0 also when single items failed (they say so); an error when nothing could be looked at. */
int gc_run(const struct paths *p, const struct gc_request *q, struct gc_report *ret, struct err *e);
/* For what others found; takes path. failed: NULL = it is gone. False: out of memory. */
bool gc_report_add(struct gc_report *r, enum gc_kind kind, char *path, const char *failed);
void gc_report_free(struct gc_report *r);
const char *gc_kind_name(enum gc_kind kind);

#endif
