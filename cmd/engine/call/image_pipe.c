/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The calls that archives and registries have part in: pull, push, import, load, save, commit,
 * auth, distribution. csbx-image does the work (cmd/docker/system/image_pipe.h).
 */

#include "cmd/engine/call/helper.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

struct pipe_ask {
	const char *verb, *secret;
	bool wants_in;
	int status; /* of the answer, 0: 200 */
	const char *type;
};

/* request: is freed. */
static void ask(struct call *k, const struct pipe_ask *a, struct json_out *request)
{
	const struct http_reply reply = {a->status ? a->status : 200,
					 a->type ? a->type : HTTP_TYPE_JSON, NULL};
	const char *words[] = {"__images", a->verb, NULL, NULL};
	struct err e = ERR_INIT;

	if (json_finish(request, &e) < 0) {
		call_reply_err(k, &e);
	} else {
		words[2] = strbuf_str(&request->buf);
		helper_answer(k, &(struct helper_ask){words, a->secret, a->wants_in, &reply});
	}
	json_out_free(request);
}

/* Members of the request that are fields of the query, the names of both. */
static int add_fields(struct call *k, struct json_out *j, const char *const (*fields)[2])
{
	for (size_t i = 0; fields[i][0]; i++) {
		_free_ char *text = NULL;

		if (call_query(k, fields[i][1], &text) < 0)
			return -EINVAL;
		if (text)
			json_kstr(j, fields[i][0], text);
	}
	return 0;
}

/* Every field of that name, and of each every line: clients send both. */
static int add_list(struct call *k, struct json_out *j, const char *key, const char *field)
{
	_strv_ struct strv all = STRV_INIT, lines = STRV_INIT;
	struct err e = ERR_INIT;
	int r = http_query_list(k->conn->head.query, field, &all, &e);

	for (size_t i = 0; i < all.n; i++) {
		for (const char *at = all.items[i]; *at;) {
			size_t n = strcspn(at, "\n");

			if (n)
				strv_take(&lines, strndup(at, n));
			at += n + (at[n] == '\n');
		}
	}
	if (r >= 0)
		r = strv_check(&lines, &e);
	if (r < 0)
		call_reply_err(k, &e);
	json_kstrv(j, key, &lines);
	return r;
}

/* --- pull, import --------------------------------------------------------------------------- */

static void pull(struct call *k)
{
	static const char *const fields[][2] = {
		{"image", "fromImage"}, {"tag", "tag"}, {"platform", "platform"}, {NULL, NULL}};
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	if (add_fields(k, &j, fields) < 0) {
		json_out_free(&j);
		return;
	}
	json_end_object(&j);
	ask(k,
	    &(struct pipe_ask){.verb = "pull",
			       .secret = http_header(&k->conn->head, "X-Registry-Auth")},
	    &j);
}

void call_image_push(struct call *k)
{
	static const char *const fields[][2] = {{"tag", "tag"}, {NULL, NULL}};
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_kstr(&j, "image", k->item);
	if (add_fields(k, &j, fields) < 0) {
		json_out_free(&j);
		return;
	}
	json_end_object(&j);
	ask(k,
	    &(struct pipe_ask){.verb = "push",
			       .secret = http_header(&k->conn->head, "X-Registry-Auth")},
	    &j);
}

static void import(struct call *k)
{
	static const char *const fields[][2] = {{"repo", "repo"},
						{"tag", "tag"},
						{"message", "message"},
						{"platform", "platform"},
						{NULL, NULL}};
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	if (add_fields(k, &j, fields) < 0 || add_list(k, &j, "changes", "changes") < 0) {
		json_out_free(&j);
		return;
	}
	json_end_object(&j);
	ask(k, &(struct pipe_ask){.verb = "import", .wants_in = true}, &j);
}

