/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CAPTURE_H
#define CSBX_RUNTIME_CAPTURE_H

/*
 * Keeps the beginning and the end of a stream of any length in bounded memory: the first half of
 * `limit` bytes, and a ring of the last half. The bytes between are counted and dropped.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct strbuf;

struct capture {
	uint64_t limit;    /* bytes kept at most; 0 keeps nothing and counts */
	uint64_t total;    /* bytes seen */
	char *head, *tail; /* allocated as they fill */
	size_t head_len, head_cap;
	size_t tail_size; /* of the ring, limit - limit / 2 once allocated */
	bool failed;      /* out of memory: the kept output is incomplete */
};

void capture_init(struct capture *c, uint64_t limit);
void capture_free(struct capture *c);

/* Returns how many of the bytes belong to the head: a front end that passes a stream on may write
 * these at once and the tail at the end. */
size_t capture_add(struct capture *c, const char *buf, size_t len);

bool capture_is_truncated(const struct capture *c);

/*
 * Appends what was kept, head then tail. If bytes are missing between them and both sides are UTF-8
 * but for the cut, the cut moves to a character boundary. skip_head leaves the head out.
 */
void capture_text(const struct capture *c, bool skip_head, struct strbuf *out);

#endif
