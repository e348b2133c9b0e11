/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENGINE_HTTP_H
#define CSBX_CMD_ENGINE_HTTP_H

/*
 * The room cmd/engine/http. One connection of HTTP/1.1 (RFC 9110, RFC 9112), as a server of the
 * Engine API needs it.
 *
 * In: bytes of any client. Out: requests that mean one thing only, and answers.
 *
 *	head.c	 bytes -> struct http_head: pure, fuzzed
 *	query.c	 the fields of the part behind '?': pure, fuzzed
 *	body.c	 a connection's buffer, heads and bodies as they come: by length and in chunks
 *	reply.c	 answers: whole, in chunks, and the connection as a pipe (hijack)
 *
 * Must: refuse what two readers of HTTP could take for two things: a length beside chunks, two
 * lengths, a path with "..", a folded line, a NUL. Bound every size and every wait.
 * Mustn't: know an endpoint, a container, or JSON beyond the one member of an error.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/str.h"

struct err;

#define HTTP_HEAD_MAX (64u << 10) /* request line and header lines, with the empty one */
#define HTTP_HEADERS_MAX 100u

enum http_method { HTTP_GET, HTTP_HEAD, HTTP_POST, HTTP_PUT, HTTP_DELETE, HTTP_METHODS };

struct http_head {
	enum http_method method;
	char *path;  /* begins with '/', percent-decoded, without ".." */
	char *query; /* behind '?', as it came; "" where there is none */
	bool is_old; /* HTTP/1.0 */
	bool is_chunked, has_length, keeps_alive, wants_upgrade, wants_continue;
	uint64_t length_bytes; /* of the body, with has_length */
	size_t n_headers;
	struct {
		char *name, *value;
	} headers[HTTP_HEADERS_MAX];
};

/* --- head.c --------------------------------------------------------------------------------- */

/* The number of bytes of the head, its empty line counted; 0: its end is not there yet. */
size_t http_head_end(const char *buf, size_t len);

/*
 * buf: a whole head, which is cut up in place and which the strings of *ret point into. A bad one
 * is -EBADMSG with the reason; HTTP other than 1.x -EPROTONOSUPPORT; a method that is none of the
 * Engine API's -ENOSYS; a coding of the body other than chunks -EOPNOTSUPP.
 */
int http_head_parse(char *buf, size_t len, struct http_head *ret, struct err *e);
/* The value of a header line, NULL: there is none. The first of several. */
const char *http_header(const struct http_head *h, const char *name);

/* --- query.c -------------------------------------------------------------------------------- */

/* Decodes %XX in place, and with plus '+' as a blank. -EBADMSG: bad digits, or a NUL. */
int http_decode(char *s, bool plus);

/*
 * The decoded value of the first field of that name; NULL in *ret: there is none. Caller frees.
 * -EBADMSG where it cannot be decoded.
 */
int http_query_get(const char *query, const char *name, char **ret, struct err *e);
/* The same of every field of that name. */
int http_query_list(const char *query, const char *name, struct strv *ret, struct err *e);
/* Docker's BoolValue: absent, "", "0", "no", "false" and "none", in any case, are false. */
bool http_query_true(const char *query, const char *name);

/* --- body.c --------------------------------------------------------------------------------- */

struct http_conn {
	int fd;
	int channel;           /* of the process to its parent, -1: none */
	struct http_head head; /* of the request at hand; points into `memory` */
	char *memory;
	char *buf; /* read, not yet used: [at, end) */
	size_t at, end;
	uint64_t left_bytes; /* of the body, or of its present chunk */
	bool in_chunk, body_ended, continue_due;
	bool has_answered; /* a status line was sent */
	bool must_close;   /* nothing more can be read or said here */
};

int http_conn_open(struct http_conn *c, int fd, struct err *e); /* fd stays the caller's */
void http_conn_close(struct http_conn *c);
/* In a child that outlives the request: nothing of the connection stays open there. */
void http_conn_leave(struct http_conn *c);

/*
 * The next request's head. 0: the client has gone, or was silent for too long before it began one.
 * 1: c->head is it. Errors as http_head_parse()'s, -EMSGSIZE: beyond HTTP_HEAD_MAX, -ETIMEDOUT.
 */
int http_read_head(struct http_conn *c, struct err *e);

/*
 * Up to len bytes of the body; 0 at its end. -EBADMSG: bad chunks, or the client has gone before
 * the end; -ETIMEDOUT: it stalls. A client that waits for it is told to go on first.
 */
ssize_t http_read_body(struct http_conn *c, void *buf, size_t len, struct err *e);
/* All of it; -EFBIG past max_bytes. */
int http_read_whole_body(struct http_conn *c, size_t max_bytes, struct strbuf *ret, struct err *e);
/* The unread rest of it is thrown away, so that the next head is found; much of it is not. */
void http_skip_body(struct http_conn *c);

/* --- reply.c -------------------------------------------------------------------------------- */

/* Lines "Name: value\r\n" for the answer's head; NULL: none. A NULL type: no body has one. */
struct http_reply {
	int status;
	const char *type, *lines;
};

#define HTTP_TYPE_JSON "application/json"
#define HTTP_TYPE_TEXT "text/plain; charset=utf-8"

/* An answer with its whole body. A client that has gone: must_close, no error. */
void http_reply(struct http_conn *c, const struct http_reply *r, const void *body, size_t len);
/* {"message":"..."} */
void http_reply_error(struct http_conn *c, int status, const char *message);
void http_reply_empty(struct http_conn *c, int status);

/* An answer in chunks: its head at once, then pieces as they come. -errno: the client has gone. */
int http_reply_begin(struct http_conn *c, const struct http_reply *r);
int http_reply_piece(struct http_conn *c, const void *data, size_t len);
void http_reply_end(struct http_conn *c);

/*
 * The connection becomes a pipe: 101 for a client that asked for an upgrade, else 200. Returns when
 * the client has taken the head off the socket, or has gone: clients are known that lose what comes
 * in one read with it.
 */
int http_hijack(struct http_conn *c, const char *type);

const char *http_status_text(int status);

#endif
