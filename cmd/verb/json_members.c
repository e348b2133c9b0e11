/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/verb/json_members.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/json/json.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/spec/user.h"

int members_wrong(struct err *e, const char *what)
{
	return err_set(e, EINVAL, "must be %s", what);
}

static int read_str(const struct json *v, char **at, struct err *e)
{
	const char *s = json_text(v);

	if (!s)
		return members_wrong(e, "a string");
	free(*at);
	*at = strdup(s);
	return *at ? 0 : err_oom(e);
}

static int read_choice(const struct json *v, const char *choices, int *at, struct err *e)
{
	const char *s = json_text(v);
	size_t len = s ? strlen(s) : 0;
	int index = 0;

	for (const char *c = choices; s && *c; index++) {
		size_t n = strcspn(c, "|");

		if (n == len && !strncmp(c, s, n)) {
			*at = index;
			return 0;
		}
		c += n + (c[n] == '|');
	}
	return err_set(e, EINVAL, "must be one of %s", choices);
}

static int read_strv(const struct json *v, struct strv *at, struct err *e)
{
	if (!json_is_array(v))
		return members_wrong(e, "an array of strings");
	for (const struct json *i = json_first(v); i; i = json_next(i)) {
		if (!json_text(i))
			return members_wrong(e, "an array of strings");
		strv_add(at, json_text(i));
	}
	return strv_check(at, e);
}

int members_read_number(const struct json *v, uint64_t max, uint64_t *ret, struct err *e)
{
	if (json_whole(v, ret) < 0 || *ret > max)
		return err_set(e, EINVAL, "must be a whole number of at most %llu",
			       (unsigned long long)max);
	return 0;
}

static int read_value(const struct json *v, const struct member *m, void *at, struct err *e)
{
	uint64_t n = 0;
	int r = 0;

	switch (m->kind) {
	case MEMBER_STR:
		return read_str(v, at, e);
	case MEMBER_BOOL:
		r = json_truth(v);
		*(bool *)at = r > 0;
		return r < 0 ? members_wrong(e, "true or false") : 0;
	case MEMBER_U64:
		return members_read_number(v, JSON_WHOLE_MAX, at, e);
	case MEMBER_ID:
		r = members_read_number(v, USER_ID_MAX, &n, e);
		*(uint32_t *)at = (uint32_t)n;
		return r;
	case MEMBER_MODE:
		r = members_read_number(v, 07777, &n, e);
		*(unsigned *)at = (unsigned)n;
		return r;
	case MEMBER_STRV:
		return read_strv(v, at, e);
	case MEMBER_CHOICE:
		return read_choice(v, m->choices, at, e);
	case MEMBER_CALL:
		return m->read(v, at, e);
	}
	return members_wrong(e, "something else");
}

/* Every member of the object must be in the table. */
int members_read(const struct json *object, const struct member *table, void *target, struct err *e)
{
	if (!json_is_object(object))
		return members_wrong(e, "an object");
	for (const struct json *v = json_first(object); v; v = json_next(v)) {
		const struct member *m = table;

		while (m->key && !str_eq(m->key, json_name(v)))
			m++;
		if (!m->key)
			return err_set(e, EINVAL, "%s: unknown member", json_name(v));
		if (json_is_null(v))
			continue;
		if (read_value(v, m, (char *)target + m->offset, e) < 0)
			return err_wrap(e, "%s", m->key);
	}
	return 0;
}
