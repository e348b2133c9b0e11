/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_RUN_LOG_H
#define CSBX_RUNTIME_RUN_LOG_H

/*
 * The output of a detached container, in its run's directory: two files, `log` and the older
 * `log.1`, each at most half of the cap. A file is a row of frames: 16 hexadecimal digits
 * (CLOCK_REALTIME, ns), a blank, 'o' or 'e' for the stream, a blank, 8 hexadecimal digits (bytes),
 * a newline, the bytes. Bytes are as they came; a frame that is cut off at the end of a file, by a
 * kill, is not read. 'n' for the stream is a note of csbx's own: that output was lost, and why.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;

#define RUN_LOG_BYTES (16u << 20) /* the cap */
#define RUN_LOG_FRAME_MAX (1u << 20)

struct run_log {
	int dirfd, fd;
	uint64_t bytes;      /* of the file being written */
	uint64_t half_bytes; /* where the next begins */
	uint64_t lost_bytes; /* that did not fit on the disk, since the last note of it */
	uint64_t all_lost_bytes;
	int lost_error; /* why, a positive errno */
};
#define RUN_LOG_INIT                  \
	{                             \
		.dirfd = -1, .fd = -1 \
	}

/* dirfd stays the caller's, and open. */
int run_log_create(int dirfd, uint64_t cap_bytes, struct run_log *ret, struct err *e);
/* The log of a container that stays: goes on behind what is there. Its first output makes it. */
int run_log_reopen(int dirfd, uint64_t cap_bytes, struct run_log *ret, struct err *e);
/*
 * A full disk loses output, never the container: lost bytes are counted, and noted in the log as
 * soon as there is room again. stream: 1 or 2.
 */
void run_log_add(struct run_log *l, int stream, const void *data, size_t len);
void run_log_close(struct run_log *l);

struct run_log_frame {
	uint64_t time_ns;
	int stream;   /* 1, 2 */
	bool is_note; /* of csbx's own, stream is 2 */
	struct strbuf data;
};

struct run_log_reader {
	int dirfd, fd;
	uint64_t off;
	bool in_old;
};
#define RUN_LOG_READER_INIT           \
	{                             \
		.dirfd = -1, .fd = -1 \
	}

/* From the oldest frame, which need not be there yet; dirfd stays the caller's, and open. */
int run_log_open(int dirfd, struct run_log_reader *ret, struct err *e);
/* 1 and the next frame (data is overwritten), 0 when there is none yet. */
int run_log_next(struct run_log_reader *r, struct run_log_frame *f, struct err *e);
void run_log_reader_close(struct run_log_reader *r);

#endif
