/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/userns/subid.h"

#include <stdbool.h>
#include <string.h>

/* One line of colon-separated fields, cut off buf. Returns false at the end of the text. */
static bool next_line(const char **p, const char *end, const char **ret_line, size_t *ret_len)
{
	const char *nl;

	if (*p >= end)
		return false;
	nl = memchr(*p, '\n', (size_t)(end - *p));
	*ret_line = *p;
	*ret_len = (size_t)((nl ? nl : end) - *p);
	*p = nl ? nl + 1 : end;
	return true;
}

/* Up to the next colon or the end; the last field takes what is left. */
static size_t next_field(const char **p, const char *end, const char **ret)
{
	const char *colon = *p < end ? memchr(*p, ':', (size_t)(end - *p)) : NULL;
	size_t n;

	*ret = *p;
	n = (size_t)((colon ? colon : end) - *p);
	*p = colon ? colon + 1 : end;
	return n;
}

static bool parse_u32(const char *s, size_t n, uint32_t *ret)
{
	uint64_t v = 0;

	if (!n || n > 10)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(s[i] - '0');
	}
	if (v > UINT32_MAX)
		return false;
	*ret = (uint32_t)v;
	return true;
}

static bool owner_matches(const char *s, size_t n, const char *name, uint32_t id)
{
	uint32_t number;

	if (name && strlen(name) == n && n && !memcmp(s, name, n))
		return true;
	return parse_u32(s, n, &number) && number == id;
}

static bool range_is_usable(const struct subid_range *r, uint32_t owner)
{
	uint64_t end = (uint64_t)r->start + r->count;

	/* (uid_t)-1 is no id; 0 would give the container the machine's root. */
	return r->count && r->start && end <= UINT32_MAX && (owner < r->start || owner >= end);
}

void subid_parse(const char *buf, size_t len, const char *name, uint32_t id, struct subid_list *ret)
{
	const char *p = buf, *end = buf + len, *line;
	size_t n;

	ret->n = 0;
	while (ret->n < SUBID_RANGES_MAX && next_line(&p, end, &line, &n)) {
		const char *q = line, *eol = line + n, *owner, *start, *count;
		size_t owner_len = next_field(&q, eol, &owner);
		size_t start_len = next_field(&q, eol, &start);
		size_t count_len = (size_t)(eol - q);
		struct subid_range r;

		count = q;
		if (owner_matches(owner, owner_len, name, id) &&
		    parse_u32(start, start_len, &r.start) &&
		    parse_u32(count, count_len, &r.count) && range_is_usable(&r, id))
			ret->items[ret->n++] = r;
	}
}

/* The end of a range in the text that has one of the ids; 0: none has. */
static uint64_t end_of_overlap(const char *buf, size_t len, uint64_t from, uint32_t count)
{
	const char *p = buf, *end = buf + len, *line;
	size_t n;

	while (next_line(&p, end, &line, &n)) {
		const char *q = line, *eol = line + n, *field, *start;
		size_t start_len;
		struct subid_range r;

		(void)next_field(&q, eol, &field);
		start_len = next_field(&q, eol, &start);
		if (parse_u32(start, start_len, &r.start) &&
		    parse_u32(q, (size_t)(eol - q), &r.count) && r.count &&
		    r.start < from + count && (uint64_t)r.start + r.count > from)
			return (uint64_t)r.start + r.count;
	}
	return 0;
}

uint32_t subid_find_free(const char *buf, size_t len, uint32_t from, uint32_t count)
{
	uint64_t at = from, end;

	/* Each turn passes a line for good. */
	while ((end = end_of_overlap(buf, len, at, count)) != 0)
		at = end;
	return at + count <= UINT32_MAX ? (uint32_t)at : 0;
}

const char *subid_login_name(const char *buf, size_t len, uint32_t uid, size_t *ret_len)
{
	const char *p = buf, *end = buf + len, *line;
	size_t n;

	while (next_line(&p, end, &line, &n)) {
		const char *q = line, *eol = line + n, *name, *field;
		size_t name_len = next_field(&q, eol, &name);
		uint32_t number;
		size_t field_len;

		(void)next_field(&q, eol, &field);
		field_len = next_field(&q, eol, &field);
		if (name_len && parse_u32(field, field_len, &number) && number == uid) {
			*ret_len = name_len;
			return name;
		}
	}
	return NULL;
}
