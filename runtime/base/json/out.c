/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/json/out.h"

#include <inttypes.h>

#include "runtime/base/err.h"

static void indent(struct json_out *j)
{
	if (!j->pretty)
		return;
	strbuf_addch(&j->buf, '\n');
	for (unsigned i = 0; i < j->depth; i++)
		strbuf_addstr(&j->buf, j->wide ? "    " : "  ");
}

/* Separates an item from the one before it. */
static void next_item(struct json_out *j)
{
	if (j->level[j->depth - 1].has_items)
		strbuf_addch(&j->buf, ',');
	j->level[j->depth - 1].has_items = true;
	indent(j);
}

/* Called before every value; false where none may stand. */
static bool begin_value(struct json_out *j)
{
	if (!j->depth) {
		if (j->buf.len)
			j->misused = true;
	} else if (j->level[j->depth - 1].kind == '{') {
		if (!j->level[j->depth - 1].has_key)
			j->misused = true;
		j->level[j->depth - 1].has_key = false;
	} else if (!j->misused) {
		next_item(j);
	}
	return !j->misused;
}

static void begin(struct json_out *j, char kind)
{
	if (!begin_value(j))
		return;
	if (j->depth == JSON_OUT_DEPTH) {
		j->misused = true;
		return;
	}
	strbuf_addch(&j->buf, kind);
	j->level[j->depth].kind = kind;
	j->level[j->depth].has_items = j->level[j->depth].has_key = false;
	j->depth++;
}

static void end(struct json_out *j, char kind)
{
	bool had_items;

	if (!j->depth || j->level[j->depth - 1].kind != kind || j->level[j->depth - 1].has_key)
		j->misused = true;
	if (j->misused)
		return;
	had_items = j->level[--j->depth].has_items;
	if (had_items)
		indent(j);
	strbuf_addch(&j->buf, kind == '{' ? '}' : ']');
}

void json_begin_object(struct json_out *j)
{
	begin(j, '{');
}

void json_end_object(struct json_out *j)
{
	end(j, '{');
}

void json_begin_array(struct json_out *j)
{
	begin(j, '[');
}

void json_end_array(struct json_out *j)
{
	end(j, '[');
}

static void add_code_point(struct strbuf *b, const char *s, size_t n, uint32_t cp)
{
	if (cp == '"' || cp == '\\') {
		strbuf_addch(b, '\\');
		strbuf_addch(b, (char)cp);
	} else if (cp == '\n') {
		strbuf_addstr(b, "\\n");
	} else if (cp == '\t') {
		strbuf_addstr(b, "\\t");
	} else if (cp == '\r') {
		strbuf_addstr(b, "\\r");
	} else if (str_is_display_control(cp)) {
		/* All of these lie in the basic plane: one \u each. */
		strbuf_addf(b, "\\u%04" PRIx32, cp);
	} else {
		strbuf_add(b, s, n);
	}
}

static void add_string(struct strbuf *b, const char *s, size_t len)
{
	strbuf_addch(b, '"');
	while (len) {
		uint32_t cp = 0xfffd;
		size_t n = 0;

		/* Nearly all text needs no escape: whole runs of it at once. */
		while (n < len && s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
			n++;
		if (n) {
			strbuf_add(b, s, n);
		} else if ((n = str_utf8_next(s, len, &cp))) {
			add_code_point(b, s, n, cp);
		} else {
			strbuf_addstr(b, "\\ufffd");
			n = 1;
		}
		s += n;
		len -= n;
	}
	strbuf_addch(b, '"');
}

void json_key(struct json_out *j, const char *key)
{
	if (!j->depth || j->level[j->depth - 1].kind != '{' || j->level[j->depth - 1].has_key)
		j->misused = true;
	if (j->misused)
		return;
	next_item(j);
	add_string(&j->buf, key, strlen(key));
	strbuf_addstr(&j->buf, j->pretty ? ": " : ":");
	j->level[j->depth - 1].has_key = true;
}

void json_strn(struct json_out *j, const char *s, size_t len)
{
	if (begin_value(j))
		add_string(&j->buf, s, len);
}

void json_str(struct json_out *j, const char *s)
{
	if (s)
		json_strn(j, s, strlen(s));
	else
		json_null(j);
}

void json_u64(struct json_out *j, uint64_t v)
{
	if (begin_value(j))
		strbuf_addf(&j->buf, "%" PRIu64, v);
}

void json_i64(struct json_out *j, int64_t v)
{
	if (begin_value(j))
		strbuf_addf(&j->buf, "%" PRId64, v);
}

void json_bool(struct json_out *j, bool v)
{
	if (begin_value(j))
		strbuf_addstr(&j->buf, v ? "true" : "false");
}

void json_null(struct json_out *j)
{
	if (begin_value(j))
		strbuf_addstr(&j->buf, "null");
}

void json_raw(struct json_out *j, const char *value)
{
	if (begin_value(j))
		strbuf_addstr(&j->buf, value ? value : "null");
}

void json_milli(struct json_out *j, uint64_t milli)
{
	unsigned rest = (unsigned)(milli % 1000);

	if (!begin_value(j))
		return;
	strbuf_addf(&j->buf, "%" PRIu64, milli / 1000);
	if (rest % 100 == 0 && rest)
		strbuf_addf(&j->buf, ".%u", rest / 100);
	else if (rest % 10 == 0 && rest)
		strbuf_addf(&j->buf, ".%02u", rest / 10);
	else if (rest)
		strbuf_addf(&j->buf, ".%03u", rest);
}

void json_time(struct json_out *j, uint64_t realtime_ns)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!realtime_ns) {
		json_null(j);
		return;
	}
	strbuf_add_time(&text, realtime_ns);
	json_str(j, strbuf_str(&text));
}

void json_kstr(struct json_out *j, const char *key, const char *s)
{
	json_key(j, key);
	json_str(j, s);
}

void json_ku64(struct json_out *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_u64(j, v);
}

void json_kbool(struct json_out *j, const char *key, bool v)
{
	json_key(j, key);
	json_bool(j, v);
}

void json_kstrv(struct json_out *j, const char *key, const struct strv *v)
{
	json_key(j, key);
	json_begin_array(j);
	for (size_t i = 0; i < v->n; i++)
		json_str(j, v->items[i]);
	json_end_array(j);
}

int json_finish(struct json_out *j, struct err *e)
{
	if (j->misused || j->depth || !j->buf.len)
		return err_set(e, EINVAL, "JSON writer misused");
	return strbuf_check(&j->buf, e);
}

int json_append(struct json_out *j, struct strbuf *out, struct err *e)
{
	int r = json_finish(j, e);

	if (r >= 0)
		strbuf_add(out, j->buf.data, j->buf.len);
	json_out_free(j);
	return r < 0 ? r : strbuf_check(out, e);
}

void json_out_free(struct json_out *j)
{
	strbuf_free(&j->buf);
	*j = (struct json_out)JSON_OUT_INIT;
}
