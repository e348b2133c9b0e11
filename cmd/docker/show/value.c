/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/show/value.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"

struct docker_value *docker_value_new(enum docker_value_kind kind)
{
	struct docker_value *v = calloc(1, sizeof(*v));

	if (v)
		v->kind = kind;
	return v;
}

void docker_value_free(struct docker_value *root)
{
	struct docker_value *next;

	if (!root)
		return;
	for (struct docker_value *v = root->first; v; v = next) {
		next = v->next;
		docker_value_free(v);
	}
	free(root->key);
	free(root->text);
	free(root);
}

static void fail(struct docker_value *v)
{
	while (v->up)
		v = v->up;
	v->failed = true;
}

static void append(struct docker_value *parent, struct docker_value *v)
{
	v->up = parent;
	if (parent->last)
		parent->last->next = v;
	else
		parent->first = v;
	parent->last = v;
	parent->count++;
}

struct docker_value *docker_value_add(struct docker_value *parent, const char *key,
				      enum docker_value_kind kind)
{
	struct docker_value *v;

	if (!parent)
		return NULL;
	v = docker_value_new(kind);
	if (v && key)
		v->key = strdup(key);
	if (!v || (key && !v->key)) {
		free(v);
		fail(parent);
		return NULL;
	}
	append(parent, v);
	return v;
}

struct docker_value *docker_value_strn(struct docker_value *parent, const char *key, const char *s,
				       size_t len)
{
	struct docker_value *v = docker_value_add(parent, key, DOCKER_VALUE_STR);

	if (!v)
		return NULL;
	v->text = strndup(s ? s : "", len);
	if (!v->text)
		fail(v);
	return v;
}

struct docker_value *docker_value_str(struct docker_value *parent, const char *key, const char *s)
{
	return docker_value_strn(parent, key, s, s ? strlen(s) : 0);
}

struct docker_value *docker_value_strf(struct docker_value *parent, const char *key,
				       const char *fmt, ...)
{
	_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = str_vprintf(fmt, ap);
	va_end(ap);
	if (!text && parent)
		fail(parent);
	return docker_value_str(parent, key, text);
}

struct docker_value *docker_value_int(struct docker_value *parent, const char *key, int64_t number)
{
	struct docker_value *v = docker_value_add(parent, key, DOCKER_VALUE_INT);

	if (v)
		v->number = number;
	return v;
}

struct docker_value *docker_value_bool(struct docker_value *parent, const char *key, bool yes)
{
	struct docker_value *v = docker_value_add(parent, key, DOCKER_VALUE_BOOL);

	if (v)
		v->number = yes;
	return v;
}

struct docker_value *docker_value_strv(struct docker_value *parent, const char *key,
				       const struct strv *items, enum docker_value_kind empty)
{
	struct docker_value *v =
		docker_value_add(parent, key, items->n ? DOCKER_VALUE_LIST : empty);

	for (size_t i = 0; v && i < items->n; i++)
		docker_value_str(v, NULL, items->items[i]);
	return v;
}

/* Go leaves out the zeros at the end of a fraction. */
struct docker_value *docker_value_time(struct docker_value *parent, const char *key,
				       uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000u);
	char fraction[16];
	struct tm tm;
	size_t n;

	if (!realtime_ns || !gmtime_r(&seconds, &tm))
		return docker_value_str(parent, key, "0001-01-01T00:00:00Z");
	n = (size_t)snprintf(fraction, sizeof(fraction), ".%09" PRIu64, realtime_ns % 1000000000u);
	while (n && fraction[n - 1] == '0')
		n--;
	if (n == 1)
		n = 0;
	return docker_value_strf(parent, key, "%04d-%02d-%02dT%02d:%02d:%02d%.*sZ",
				 tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
				 tm.tm_min, tm.tm_sec, (int)n, fraction);
}

struct docker_value *docker_value_in_go(struct docker_value *v, const char *go)
{
	if (v)
		v->go = go;
	return v;
}

int docker_value_check(const struct docker_value *root, struct err *e)
{
	return root && !root->failed ? 0 : err_code(e, ENOMEM, "describe");
}

const struct docker_value *docker_value_find(const struct docker_value *v, const char *key)
{
	for (const struct docker_value *m = v->first; m; m = m->next) {
		if (m->key && str_eq(m->key, key))
			return m;
	}
	return NULL;
}

const struct docker_value *docker_value_at(const struct docker_value *v, size_t i)
{
	const struct docker_value *m = v->first;

	while (m && i--)
		m = m->next;
	return m;
}

/*
 * --- JSON ---------------------------------------------------------------------------------------
 */

