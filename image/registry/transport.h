/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_TRANSPORT_H
#define CSBX_IMAGE_TRANSPORT_H

/*
 * One HTTP request and its answer, over libcurl. The transport does only what a caller asks for: it
 * follows no redirect, reads no netrc, keeps no credential, decompresses no body. Proxies are those
 * of the environment (http_proxy, https_proxy, all_proxy, no_proxy), never for names of this
 * machine. A transport keeps its connections open between requests; it serves one thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;
struct url;

#define TRANSPORT_HEADERS_MAX (64u << 10)
#define TRANSPORT_ERROR_BODY_MAX (64u << 10)

/* The means to check a server's identity; all pointers may be NULL. */
struct transport_tls {
	const char *ca_pem;               /* certificates trusted besides the system's */
	const char *cert_file, *key_file; /* our own, for servers that ask */
	bool no_verify;
};

struct transport_limits {
	uint64_t connect_ms; /* until connected */
	uint64_t stall_ms;   /* less than 1 kB/s for that long ends the request */
};

struct http_response {
	unsigned status;
	struct strv headers; /* "Name: value" as they came */
	struct strbuf body;  /* when there is no sink, and of answers other than 2xx */
};

struct http_request {
	const char *method; /* "GET", "HEAD", "POST", "PUT", "PATCH" */
	const struct url *url;
	const char *unix_socket;    /* connect there instead of to the host; NULL: do not */
	const struct strv *headers; /* NULL: none besides Host and User-Agent */
	const char *body;           /* of a POST, as a form */
	const void *data;           /* of a POST, PUT or PATCH instead: data_len bytes */
	size_t data_len;
	size_t max_bytes; /* of an answer's body without sink */
	const struct transport_tls *tls;
	struct transport_limits limits;
	/* Before the first byte of a 2xx answer's body; an error ends the request with it. */
	int (*begin)(void *arg, const struct http_response *answer, struct err *e);
	/* Takes the body of a 2xx answer piece by piece. NULL: it is collected. */
	int (*sink)(void *arg, const void *data, size_t len, struct err *e);
	void *arg; /* of both */
	/* Every second or oftener, with whether anything came since the last time. NULL: not. */
	void (*tick)(void *arg, const struct http_request *q, bool heard);
	void *tick_arg;
	const _Atomic int *cancel; /* NULL, or ends the request when non-zero: -ECANCELED */
};

struct transport;

int transport_open(struct transport **ret, struct err *e);
void transport_close(struct transport **t);

/*
 * 0 when an answer came, whatever its status. Else no process was reached or the answer did not end
 * well: -EHOSTUNREACH the name is unknown, -ECONNREFUSED not connected, -ECONNRESET cut off,
 * -ETIMEDOUT, -EKEYREJECTED the certificate is not trusted, -EPROTO no TLS or no HTTP spoken,
 * -EFBIG more than max_bytes, -ECANCELED, or what begin or sink returned. answer holds what was
 * read until then.
 */
int transport_request(struct transport *t, const struct http_request *q,
		      struct http_response *answer, struct err *e);

void http_response_free(struct http_response *answer);
#define _http_response_ __attribute__((cleanup(http_response_free)))

/* Value number i (from 0) of a header without blanks around it, NULL: there are no more. */
const char *http_answer_header(const struct http_response *answer, const char *name, size_t i);

#endif
