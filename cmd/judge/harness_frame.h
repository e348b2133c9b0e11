/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_HARNESS_FRAME_H
#define CSBX_CMD_EVAL_HARNESS_FRAME_H

/* Frames of the channel to a judged program (cmd/harness/PROTOCOL.md). Its words are foreign. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;

#define FRAME_HEAD_BYTES 16u
#define FRAME_PAYLOAD_MAX (8u << 20)

struct harness_frame {
	char kind;
	uint64_t number;
	const char *payload;
	size_t len;
};

/* The bytes that have been read and not been used yet. */
struct harness_buffer {
	struct strbuf data;
	size_t used;
};

/*
 * Reads what fd has, once, without waiting. 1: something came, 0: end of file, also where the peer
 * has left bytes unread, -EAGAIN, -errno.
 */
int harness_frame_fill(struct harness_buffer *b, int fd, struct err *e);
/*
 * Likewise; *got, -1 before, becomes a descriptor that came with it, the caller's. It comes with the
 * first byte that it was sent with.
 */
int harness_frame_fill_with(struct harness_buffer *b, int fd, int *got, struct err *e);
/* The next whole frame, valid until the next fill: 1, 0 where there is none yet, -EBADMSG. */
int harness_frame_next(struct harness_buffer *b, struct harness_frame *ret, struct err *e);
void harness_buffer_free(struct harness_buffer *b);

void harness_frame_write(struct strbuf *out, char kind, uint64_t number, const void *payload,
			 size_t len);

#endif