static int by_key(const void *a, const void *b)
{
	const struct docker_value *const *x = a, *const *y = b;

	return strcmp((*x)->key ? (*x)->key : "", (*y)->key ? (*y)->key : "");
}

static void write_json(const struct docker_value *v, struct json_out *j);

/* Go writes a map in the order of its keys, a struct in that of its members. */
static void write_members(const struct docker_value *v, struct json_out *j)
{
	_free_ const struct docker_value **sorted = calloc(v->count + 1, sizeof(*sorted));
	size_t n = 0;

	if (!sorted) {
		j->buf.failed = true;
		return;
	}
	for (const struct docker_value *m = v->first; m; m = m->next) {
		if (!(m->flags & DOCKER_VALUE_GO_ONLY))
			sorted[n++] = m;
	}
	if (v->kind == DOCKER_VALUE_MAP)
		qsort(sorted, n, sizeof(*sorted), by_key);
	for (size_t i = 0; i < n; i++) {
		if (v->kind != DOCKER_VALUE_LIST)
			json_key(j, sorted[i]->key ? sorted[i]->key : "");
		write_json(sorted[i], j);
	}
}

/* The depth is what the writer allows: it refuses more. */
static void write_json(const struct docker_value *v, struct json_out *j)
{
	bool object = v->kind == DOCKER_VALUE_MAP || v->kind == DOCKER_VALUE_STRUCT;

	if (j->misused)
		return;
	if (v->kind == DOCKER_VALUE_STR) {
		json_str(j, v->text);
	} else if (v->kind == DOCKER_VALUE_INT) {
		json_i64(j, v->number);
	} else if (v->kind == DOCKER_VALUE_BOOL) {
		json_bool(j, v->number);
	} else if (!object && v->kind != DOCKER_VALUE_LIST) {
		json_null(j);
	} else {
		object ? json_begin_object(j) : json_begin_array(j);
		write_members(v, j);
		object ? json_end_object(j) : json_end_array(j);
	}
}

int docker_value_json(const struct docker_value *v, bool pretty, struct strbuf *out, struct err *e)
{
	struct json_out j = {.pretty = pretty, .wide = true};

	write_json(v, &j);
	return json_append(&j, out, e);
}

/*
 * --- as Go prints it ----------------------------------------------------------------------------
 */

static void print_map(const struct docker_value *v, bool raw, struct strbuf *out)
{
	_free_ const struct docker_value **sorted = calloc(v->count + 1, sizeof(void *));
	size_t n = 0;

	if (!sorted) {
		out->failed = true;
		return;
	}
	for (const struct docker_value *m = v->first; m; m = m->next) {
		if (!(m->flags & DOCKER_VALUE_GO_ONLY))
			sorted[n++] = m;
	}
	qsort(sorted, n, sizeof(void *), by_key);
	strbuf_addstr(out, "map[");
	for (size_t i = 0; i < n; i++) {
		strbuf_addf(out, "%s%s:", i ? " " : "", sorted[i]->key ? sorted[i]->key : "");
		docker_value_print(sorted[i], raw, out);
	}
	strbuf_addch(out, ']');
}

static void print_items(const struct docker_value *v, bool raw, struct strbuf *out)
{
	bool first = true;

	for (const struct docker_value *m = v->first; m; m = m->next) {
		if (m->flags & DOCKER_VALUE_JSON_ONLY && v->kind == DOCKER_VALUE_STRUCT)
			continue;
		if (!first)
			strbuf_addch(out, ' ');
		first = false;
		docker_value_print(m, raw, out);
	}
}

/* The recursion is as deep as a tree that a verb has built. */
void docker_value_print(const struct docker_value *v, bool raw, struct strbuf *out)
{
	if (v->kind == DOCKER_VALUE_STR) {
		strbuf_addstr(out, v->text ? v->text : "");
	} else if (v->kind == DOCKER_VALUE_INT) {
		strbuf_addf(out, "%" PRId64, v->number);
	} else if (v->kind == DOCKER_VALUE_BOOL) {
		strbuf_addstr(out, v->number ? "true" : "false");
	} else if (v->kind == DOCKER_VALUE_NIL || (raw && v->kind <= DOCKER_VALUE_NOMAP)) {
		strbuf_addstr(out, "<nil>");
	} else if (v->kind == DOCKER_VALUE_MAP || v->kind == DOCKER_VALUE_NOMAP ||
		   (raw && v->kind == DOCKER_VALUE_STRUCT)) {
		print_map(v, raw, out);
	} else {
		strbuf_addch(out, v->kind == DOCKER_VALUE_STRUCT ? '{' : '[');
		print_items(v, raw, out);
		strbuf_addch(out, v->kind == DOCKER_VALUE_STRUCT ? '}' : ']');
	}
}
