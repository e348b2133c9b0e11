/* SPDX-License-Identifier: Apache-2.0 */

/* application/x-www-form-urlencoded, as net/url of Go reads it. */

#include <stdlib.h>
#include <strings.h>

#include "cmd/engine/http/http.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int http_decode(char *s, bool plus)
{
	char *out = s;

	for (; *s; s++) {
		int high, low;

		if (*s != '%') {
			*out++ = plus && *s == '+' ? ' ' : *s;
			continue;
		}
		high = hex_digit(s[1]);
		low = high < 0 ? -1 : hex_digit(s[2]);
		if (low < 0 || !(high | low))
			return -EBADMSG;
		*out++ = (char)(high << 4 | low);
		s += 2;
	}
	*out = 0;
	return 0;
}

/* The next field: its name and value, still encoded, as lengths; false at the end. */
struct field {
	const char *name, *value;
	size_t name_len, value_len;
};

static bool next_field(const char **query, struct field *ret)
{
	const char *s = *query;
	size_t len, name_len;

	while (*s == '&')
		s++;
	if (!*s)
		return false;
	len = strcspn(s, "&");
	name_len = strcspn(s, "=&");
	*ret = (struct field){.name = s, .name_len = name_len, .value = s + len};
	if (name_len < len) {
		ret->value = s + name_len + 1;
		ret->value_len = len - name_len - 1;
	}
	*query = s + len;
	return true;
}

static bool is_named(const struct field *f, const char *name)
{
	_free_ char *decoded = strndup(f->name, f->name_len);

	return decoded && http_decode(decoded, true) == 0 && str_eq(decoded, name);
}

static int take_value(const struct field *f, char **ret, struct err *e)
{
	_free_ char *value = strndup(f->value, f->value_len);

	if (!value)
		return err_oom(e);
	if (http_decode(value, true) < 0)
		return err_set(e, EBADMSG, "invalid URL escape in the query: %.100s", value);
	*ret = take_ptr(value);
	return 0;
}

int http_query_get(const char *query, const char *name, char **ret, struct err *e)
{
	struct field f;

	*ret = NULL;
	while (next_field(&query, &f)) {
		if (is_named(&f, name))
			return take_value(&f, ret, e);
	}
	return 0;
}

int http_query_list(const char *query, const char *name, struct strv *ret, struct err *e)
{
	struct field f;

	while (next_field(&query, &f)) {
		char *value = NULL;
		int r;

		if (!is_named(&f, name))
			continue;
		r = take_value(&f, &value, e);
		if (r < 0)
			return r;
		strv_take(ret, value);
	}
	return strv_check(ret, e);
}

bool http_query_true(const char *query, const char *name)
{
	static const char *const no[] = {"", "0", "no", "false", "none"};
	_free_ char *value = NULL;

	if (http_query_get(query, name, &value, NULL) < 0 || !value)
		return false;
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		if (!strcasecmp(value, no[i]))
			return false;
	}
	return true;
}