void call_image_create(struct call *k)
{
	_free_ char *image = NULL, *source = NULL;

	if (call_query(k, "fromImage", &image) < 0 || call_query(k, "fromSrc", &source) < 0)
		return;
	if (image && *image)
		pull(k);
	else if (source && str_eq(source, "-"))
		import(k);
	else if (source && *source)
		http_reply_error(k->conn, 501,
				 "csbx does not import from a URL: fetch it, and import the file");
	else
		http_reply_error(k->conn, 400, "neither fromImage nor fromSrc is given");
}

/* --- archives ------------------------------------------------------------------------------- */

void call_image_load(struct call *k)
{
	static const char *const fields[][2] = {{"platform", "platform"}, {NULL, NULL}};
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	if (add_fields(k, &j, fields) < 0) {
		json_out_free(&j);
		return;
	}
	json_end_object(&j);
	ask(k, &(struct pipe_ask){.verb = "load", .wants_in = true}, &j);
}

static void save(struct call *k, const struct strv *names)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_kstrv(&j, "names", names);
	json_end_object(&j);
	ask(k, &(struct pipe_ask){.verb = "save", .type = "application/x-tar"}, &j);
}

void call_image_save(struct call *k)
{
	_strv_ struct strv names = STRV_INIT;

	strv_add(&names, k->item);
	save(k, &names);
}

/* names=a&names=b, and names=a,b. */
void call_image_save_all(struct call *k)
{
	_strv_ struct strv fields = STRV_INIT, names = STRV_INIT;
	struct err e = ERR_INIT;
	int r = http_query_list(k->conn->head.query, "names", &fields, &e);

	for (size_t i = 0; i < fields.n; i++) {
		for (const char *at = fields.items[i]; *at;) {
			size_t n = strcspn(at, ",");

			if (n)
				strv_take(&names, strndup(at, n));
			at += n + (at[n] == ',');
		}
	}
	if (r >= 0)
		r = strv_check(&names, &e);
	if (r >= 0 && !names.n)
		r = err_set(&e, EINVAL, "no image is named");
	if (r < 0)
		call_reply_err(k, &e);
	else
		save(k, &names);
}

/* --- commit --------------------------------------------------------------------------------- */

void call_commit(struct call *k)
{
	static const char *const fields[][2] = {
		{"container", "container"}, {"repo", "repo"},     {"tag", "tag"},
		{"comment", "comment"},     {"author", "author"}, {NULL, NULL}};
	_json_ struct json *body = NULL;
	struct json_out j = JSON_OUT_INIT;
	_free_ char *pause = NULL;

	if (call_read_json(k, &body) < 0 || call_query(k, "pause", &pause) < 0)
		return;
	json_begin_object(&j);
	if (add_fields(k, &j, fields) < 0 || add_list(k, &j, "changes", "changes") < 0) {
		json_out_free(&j);
		return;
	}
	json_kbool(&j, "pause", !pause || call_query_true(k, "pause"));
	json_key(&j, "config");
	json_out_value(&j, body);
	json_end_object(&j);
	ask(k, &(struct pipe_ask){.verb = "commit", .status = 201}, &j);
}

/* --- registries ----------------------------------------------------------------------------- */

void call_auth(struct call *k)
{
	_strbuf_ struct strbuf body = STRBUF_INIT;
	struct json_out j = JSON_OUT_INIT;
	struct err e = ERR_INIT;

	if (http_read_whole_body(k->conn, CALL_BODY_MAX / 256, &body, &e) < 0) {
		call_reply_err(k, &e);
		return;
	}
	json_begin_object(&j);
	json_end_object(&j);
	ask(k, &(struct pipe_ask){.verb = "auth", .secret = strbuf_str(&body)}, &j);
	if (body.len)
		explicit_bzero(body.data, body.len);
}

void call_distribution(struct call *k)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_kstr(&j, "name", k->item);
	json_end_object(&j);
	ask(k,
	    &(struct pipe_ask){.verb = "distribution",
			       .secret = http_header(&k->conn->head, "X-Registry-Auth")},
	    &j);
}
