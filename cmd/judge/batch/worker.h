/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_WORKER_H
#define CSBX_CMD_EVAL_BATCH_WORKER_H

/* A process that works on one line. */

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/str.h"

struct batch;
struct err;

struct batch_worker {
	pid_t pid; /* 0: free */
	int fd;    /* the record comes from here */
	uint64_t turn;
	uint64_t number;     /* of its line */
	struct strbuf label; /* of its line; empty: it has none */
	unsigned occurrence;
	struct strbuf record;
};

enum batch_ran {
	BATCH_RAN,
	BATCH_LOST, /* it ended without a record; never returned */
	BATCH_BAD_LINE,
	BATCH_FAILED, /* csbx could not run it */
};

/*
 * w->number, label and occurrence are the line's. mask: the signals that it has blocked. end: a pipe, whose writer it closes: its containers end
 * when the pipe has no writer left.
 */
int batch_worker_start(struct batch_worker *w, const struct batch *b, const char *text, size_t len,
		       const sigset_t *mask, int end[2], struct err *e);
/* Reads what has come. 1: there is no more. */
int batch_worker_read(struct batch_worker *w, struct err *e);
/* Waits for its end. w->record is a record in any case. */
enum batch_ran batch_worker_reap(struct batch_worker *w);

#endif
