/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/str.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/err.h"

bool strbuf_reserve(struct strbuf *b, size_t more)
{
	size_t want, cap;
	char *p;

	if (b->failed || __builtin_add_overflow(b->len, more, &want) ||
	    __builtin_add_overflow(want, 1, &want)) {
		b->failed = true;
		return false;
	}
	if (want <= b->cap)
		return true;
	cap = b->cap ? b->cap : 64;
	while (cap < want) {
		if (__builtin_mul_overflow(cap, 2, &cap)) {
			b->failed = true;
			return false;
		}
	}
	p = realloc(b->data, cap);
	if (!p) {
		b->failed = true;
		return false;
	}
	b->data = p;
	b->cap = cap;
	return true;
}

void strbuf_add(struct strbuf *b, const void *data, size_t len)
{
	if (!strbuf_reserve(b, len))
		return;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = 0;
}

void strbuf_addstr(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

void strbuf_addch(struct strbuf *b, char c)
{
	strbuf_add(b, &c, 1);
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !strbuf_reserve(b, (size_t)n)) {
		b->failed = true;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void strbuf_reset(struct strbuf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = 0;
}

void strbuf_free(struct strbuf *b)
{
	free(b->data);
	*b = (struct strbuf)STRBUF_INIT;
}

const char *strbuf_str(const struct strbuf *b)
{
	return b->data ? b->data : "";
}

char *strbuf_take(struct strbuf *b)
{
	char *p;

	if (b->failed) {
		strbuf_free(b);
		return NULL;
	}
	if (!b->data)
		return strdup("");
	p = b->data;
	*b = (struct strbuf)STRBUF_INIT;
	return p;
}

int strbuf_check(const struct strbuf *b, struct err *e)
{
	return b->failed ? err_oom(e) : 0;
}

void strv_take(struct strv *v, char *s)
{
	if (!s || v->failed) {
		free(s);
		v->failed = true;
		return;
	}
	if (v->n + 1 >= v->cap) {
		size_t cap = v->cap ? v->cap * 2 : 8;
		char **p = reallocarray(v->items, cap, sizeof(*p));

		if (!p) {
			free(s);
			v->failed = true;
			return;
		}
		v->items = p;
		v->cap = cap;
	}
	v->items[v->n++] = s;
	v->items[v->n] = NULL;
}

void strv_add(struct strv *v, const char *s)
{
	strv_take(v, strdup(s));
}

void strv_addn(struct strv *v, const char *s, size_t len)
{
	strv_take(v, strndup(s, len));
}

void strv_set_env(struct strv *v, const char *assignment)
{
	size_t n = strcspn(assignment, "=") + 1;

	for (size_t i = 0; i < v->n; i++) {
		if (!strncmp(v->items[i], assignment, n)) {
			char *copy = strdup(assignment);

			if (!copy) {
				v->failed = true;
				return;
			}
			free(v->items[i]);
			v->items[i] = copy;
			return;
		}
	}
	strv_add(v, assignment);
}

const char *strv_get_env(const struct strv *v, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < v->n; i++) {
		if (!strncmp(v->items[i], name, n) && v->items[i][n] == '=')
			return v->items[i] + n + 1;
	}
	return NULL;
}

struct env_item {
	char *text;
	size_t name_len, at;
};

/* By name; those of one name in the order of the list. */
static int by_name(const void *a, const void *b)
{
	const struct env_item *x = a, *y = b;
	size_t n = x->name_len < y->name_len ? x->name_len : y->name_len;
	int r = memcmp(x->text, y->text, n);

	if (!r)
		r = (x->name_len > y->name_len) - (x->name_len < y->name_len);
	return r ? r : (x->at > y->at) - (x->at < y->at);
}

/* The last item of a variable stays, in the place of the first. */
static void settle_one(struct strv *v, const struct env_item *items, size_t n)
{
	size_t first = 0;

	for (size_t i = 0; i < n; i++) {
		v->items[items[i].at] = NULL;
		if (!items[i].text[items[i].name_len])
			first = i + 1;
	}
	for (size_t i = 0; i + (first < n) < n; i++)
		free(items[i].text);
	if (first < n)
		v->items[items[first].at] = items[n - 1].text;
}

static void drop_gaps(struct strv *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		if (v->items[i])
			v->items[n++] = v->items[i];
	}
	v->n = n;
	v->items[n] = NULL;
}

