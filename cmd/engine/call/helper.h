/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENGINE_HELPER_H
#define CSBX_CMD_ENGINE_HELPER_H

/*
 * csbx-image as a child of a connection: it knows archives and registries, which this program does
 * not. It is given words, reads the request's body on standard input where that is wanted, and
 * answers on standard output: one line of JSON, which says {"status", "message"} where nothing
 * could be done, and behind it what the client gets, byte by byte.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cmd/engine/call/call.h"

struct err;
struct json;

struct helper {
	pid_t pid;
	int in, out; /* our ends, -1: none */
	struct json *said;
};
#define HELPER_INIT                 \
	{                           \
		.in = -1, .out = -1 \
	}

/* words: what follows the program's name, NULL-terminated. secret: HELPER_SECRET of its
 * environment, NULL: none. */
#define HELPER_SECRET "CSBX_ENGINE_SECRET"
int helper_start(struct helper *h, const char *const *words, const char *secret, bool wants_in,
		 struct err *e);
/* The request's body goes to it, until the end of either. -errno: of the client's. */
int helper_feed(struct call *k, struct helper *h, struct err *e);
/* Its line, into h->said. */
int helper_read_line(struct helper *h, struct err *e);
/* True: it has failed (so has r), and the client was told. */
bool helper_reply_failure(struct call *k, const struct helper *h, int r, const struct err *e);
/* The data behind the line, as chunks, until it ends. */
void helper_relay(struct call *k, struct helper *h, const struct http_reply *reply);
/* Waits for the child's end; true when it has done all it was to do. */
bool helper_end(struct helper *h);

/*
 * All of the above: the body in where wants_in, the line, then what follows it as the answer's
 * chunks. An answer that breaks off has no last chunk.
 */
struct helper_ask {
	const char *const *words;
	const char *secret;
	bool wants_in;
	const struct http_reply *reply;
};
void helper_answer(struct call *k, const struct helper_ask *ask);

#endif
