/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/value/build.h"
#include "cmd/judge/value/json.h"
#include "cmd/judge/value/value.h"
#include "runtime/base/err.h"
#include "runtime/base/json/read.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

static int must_be(struct err *e, const char *what)
{
	return err_set(e, EINVAL, "must be %s", what);
}

int batch_read_timeout(const struct value *v, uint64_t *ret_ms, struct err *e)
{
	double s = v->kind == VALUE_FLOAT ? v->number
		   : v->kind == VALUE_INT ? strtod(v->text, NULL)
					  : 0;

	if (v->kind == VALUE_STR && num_parse_duration(v->text, ret_ms) >= 0 && *ret_ms)
		return 0;
	if (!(s >= 0.001 && s < 1e7))
		return must_be(e, "seconds, or a text as --timeout takes");
	*ret_ms = (uint64_t)(s * 1000);
	return 0;
}

int batch_read_memory(const struct value *v, uint64_t *ret_bytes, struct err *e)
{
	if ((v->kind != VALUE_STR && v->kind != VALUE_INT) ||
	    num_parse_bytes(v->text, ret_bytes) < 0 || *ret_bytes < SPEC_MEMORY_BYTES_MIN)
		return must_be(e, "bytes, or a text as --memory takes, and at least 1m");
	return 0;
}

int batch_read_text(const struct value *v, const char **ret, struct err *e)
{
	if (v->kind != VALUE_STR || strlen(v->text) != v->n)
		return must_be(e, "a text");
	*ret = v->text;
	return 0;
}

int batch_read_texts(const struct value *v, struct strv *ret, struct err *e)
{
	const char *text = NULL;

	if (v->kind != VALUE_LIST)
		return must_be(e, "an array of texts");
	for (size_t i = 0; i < v->n; i++) {
		if (batch_read_text(&v->items[i], &text, e) < 0)
			return must_be(e, "an array of texts");
		strv_add(ret, text);
	}
	return strv_check(ret, e);
}

int batch_read_env(const struct value *v, struct strv *env, struct err *e)
{
	if (v->kind != VALUE_DICT)
		return must_be(e, "an object of texts");
	for (size_t i = 0; i < v->n; i += 2) {
		const char *name = NULL, *text = NULL;

		if (batch_read_text(&v->items[i], &name, e) < 0 || !*name || strchr(name, '=') ||
		    batch_read_text(&v->items[i + 1], &text, e) < 0)
			return must_be(e, "an object of texts");
		strv_take(env, str_printf("%s=%s", name, text));
	}
	return strv_check(env, e);
}

/* The first of them that is there counts. */
static const char *const id_names[] = {"id", "task_id", "instance_id"};
#define ID_NAMES (sizeof(id_names) / sizeof(id_names[0]))

static size_t id_rank(const char *name)
{
	size_t rank = 0;

	while (rank < ID_NAMES && !str_eq(name, id_names[rank]))
		rank++;
	return rank;
}

/* False: a value of this kind is no id. */
static bool write_label(enum json_token token, const struct strbuf *text, struct strbuf *ret)
{
	struct value v = {.kind = token == JSON_STRING ? VALUE_STR : VALUE_INT,
			  .n = text->len,
			  .text = strbuf_str(text)};

	if (token == JSON_NUMBER && str_eq(v.text, "-0"))
		v = (struct value){.kind = VALUE_INT, .n = 1, .text = "0"};
	if (token != JSON_STRING && (token != JSON_NUMBER || !value_is_whole(v.text, v.n)))
		return false;
	strbuf_reset(ret);
	value_write_json(&v, ret);
	return true;
}

void batch_find_label(const char *text, size_t len, struct strbuf *ret)
{
	_json_reader_ struct json_reader reader;
	size_t best = ID_NAMES, rank = ID_NAMES;
	unsigned depth = 0;
	int r = json_read_begin(&reader, text, len, &value_json_rules, NULL);

	while (r >= 0 && best && (r = json_read(&reader, NULL)) > 0) {
		if (rank < best && write_label((enum json_token)r, &reader.text, ret))
			best = rank;
		rank = r == JSON_KEY && depth == 1 ? id_rank(strbuf_str(&reader.text)) : ID_NAMES;
		depth += r == JSON_OBJECT || r == JSON_ARRAY;
		depth -= r == JSON_OBJECT_END || r == JSON_ARRAY_END;
	}
}

static int check_id(const struct value *line, struct err *e)
{
	for (size_t i = 0; i < ID_NAMES; i++) {
		const struct value *v = value_member(line, id_names[i]);

		if (!v || v->kind == VALUE_NONE)
			continue;
		return v->kind == VALUE_STR || v->kind == VALUE_INT
			       ? 0
			       : err_set(e, EBADMSG, "%s: must be a text or a whole number",
					 id_names[i]);
	}
	return 0;
}

int batch_read_line(struct value_pool *pool, const char *text, size_t len, struct value *ret,
		    struct err *e)
{
	int r = value_read_json(pool, text, len, ret, e);

	if (r < 0)
		return r;
	return ret->kind == VALUE_DICT ? check_id(ret, e) : err_set(e, EBADMSG, "not an object");
}