void strv_settle_env(struct strv *v)
{
	struct env_item *items = v->n ? calloc(v->n, sizeof(*items)) : NULL;

	if (!items) {
		v->failed |= v->n > 0;
		return;
	}
	for (size_t i = 0; i < v->n; i++)
		items[i] = (struct env_item){v->items[i], strcspn(v->items[i], "="), i};
	qsort(items, v->n, sizeof(*items), by_name);
	for (size_t i = 0, n; i < v->n; i += n) {
		for (n = 1; i + n < v->n && items[i + n].name_len == items[i].name_len &&
			    !memcmp(items[i + n].text, items[i].text, items[i].name_len);)
			n++;
		settle_one(v, items + i, n);
	}
	drop_gaps(v);
	free(items);
}

void strv_free(struct strv *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->items[i]);
	free(v->items);
	*v = (struct strv)STRV_INIT;
}

int strv_check(const struct strv *v, struct err *e)
{
	return v->failed ? err_oom(e) : 0;
}

bool mem_is_zero(const void *p, size_t len)
{
	const char *c = p;

	return !len || (!*c && !memcmp(c, c + 1, len - 1));
}

bool str_has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);

	return n >= k && !memcmp(s + n - k, suffix, k);
}

size_t str_utf8_next(const char *str, size_t len, uint32_t *ret_cp)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)str;
	size_t n;
	uint32_t cp;

	if (!len)
		return 0;
	n = s[0] < 0x80             ? 1
	    : (s[0] & 0xe0) == 0xc0 ? 2
	    : (s[0] & 0xf0) == 0xe0 ? 3
	    : (s[0] & 0xf8) == 0xf0 ? 4
				    : 0;
	if (!n || n > len)
		return 0;
	cp = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (s[i] & 0x3f);
	}
	if (n > 1 && (cp < least[n] || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000)))
		return 0;
	*ret_cp = cp;
	return n;
}

bool str_is_utf8(const char *s, size_t len)
{
	uint32_t cp;

	while (len) {
		size_t n = str_utf8_next(s, len, &cp);

		if (!n)
			return false;
		s += n;
		len -= n;
	}
	return true;
}

bool str_is_display_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || (cp >= 0x200b && cp <= 0x200f) ||
	       (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff;
}

void strbuf_add_escaped(struct strbuf *b, const char *s, size_t len)
{
	while (len) {
		uint32_t cp = 0;
		size_t n = 0;

		/* Nearly all text is printable ASCII: whole runs of it at once. */
		while (n < len && s[n] >= 0x20 && s[n] < 0x7f)
			n++;
		if (!n)
			n = str_utf8_next(s, len, &cp);
		else
			cp = ' ';
		if (n && !str_is_display_control(cp)) {
			strbuf_add(b, s, n);
		} else {
			n = n ? n : 1;
			for (size_t i = 0; i < n; i++)
				strbuf_addf(b, "\\x%02x", (unsigned char)s[i]);
		}
		s += n;
		len -= n;
	}
}

void strbuf_add_lines_escaped(struct strbuf *b, const char *s, size_t len)
{
	for (size_t i = 0, from = 0; i <= len; i++) {
		size_t end = i < len && s[i] == '\r' && i + 1 < len && s[i + 1] == '\n' ? 2 : 1;

		if (i < len && s[i] != '\n' && s[i] != '\t' && end == 1)
			continue;
		strbuf_add_escaped(b, s + from, i - from);
		if (i < len)
			strbuf_add(b, s + i, end);
		i += end - 1;
		from = i + 1;
	}
}

void strbuf_add_time(struct strbuf *b, uint64_t realtime_ns)
{
	/* Days are counted from 0000-03-01, so that a leap day is the last of its year. */
	uint64_t ms = realtime_ns / 1000000, s = ms / 1000, days = s / 86400 + 719468;
	unsigned era_day = (unsigned)(days % 146097);
	unsigned era_year = (era_day - era_day / 1460 + era_day / 36524 - era_day / 146096) / 365;
	unsigned year_day = era_day - (365 * era_year + era_year / 4 - era_year / 100);
	unsigned m = (5 * year_day + 2) / 153, day = year_day - (153 * m + 2) / 5 + 1;
	unsigned month = m < 10 ? m + 3 : m - 9;
	uint64_t year = days / 146097 * 400 + era_year + (month <= 2);

	strbuf_addf(b, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", (unsigned)year, month, day,
		    (unsigned)(s / 3600 % 24), (unsigned)(s / 60 % 60), (unsigned)(s % 60),
		    (unsigned)(ms % 1000));
}

char *str_vprintf(const char *fmt, va_list ap)
{
	char *s = NULL;

	return vasprintf(&s, fmt, ap) < 0 ? NULL : s;
}

char *str_printf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = str_vprintf(fmt, ap);
	va_end(ap);
	return s;
}
