/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/priv.h"

#include <stdlib.h>

#include "image/model/digest.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/log.h"
#include "runtime/base/num.h"

/*
 * A blob goes in pieces, each with its place: after a break the registry is asked how much it has.
 * One that has forgotten the upload gets all of it once more.
 */

#define PIECE_BYTES (8u << 20)
#define ANSWER_BYTES_MAX (1u << 20)

struct uploading {
	struct registry *r;
	struct server *s;
	const struct registry_upload *u;
	const char *what;
	char *location;
	uint64_t at; /* the registry has so much */
	unsigned failures;
	void *piece;
};

static const char *const octets = "Content-Type: application/octet-stream";
/* curl would wait a second for a server that does not say 100. */
static const char *const at_once = "Expect:";

static struct server *registry_itself(const struct registry *r)
{
	return &r->servers[r->n_servers - 1];
}

/* A 404 to something that is sent means the repository. */
static int explain(const struct registry *r, const struct http_response *answer, int k,
		   struct err *e)
{
	if (k >= 0 || answer->status != 404)
		return k;
	return err_set(e, ENOENT,
		       "%s: the registry has no such repository, or none that you may write to",
		       r->name);
}

/* 1: it is there, 0: it is not. */
static int has_blob(struct registry *r, const struct registry_upload *u, const char *what,
		    struct err *e)
{
	_http_response_ struct http_response answer = {0};
	char digest[DIGEST_TEXT_MAX];
	_free_ char *path = str_printf("blobs/%s", digest_format(&u->digest, digest));
	const struct question q = {
		.method = "HEAD", .path = path, .what = what, .blob = &u->digest};
	const char *length;
	uint64_t n;
	int k = path ? registry_ask(r, &q, &answer, e) : err_oom(e);

	/* Whatever else it says: the upload will tell. */
	if (k == -ENODATA)
		return 0;
	if (k < 0)
		return k;
	length = http_answer_header(&answer, "Content-Length", 0);
	return !length || num_parse_u64(length, INT64_MAX, &n) < 0 || n == u->size_bytes;
}

static int take_location(struct uploading *x, const struct http_response *answer, struct err *e)
{
	const char *to = http_answer_header(answer, "Location", 0);

	if (!to)
		return err_set(e, EPROTO, "%s: %s: the registry names no place for the upload",
			       x->r->name, x->what);
	free(x->location);
	x->location = strdup(to);
	return x->location ? 0 : err_oom(e);
}

/* 1: nothing is to be sent, the registry had it in another repository. */
static int begin_upload(struct uploading *x, struct err *e)
{
	_http_response_ struct http_response answer = {0};
	_strbuf_ struct strbuf path = STRBUF_INIT;
	char digest[DIGEST_TEXT_MAX];
	struct question q = {.method = "POST", .max_bytes = ANSWER_BYTES_MAX, .what = x->what};
	int k;

	strbuf_addstr(&path, "blobs/uploads/");
	if (x->u->mount_from) {
		auth_add_query(&path, "mount", digest_format(&x->u->digest, digest));
		auth_add_query(&path, "from", x->u->mount_from);
	}
	k = strbuf_check(&path, e);
	q.path = path.data;
	if (k >= 0)
		k = registry_ask(x->r, &q, &answer, e);
	if (k < 0)
		return explain(x->r, &answer, k, e);
	x->at = 0;
	return answer.status == 201 ? 1 : take_location(x, &answer, e);
}

/* "Range: 0-N" says that N is the last byte it has; "0-0" may mean none as well. */
static void take_range(struct uploading *x, const struct http_response *answer, uint64_t expected)
{
	const char *range = http_answer_header(answer, "Range", 0),
		   *dash = range ? strchr(range, '-') : NULL;
	uint64_t last;

	if (dash && num_parse_u64(dash + 1, INT64_MAX, &last) >= 0 && last < x->u->size_bytes)
		x->at = last ? last + 1 : expected ? 1 : 0;
	else
		x->at = expected;
}

static int send_piece(struct uploading *x, uint64_t *ret_pause_ms, struct err *e)
{
	_http_response_ struct http_response answer = {0};
	uint64_t left = x->u->size_bytes - x->at;
	size_t n = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
	_strv_ struct strv headers = STRV_INIT;
	struct question q = {.method = "PATCH",
			     .location = x->location,
			     .headers = &headers,
			     .data = x->piece,
			     .data_len = n,
			     .max_bytes = ANSWER_BYTES_MAX,
			     .what = x->what};
	int k = io_pread_exact(x->u->fd, x->piece, n, x->at, e);

	*ret_pause_ms = 0;
	strv_add(&headers, octets);
	strv_add(&headers, at_once);
	strv_take(&headers, str_printf("Content-Range: %llu-%llu", (unsigned long long)x->at,
				       (unsigned long long)(x->at + n - 1)));
	if (k >= 0)
		k = strv_check(&headers, e);
	if (k < 0)
		return k;
	k = registry_try(x->r, x->s, &q, x->failures + 1, &answer, ret_pause_ms, e);
	if (k < 0) {
		/* It has more or less than we think, or has forgotten all of it: it is asked. */
		if (answer.status == 416 || answer.status == 404)
			*ret_pause_ms = 1;
		return k;
	}
	take_range(x, &answer, x->at + n);
	return take_location(x, &answer, e);
}

