/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_WORKER_H
#define CSBX_CMD_EVAL_BATCH_WORKER_H

/*
 * A process that works on a line, and on the next one of its slot where the work allows it. A
 * socket has the lines that way and the records this way, each with its length in front.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/str.h"

struct batch;
struct err;

enum batch_ran {
	BATCH_RAN,
	BATCH_LOST, /* it ended without a record; never returned */
	BATCH_BAD_LINE,
	BATCH_FAILED, /* csbx could not run it */
};

/* In front of a record. */
struct batch_head {
	uint64_t len;
	uint32_t how;     /* enum batch_ran */
	uint32_t goes_on; /* it waits for another line */
};

struct batch_worker {
	pid_t pid; /* 0: there is none */
	bool is_busy;
	int fd;
	uint64_t turn;
	uint64_t number;     /* of its line */
	struct strbuf label; /* of its line; empty: it has none */
	unsigned occurrence;
	struct batch_head head;
	size_t head_len; /* bytes of it that have come */
	struct strbuf record;
};

/*
 * w->number, label and occurrence are the line's. mask: the signals that it has blocked. end: a
 * pipe, whose writer it closes: its containers end when the pipe has no writer left.
 */
int batch_worker_start(struct batch_worker *w, const struct batch *b, const char *text, size_t len,
		       const sigset_t *mask, int end[2], struct err *e);
/* Gives that line to one that waits. False: it is gone, and has not had the line. */
bool batch_worker_go_on(struct batch_worker *w, const char *text, size_t len);
/* Reads what has come. 1: the record is there, or none will come. */
int batch_worker_read(struct batch_worker *w, struct err *e);
/* Waits for its end, unless it waits for a line. w->record is a record in any case. */
enum batch_ran batch_worker_finish(struct batch_worker *w);
/* Ends one that waits for a line. */
void batch_worker_end(struct batch_worker *w);

#endif
