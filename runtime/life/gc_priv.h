/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_GC_PRIV_H
#define CSBX_RUNTIME_GC_PRIV_H

/*
 * Shared by the files gc*.c. gc_area.c reads a directory and notes what was found in it;
 * gc_server.c sweeps servers/, gc_cache.c the cache, gc_runs.c runs/, gc_engine.c engine/ and
 * execs/, gc.c the rest.
 */

#include <stdbool.h>

#include "runtime/base/str.h"
#include "runtime/life/gc.h"

struct err;

struct gc {
	const struct paths *paths;
	const struct gc_request *q;
	struct gc_report *report;
	bool failed; /* out of memory while reporting */
};

/* A directory to be swept, and its entries now. */
struct gc_area {
	int fd; /* -1: there is none */
	char *path;
	struct strv names;
};
#define GC_AREA_INIT     \
	{                \
		.fd = -1 \
	}

/* One finding; failure is why it is still there, NULL = it is gone. */
void gc_note(struct gc *g, enum gc_kind kind, const struct gc_area *a, const char *name,
	     const struct err *failure);
/* The same of a path that is not in an area; takes it. */
void gc_note_path(struct gc *g, enum gc_kind kind, char *path, const struct err *failure);
/* Both note what they did; in a dry run they only note. */
void gc_remove_file(struct gc *g, enum gc_kind kind, const struct gc_area *a, const char *name);
void gc_remove_tree(struct gc *g, enum gc_kind kind, const struct gc_area *a, const char *name);

/* Takes the path. A directory that does not exist yet is not made for this: then a->fd is -1. */
int gc_area_open(struct gc_area *a, char *path, const char *base, const char *sub, struct err *e);
void gc_area_close(struct gc_area *a);

void gc_sweep_temporaries(struct gc *g, const struct gc_area *a);
int gc_sweep_servers(struct gc *g, struct err *e);
/* Ends what runs of the batch job g->q->job, before the sweeps. */
void gc_end_job(struct gc *g);
int gc_sweep_meta(struct gc *g, struct err *e);
int gc_sweep_containers(struct gc *g, struct err *e);
int gc_sweep_volumes(struct gc *g, struct err *e);
int gc_sweep_runs(struct gc *g, struct err *e);
int gc_sweep_engine(struct gc *g, struct err *e);
int gc_sweep_unpacked(struct gc *g, struct err *e);

#endif
