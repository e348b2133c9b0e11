/* SPDX-License-Identifier: Apache-2.0 */
#include "image/source/engine_priv.h"

#include <stdlib.h>

#include "runtime/base/json/json.h"
#include "image/bytes/spool.h"
#include "image/registry/transport.h"
#include "image/registry/url.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define CONNECT_MS 10000u
/* podman writes the whole archive before it sends its first byte. */
#define STALL_MS 600000u

struct engine {
	enum engine_kind kind;
	const char *socket;
	const struct engine_options *options;
	struct transport *transport;
};

static int answer_to_error(const struct engine *g, const struct http_response *answer,
			   struct err *e)
{
	_free_ char *message = engine_parse_message(strbuf_str(&answer->body), answer->body.len);
	int code = answer->status == 404 ? ENOENT : EREMOTEIO;

	err_set(e, code, "%s answered %u%s%.300s", engine_name(g->kind), answer->status,
		message ? ": " : "", message ? message : "");
	if (e)
		err_sanitize(e);
	return -code;
}

/* GET /images/<name>/<what>; sink NULL: the answer's body is collected. */
static int get(const struct engine *g, const char *name, const char *what, struct http_request *q,
	       struct http_response *answer, struct err *e)
{
	char host[] = "localhost";
	struct url url = {.host = host, .port = 80};
	int r;

	url.path = str_printf("/images/%s/%s", name, what);
	if (!url.path)
		return err_oom(e);
	q->method = "GET";
	q->url = &url; /* cppcheck-suppress autoVariables */
	q->unix_socket = g->socket;
	q->limits = (struct transport_limits){.connect_ms = CONNECT_MS, .stall_ms = STALL_MS};
	q->cancel = g->options->cancel;
	r = transport_request(g->transport, q, answer, e);
	q->url = NULL;
	free(url.path);
	if (r < 0)
		return err_wrap(e, "%s", g->socket);
	return answer->status == 200 ? 0 : answer_to_error(g, answer, e);
}

/* A name may stand for several images of an archive (docker saves all tags), an id never does. */
static int look_up(const struct engine *g, const char *name, char **ret_id, struct err *e)
{
	_http_response_ struct http_response answer = {0};
	struct http_request q = {.max_bytes = JSON_MANIFEST_MAX};
	int r = get(g, name, "json", &q, &answer, e);

	if (r < 0)
		return r;
	r = engine_parse_id(strbuf_str(&answer.body), answer.body.len, ret_id, e);
	return r < 0 ? err_wrap(e, "what %s says about the image", engine_name(g->kind)) : 0;
}

static int write_piece(void *arg, const void *data, size_t len, struct err *e)
{
	return spool_write(arg, data, len, e);
}

static int save(const struct engine *g, const char *name, int tmp_dirfd, struct err *e)
{
	_http_response_ struct http_response answer = {0};
	_spool_ struct spool out = {.fd = -1, .watch = g->options->watch};
	struct http_request q = {.sink = write_piece, .arg = &out};
	_free_ char *id = NULL;
	int r = look_up(g, name, &id, e);

	if (r >= 0)
		r = spool_open(&out, tmp_dirfd, e);
	if (r >= 0)
		r = get(g, id, "get", &q, &answer, e);
	return r < 0 ? r : take_fd(&out.fd);
}

int engine_save_by_socket(enum engine_kind kind, const char *name, const char *path,
			  const struct engine_options *o, int tmp_dirfd, struct err *e)
{
	struct engine g = {.kind = kind, .socket = path, .options = o};
	int r = transport_open(&g.transport, e);

	if (r < 0)
		return r;
	r = save(&g, name, tmp_dirfd, e);
	transport_close(&g.transport);
	return r;
}