/* Asks how many bytes the registry has; if it does not know the upload, begins another. */
static int find_position(struct uploading *x, struct err *e)
{
	_http_response_ struct http_response answer = {0};
	const struct question q = {.method = "GET",
				   .location = x->location,
				   .max_bytes = ANSWER_BYTES_MAX,
				   .what = x->what};
	int k = registry_ask(x->r, &q, &answer, e);

	if (k >= 0) {
		take_range(x, &answer, 0);
		return http_answer_header(&answer, "Location", 0) ? take_location(x, &answer, e)
								  : 0;
	}
	return answer.status == 404 ? begin_upload(x, e) : k;
}

static int send_pieces(struct uploading *x, struct err *e)
{
	registry_ask_begin(x->s);
	while (x->at < x->u->size_bytes) {
		uint64_t before = x->at, pause_ms;
		int k;

		if (x->u->stop && *x->u->stop)
			return err_set(e, ECANCELED, "%s: not sent", x->what);
		k = send_piece(x, &pause_ms, e);

		if (k >= 0) {
			x->failures = x->at > before ? 0 : x->failures + 1;
			if (x->u->progress)
				x->u->progress(x->u->arg, x->at);
		}
		if (k >= 0 && x->failures < registry_tries(x->r, x->s, -ECONNRESET))
			continue;
		if (k >= 0)
			return err_set(e, EPROTO, "%s: %s: the registry takes no more of it",
				       x->r->name, x->what);
		if (!pause_ms || ++x->failures >= registry_tries(x->r, x->s, k))
			return k;
		log_trace("%s: at %llu: %s", x->what, (unsigned long long)x->at, e ? e->msg : "");
		k = registry_pause(x->r, pause_ms, e);
		if (k >= 0)
			k = find_position(x, e);
		if (k)
			return k;
	}
	return 0;
}

static int end_upload(struct uploading *x, struct err *e)
{
	_http_response_ struct http_response answer = {0};
	_strbuf_ struct strbuf to = STRBUF_INIT;
	_strv_ struct strv headers = STRV_INIT;
	char digest[DIGEST_TEXT_MAX];
	struct question q = {.method = "PUT",
			     .headers = &headers,
			     .max_bytes = ANSWER_BYTES_MAX,
			     .what = x->what};
	int k;

	strbuf_addstr(&to, x->location);
	auth_add_query(&to, "digest", digest_format(&x->u->digest, digest));
	strv_add(&headers, octets);
	k = strbuf_check(&to, e);
	if (k >= 0)
		k = strv_check(&headers, e);
	q.location = to.data;
	if (k >= 0)
		k = registry_ask(x->r, &q, &answer, e);
	return explain(x->r, &answer, k, e);
}

int registry_put_blob(struct registry *r, const struct registry_upload *u, struct err *e)
{
	char digest[DIGEST_TEXT_MAX];
	_free_ char *what = str_printf("blob %.19s", digest_format(&u->digest, digest));
	struct uploading x = {.r = r, .s = registry_itself(r), .u = u, .what = what};
	int k = what ? has_blob(r, u, what, e) : err_oom(e);

	if (k)
		return k < 0 ? k : REGISTRY_WAS_THERE;
	x.piece = malloc(PIECE_BYTES);
	k = x.piece ? begin_upload(&x, e) : err_oom(e);
	if (k == 0)
		k = send_pieces(&x, e);
	if (k == 0)
		k = end_upload(&x, e);
	free(x.piece);
	free(x.location);
	return k < 0 ? k : k ? REGISTRY_MOUNTED : REGISTRY_SENT;
}

int registry_put_manifest(struct registry *r, const char *media_type, const void *text, size_t len,
			  struct err *e)
{
	_http_response_ struct http_response answer = {0};
	_free_ char *path = str_printf("manifests/%s", r->tag);
	_strv_ struct strv headers = STRV_INIT;
	const struct question q = {.method = "PUT",
				   .path = path,
				   .headers = &headers,
				   .data = text,
				   .data_len = len,
				   .max_bytes = ANSWER_BYTES_MAX,
				   .what = "the manifest"};
	int k = path ? 0 : err_oom(e);

	strv_take(&headers, str_printf("Content-Type: %s", media_type));
	strv_add(&headers, at_once);
	if (k >= 0)
		k = strv_check(&headers, e);
	if (k >= 0)
		k = registry_ask(r, &q, &answer, e);
	return explain(r, &answer, k, e);
}
