/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/add_url.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/build/select.h"
#include "image/pack/tar_out.h"
#include "image/registry/transport.h"
#include "image/registry/url.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define REDIRECTS_MAX 10
#define WAIT_MS 30000u /* to connect, and for a server that sends nothing */
#define CHUNK (256u << 10)

struct fetch {
	struct add_url *u;
	struct transport *t;
	struct digest_ctx digest;
};

bool add_url_is(const char *word)
{
	return str_has_prefix(word, "http://") || str_has_prefix(word, "https://");
}

/* --- its name -------------------------------------------------------------------------------- */

static int hex(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* "%20" is a blank; a result that is no file's name is an error. */
static int set_name(struct add_url *u, const struct url *url, struct err *e)
{
	size_t len = strcspn(url->path, "?");
	const char *p = url->path + len;
	char *out;

	while (p > url->path && p[-1] != '/')
		p--;
	u->name = strndup(p, (size_t)(url->path + len - p));
	if (!u->name)
		return err_oom(e);
	out = u->name;
	for (const char *in = u->name; *in; in++) {
		int high = *in == '%' ? hex(in[1]) : -1, low = high >= 0 ? hex(in[2]) : -1;

		*out = *in;
		if (low >= 0) {
			*out = (char)(high << 4 | low);
			in += 2;
		}
		if (!*out || *out == '/')
			return err_set(e, EINVAL, "no name of a file at its end");
		out++;
	}
	*out = 0;
	return str_is_dots(u->name) ? err_set(e, EINVAL, "no name of a file at its end") : 0;
}

/* --- its bytes ------------------------------------------------------------------------------- */

static int take(void *arg, const void *data, size_t len, struct err *e)
{
	struct fetch *f = arg;

	digest_update(&f->digest, data, len);
	f->u->size_bytes += len;
	return io_write_all(f->u->fd, data, len, e);
}

static int64_t modified(const struct http_response *answer)
{
	const char *text = http_answer_header(answer, "Last-Modified", 0);
	struct tm tm = {0};

	return text && strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &tm) ? (int64_t)timegm(&tm) : 0;
}

/* 1: *at is where the server sends us. */
static int ask(struct fetch *f, struct url *at, struct err *e)
{
	_http_response_ struct http_response answer = {0};
	static const struct transport_tls tls;
	const struct http_request q = {
		.method = "GET",
		.url = at,
		.max_bytes = TRANSPORT_ERROR_BODY_MAX,
		.tls = &tls,
		.limits = {.connect_ms = WAIT_MS, .stall_ms = WAIT_MS},
		.sink = take,
		.arg = f,
	};
	_url_ struct url next = {0};
	const char *location;
	int r = transport_request(f->t, &q, &answer, e);

	if (r < 0)
		return r;
	if (answer.status == 200) {
		f->u->mtime_s = modified(&answer);
		return 0;
	}
	location = answer.status / 100 == 3 ? http_answer_header(&answer, "Location", 0) : NULL;
	if (!location)
		return err_set(e, ENOENT, "the server answers %u", answer.status);
	r = url_resolve(at, location, &next, e);
	if (r >= 0)
		r = url_may_go(at, &next, e);
	if (r < 0)
		return r;
	url_free(at);
	*at = next;
	next = (struct url){0};
	return 1;
}

static int fetch(struct fetch *f, struct url *at, struct err *e)
{
	int r = digest_init(&f->digest, f->u->digest.alg, e), n = 0;

	if (r >= 0)
		r = transport_open(&f->t, e);
	if (r < 0)
		return r;
	while ((r = ask(f, at, e)) > 0) {
		if (++n > REDIRECTS_MAX)
			return err_set(e, ELOOP, "more than %d redirects", REDIRECTS_MAX);
	}
	return r;
}

static int check(struct fetch *f, const struct digest *wanted, struct err *e)
{
	char is[DIGEST_TEXT_MAX], was[DIGEST_TEXT_MAX];
	int r = digest_final(&f->digest, &f->u->digest, e);

	if (r < 0 || !digest_is_set(wanted) || digest_equal(wanted, &f->u->digest))
		return r;
	return err_set(e, EBADMSG, "digest mismatch %s: %s", digest_format(&f->u->digest, is),
		       digest_format(wanted, was));
}

int add_url_open(struct add_url *u, char *text, const char *wanted, int dirfd, struct err *e)
{
	struct fetch f = {.u = u, .digest = DIGEST_CTX_INIT};
	struct digest want = {0};
	_url_ struct url at = {0};
	int r;

	*u = (struct add_url){.text = text, .fd = -1};
	r = wanted ? digest_parse(wanted, &want, e) : 0;
	if (r < 0)
		return err_wrap(e, "--checksum=%.150s", wanted);
	u->digest = want;
	r = url_parse(text, &at, e);
	if (r >= 0)
		r = set_name(u, &at, e);
	if (r < 0)
		return r;
	u->fd = openat(dirfd, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	if (u->fd < 0)
		return err_sys(e, "a file for it");
	r = fetch(&f, &at, e);
	if (r >= 0)
		r = check(&f, &want, e);
	digest_free(&f.digest);
	transport_close(&f.t);
	return r;
}

void add_url_close(struct add_url *u)
{
	fd_close(&u->fd);
	free(u->name);
	u->name = NULL;
}

int add_url_pack(const struct add_url *u, const struct select_rules *rules, struct tar_out *out,
		 struct err *e)
{
	const struct tar_header h = {
		.path = *u->name ? u->name : ADD_URL_NAME,
		.mode = S_IFREG | (rules->mode >= 0 ? (mode_t)rules->mode : 0600),
		.uid = rules->uid >= 0 ? rules->uid : 0,
		.gid = rules->gid >= 0 ? rules->gid : 0,
		.mtime_s = u->mtime_s,
		.size_bytes = (int64_t)u->size_bytes,
	};
	_free_ char *buf = malloc(CHUNK);
	int r = buf ? tar_out_member(out, &h, e) : err_oom(e);

	for (uint64_t at = 0; r >= 0 && at < u->size_bytes;) {
		uint64_t left = u->size_bytes - at;
		size_t n = left < CHUNK ? (size_t)left : CHUNK;

		r = io_pread_exact(u->fd, buf, n, at, e);
		if (r >= 0)
			r = tar_out_data(out, buf, n, e);
		at += n;
	}
	return r;
}
