/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_PUMP_H
#define CSBX_RUNTIME_PUMP_H

/*
 * One stream that is copied: from a descriptor to another, or to an audience (audience.h), through
 * one buffer that is read into when it is empty.
 */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/stream/capture.h"
#include "runtime/stream/detach_keys.h"

struct audience;
struct err;
struct run_log;

#define PUMP_BUFFER_BYTES 65536u

struct pump {
	int src, dst; /* -1: ended */
	bool own_src, own_dst;
	bool pass;           /* the bytes read go to dst */
	bool paused;         /* not read for now; its end is still noticed */
	bool keep_src;       /* of output: it is read on though its reader has gone */
	bool keep_dst;       /* the end of src is not the end: another may come */
	char end_char;       /* end of src is written to dst as this character; 0: dst is closed */
	struct run_log *log; /* takes what is read instead of dst; NULL: none */
	struct audience *audience; /* takes what is read instead of dst; NULL: none */
	struct capture
		*keep; /* head and tail are kept, and only the head is passed; NULL: all is */
	int number;    /* 1 or 2: which stream it is, for the log */
	uint64_t total,
		stop_after; /* stop_after: 0 = never, else the byte after which it is too much */
	struct detach_keys *keys; /* looked for in what is read; NULL: none */
	bool is_left;             /* they have come */
	bool too_much, is_fresh;  /* is_fresh: the buffer was filled since someone looked */
	char *buf;
	size_t off, len; /* buf[off..off+len) waits to be written */
};

extern const struct pump no_pump;

/* src -1: one will come. dst -1: bytes that are read are kept or counted only. */
int pump_init(struct pump *p, int src, bool own_src, int dst, bool own_dst, struct err *e);
void pump_done(struct pump *p);
/* The source has ended, or is taken away. */
void pump_end_src(struct pump *p);

/* Adds what it waits for; how many entries. */
unsigned pump_poll(const struct pump *p, struct pollfd *out);
/* fd, one of those, has events. */
void pump_handle(struct pump *p, int fd);
bool pump_is_busy(const struct pump *p); /* something is to come or to be written */

/* Our own end must not block us; the other end, and the caller's descriptors, stay as they are. */
void pump_set_nonblocking(int fd);

#endif
