/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/call/call.h"

#include <stdlib.h>

#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"

void call_reply_value(struct call *k, int status, struct docker_value *v)
{
	const struct http_reply r = {status, HTTP_TYPE_JSON, NULL};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	if (docker_value_check(v, &e) < 0 || docker_value_json(v, false, &out, &e) < 0) {
		call_reply_err(k, &e);
	} else {
		strbuf_addch(&out, '\n');
		http_reply(k->conn, &r, strbuf_str(&out), out.len);
	}
	docker_value_free(v);
}

void call_reply_fault(struct call *k, const struct docker_fault *f)
{
	if (f->status)
		http_reply_error(k->conn, f->status, f->err.msg);
	else
		call_reply_err(k, &f->err);
}

void call_reply_err(struct call *k, const struct err *e)
{
	int status = 500;

	switch (e->code) {
	case ENOENT:
		status = 404;
		break;
	case EINVAL:
	case EBADMSG:
	case ENOTUNIQ:
		status = 400;
		break;
	case EBUSY:
	case EEXIST:
		status = 409;
		break;
	case EFBIG:
		status = 413;
		break;
	case ETIMEDOUT:
		status = 408;
		break;
	}
	http_reply_error(k->conn, status, e->msg);
}

/* --- bodies --------------------------------------------------------------------------------- */

int call_read_json(struct call *k, struct json **ret)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct err e = ERR_INIT;
	int r = http_read_whole_body(k->conn, CALL_BODY_MAX, &text, &e);

	*ret = NULL;
	if (r >= 0 && !strbuf_str(&text)[strspn(strbuf_str(&text), " \t\r\n")])
		r = json_parse("{}", 2, CALL_BODY_MAX, ret, &e);
	else if (r >= 0)
		r = json_parse(text.data, text.len, CALL_BODY_MAX, ret, &e);
	/* Some clients send null for no options at all. */
	if (r >= 0 && json_is_null(*ret)) {
		json_free(*ret);
		r = json_parse("{}", 2, CALL_BODY_MAX, ret, &e);
	}
	if (r >= 0 && !json_is_object(*ret)) {
		json_free(*ret);
		*ret = NULL;
		r = err_set(&e, EBADMSG, "the body is no JSON object");
	}
	if (r < 0)
		call_reply_err(k, &e);
	return r < 0 ? r : 0;
}

static int wrong_type(const char *key, const char *wanted, struct err *e)
{
	return err_set(e, EBADMSG, "invalid JSON: %s: not %s", key, wanted);
}

static int find(const struct json *obj, const char *key, const struct json **ret, struct err *e)
{
	*ret = NULL;
	return obj ? json_get_any_case(obj, key, ret, e) : 0;
}

int call_get_str(const struct json *obj, const char *key, const char **ret, struct err *e)
{
	const struct json *m;
	int r = find(obj, key, &m, e);

	if (r < 0 || !m)
		return r;
	if (!json_text(m))
		return wrong_type(key, "a string", e);
	*ret = json_text(m);
	return 0;
}

int call_get_bool(const struct json *obj, const char *key, bool *ret, struct err *e)
{
	const struct json *m;
	int r = find(obj, key, &m, e);

	if (r < 0 || !m)
		return r;
	if (json_truth(m) < 0)
		return wrong_type(key, "true or false", e);
	*ret = json_truth(m) == 1;
	return 0;
}

int call_get_int(const struct json *obj, const char *key, int64_t *ret, struct err *e)
{
	const struct json *m;
	int r = find(obj, key, &m, e);

	if (r < 0 || !m)
		return r;
	return json_integer(m, ret) < 0 ? wrong_type(key, "a whole number", e) : 0;
}

int call_get_size(const struct json *obj, uint32_t *rows, uint32_t *columns, struct err *e)
{
	const struct json *list, *item;
	int64_t size[2] = {0, 0};
	size_t n = 0;
	int r = call_get_list(obj, "ConsoleSize", &list, e);

	for (item = json_first(list); r >= 0 && item; item = json_next(item)) {
		if (n == 2 || json_integer(item, &size[n]) < 0 || size[n] < 0 ||
		    size[n] > UINT16_MAX)
			return wrong_type("ConsoleSize", "two numbers, rows and columns", e);
		n++;
	}
	if (r >= 0 && size[0] && size[1]) {
		*rows = (uint32_t)size[0];
		*columns = (uint32_t)size[1];
	}
	return r;
}

int call_get_list(const struct json *obj, const char *key, const struct json **ret, struct err *e)
{
	int r = find(obj, key, ret, e);

	return r >= 0 && *ret && !json_is_array(*ret) ? wrong_type(key, "a list", e) : r;
}

int call_get_object(const struct json *obj, const char *key, const struct json **ret, struct err *e)
{
	int r = find(obj, key, ret, e);

	return r >= 0 && *ret && !json_is_object(*ret) ? wrong_type(key, "an object", e) : r;
}

int call_get_strv(const struct json *obj, const char *key, struct strv *ret, struct err *e)
{
	const struct json *list;
	int r = call_get_list(obj, key, &list, e);

	if (r < 0)
		return r;
	for (const struct json *i = json_first(list); i; i = json_next(i)) {
		if (!json_text(i))
			return wrong_type(key, "a list of strings", e);
		strv_add(ret, json_text(i));
	}
	return strv_check(ret, e);
}

int call_get_pairs(const struct json *obj, const char *key, struct strv *ret, struct err *e)
{
	const struct json *map;
	int r = call_get_object(obj, key, &map, e);

	for (const struct json *i = json_first(r < 0 ? NULL : map); i; i = json_next(i)) {
		if (!json_text(i))
			return wrong_type(key, "a map of strings", e);
		strv_take(ret, str_printf("%s=%s", json_name(i), json_text(i)));
	}
	return r < 0 ? r : strv_check(ret, e);
}

/* --- queries -------------------------------------------------------------------------------- */

int call_query(struct call *k, const char *name, char **ret)
{
	struct err e = ERR_INIT;
	int r = http_query_get(k->conn->head.query, name, ret, &e);

	if (r < 0)
		call_reply_err(k, &e);
	return r;
}

int call_query_int(struct call *k, const char *name, int64_t *ret)
{
	_free_ char *text = NULL;
	char *end;
	long long v;
	int r = call_query(k, name, &text);

	if (r < 0 || !text || !*text)
		return r;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end || (*text != '-' && (*text < '0' || *text > '9'))) {
		struct err e = ERR_INIT;

		err_set(&e, EINVAL, "strconv.Atoi: parsing \"%s\": invalid syntax", text);
		call_reply_err(k, &e);
		return -EINVAL;
	}
	*ret = v;
	return 0;
}

int call_query_size(struct call *k, unsigned *ret_rows, unsigned *ret_columns)
{
	static const char *const names[] = {"h", "w"};
	int64_t found[2] = {INT64_MIN, INT64_MIN};

	for (int i = 0; i < 2; i++) {
		if (call_query_int(k, names[i], &found[i]) < 0)
			return -EINVAL;
		if (found[i] == INT64_MIN) {
			http_reply_error(k->conn, 400,
					 "strconv.Atoi: parsing \"\": invalid syntax");
			return -EINVAL;
		}
	}
	*ret_rows = (unsigned)found[0] & 0xffffu;
	*ret_columns = (unsigned)found[1] & 0xffffu;
	return 0;
}

bool call_query_true(struct call *k, const char *name)
{
	return http_query_true(k->conn->head.query, name);
}
