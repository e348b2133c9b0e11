/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/value/json.h"
#include "cmd/judge/value/value.h"
#include "runtime/base/err.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

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
	    num_parse_bytes(v->text, ret_bytes) < 0 || !*ret_bytes)
		return must_be(e, "bytes, or a text as --memory takes");
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

/* "id", or what data sets call it. */
static const struct value *find_id(const struct value *line, const char **ret_name)
{
	static const char *const names[] = {"id", "task_id", "instance_id"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct value *v = value_member(line, names[i]);

		*ret_name = names[i];
		if (v && v->kind != VALUE_NONE)
			return v;
	}
	return NULL;
}

int batch_read_line(struct value_pool *pool, const char *text, size_t len, struct value *ret,
		    struct strbuf *ret_label, struct err *e)
{
	const struct value *id;
	const char *name = NULL;
	int r = value_read_json(pool, text, len, ret, e);

	if (r < 0)
		return r;
	if (ret->kind != VALUE_DICT)
		return err_set(e, EBADMSG, "not an object");
	id = find_id(ret, &name);
	if (!id)
		return 0;
	if (id->kind != VALUE_STR && id->kind != VALUE_INT)
		return err_set(e, EBADMSG, "%s: must be a text or a whole number", name);
	value_write_json(id, ret_label);
	return strbuf_check(ret_label, e);
}
