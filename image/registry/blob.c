/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/priv.h"

#include <stdlib.h>

#include "image/model/digest.h"
#include "image/registry/http_value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/base/num.h"

/*
 * A blob in as many requests as it takes. Each goes through the registry anew, because the signed
 * URL of the last one may have expired. A range is asked for unless the server has shown that it
 * does not keep to it; then the whole is read and what is there already is passed over. As long
 * as a try brings a piece worth having, tries are not counted.
 */

#define PROGRESS_BYTES (1u << 20)

struct reading {
	struct registry *r;
	const struct registry_blob *blob;
	uint64_t at;       /* bytes the sink has, from the blob's beginning */
	uint64_t skip;     /* bytes of this answer to pass over */
	uint64_t left;     /* bytes of this answer to come */
	bool no_ranges;    /* this server answered a range with nonsense */
	unsigned failures; /* tries in a row that brought little */
};

static int wrong_size(const struct reading *rd, uint64_t got, struct err *e)
{
	return err_set(e, EBADMSG, "the registry's blob has %llu bytes, the manifest says %llu",
		       (unsigned long long)got, (unsigned long long)rd->blob->size_bytes);
}

/* 206 must be exactly the rest. The other answers to a range are the whole, or an error status. */
static int check_range(struct reading *rd, const struct http_response *answer, struct err *e)
{
	const char *value = http_answer_header(answer, "Content-Range", 0);
	const struct registry_blob *blob = rd->blob;
	struct content_range range;

	if (!value || content_range_parse(value, &range) < 0 || range.first != rd->at ||
	    range.last != blob->size_bytes - 1 ||
	    (range.total != UINT64_MAX && range.total != blob->size_bytes)) {
		rd->no_ranges = true;
		return err_set(e, ECONNRESET,
			       "wrong Content-Range in the answer to bytes %llu-: %.60s",
			       (unsigned long long)rd->at, value ? value : "none");
	}
	rd->skip = 0;
	rd->left = blob->size_bytes - rd->at;
	return 0;
}

static int begin(void *arg, const struct http_response *answer, struct err *e)
{
	struct reading *rd = arg;
	const char *length = http_answer_header(answer, "Content-Length", 0);
	uint64_t n;

	if (answer->status == 206)
		return check_range(rd, answer, e);
	rd->skip = rd->at;
	rd->left = rd->blob->size_bytes;
	if (length && !num_parse_u64(length, INT64_MAX, &n) && n != rd->left)
		return wrong_size(rd, n, e);
	return 0;
}

static int take(void *arg, const void *data, size_t len, struct err *e)
{
	struct reading *rd = arg;
	const char *p = data;
	uint64_t pass = len < rd->skip ? len : rd->skip;
	int k;

	if (len > rd->left)
		return wrong_size(rd, rd->blob->size_bytes - rd->left + len, e);
	rd->left -= len;
	rd->skip -= pass;
	if (pass == len)
		return 0;
	k = rd->blob->sink(rd->blob->arg, p + pass, len - (size_t)pass, e);
	if (k >= 0)
		rd->at += len - pass;
	return k;
}

/* One try at one server. 0: the blob is whole. */
static int read_once(struct reading *rd, struct server *s, const char *path, const char *what,
		     uint64_t *ret_pause_ms, struct err *e)
{
	_http_response_ struct http_response answer = {0};
	_free_ char *range = NULL;
	struct question q = {.method = "GET",
			     .path = path,
			     .what = what,
			     .blob = &rd->blob->digest,
			     .foreign = rd->blob->foreign,
			     .begin = begin,
			     .sink = take,
			     .arg = rd};
	int k;

	*ret_pause_ms = 0;
	if (rd->at && !rd->no_ranges) {
		range = str_printf("Range: bytes=%llu-", (unsigned long long)rd->at);
		if (!range)
			return err_oom(e);
	}
	q.range = range;
	k = registry_try(rd->r, s, &q, rd->failures + 1, &answer, ret_pause_ms, e);
	/*
	 * 416: there is no such range there. Our bytes are of another blob, or the server errs.
	 */
	if (k < 0 && answer.status == 416 && range) {
		rd->no_ranges = true;
		*ret_pause_ms = 1;
	}
	if (k >= 0 && rd->left)
		return err_set(e, EBADMSG, "%s: %s: the registry's blob ends %llu bytes too early",
			       rd->r->name, what, (unsigned long long)rd->left);
	return k;
}

/* As often as it takes. */
static int read_from(struct reading *rd, struct server *s, const char *path, const char *what,
		     struct err *e)
{
	registry_ask_begin(s);
	rd->failures = 0;
	rd->no_ranges = false;
	for (;;) {
		uint64_t before = rd->at, pause_ms;
		int k = read_once(rd, s, path, what, &pause_ms, e);

		if (k >= 0)
			return 0;
		if (rd->at - before >= PROGRESS_BYTES)
			rd->failures = 0;
		if (!pause_ms || ++rd->failures >= registry_tries(rd->r, s, k))
			return k;
		log_trace("%s: at %llu: %s", what, (unsigned long long)rd->at, e ? e->msg : "");
		k = registry_pause(rd->r, pause_ms, e);
		if (k < 0)
			return k;
	}
}

int registry_get_blob(struct registry *r, const struct registry_blob *blob, struct err *e)
{
	struct reading rd = {.r = r, .blob = blob, .at = blob->offset};
	char digest[DIGEST_TEXT_MAX];
	_free_ char *path = str_printf("blobs/%s", digest_format(&blob->digest, digest));
	_free_ char *what = str_printf("blob %.19s", digest);
	int k = -EIO;

	if (!path || !what)
		return err_oom(e);
	if (blob->size_bytes && blob->offset == blob->size_bytes)
		return 0;
	for (size_t i = 0; i < r->n_servers; i++) {
		struct server *s = &r->servers[i];

		k = read_from(&rd, s, path, what, e);
		if (k >= 0 || k == -ECANCELED)
			return k;
	}
	return k;
}
