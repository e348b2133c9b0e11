/* SPDX-License-Identifier: Apache-2.0 */
#include "image/table/ref_part.h"

#include <stdlib.h>

#include "runtime/base/str.h"

/* ASCII only, whatever the locale. */
static bool is_lower_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alnum(char c)
{
	return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

/* Runs of [a-z0-9] joined by ".", "_", "__" or any number of "-". */
static bool component_ok(const char *p, size_t len)
{
	const char *end = p + len;

	if (!len)
		return false;
	for (;;) {
		size_t n = 0;

		if (p == end || !is_lower_alnum(*p))
			return false;
		while (p < end && is_lower_alnum(*p))
			p++;
		if (p == end)
			return true;
		while (p + n < end && p[n] == *p)
			n++;
		if ((*p == '.' && n > 1) || (*p == '_' && n > 2) || !strchr("._-", *p))
			return false;
		p += n;
	}
}

bool ref_repository_ok(const char *s)
{
	if (strlen(s) > REF_REPOSITORY_MAX)
		return false;
	for (;;) {
		size_t n = strcspn(s, "/");

		if (!component_ok(s, n))
			return false;
		if (!s[n])
			return true;
		s += n + 1;
	}
}

bool ref_tag_ok(const char *s)
{
	size_t n = strlen(s);

	if (!n || n > REF_TAG_MAX || *s == '.' || *s == '-')
		return false;
	for (; *s; s++) {
		if (!is_alnum(*s) && !strchr("._-", *s))
			return false;
	}
	return true;
}

static bool port_ok(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n && n <= 5 && !s[n] && atoi(s) <= 65535;
}

/* Dot-separated labels or [IPv6], then an optional port. */
bool ref_registry_ok(const char *s)
{
	size_t n;

	if (*s == '[') {
		n = strspn(s + 1, "0123456789abcdefABCDEF:.");
		if (!n || s[n + 1] != ']')
			return false;
		s += n + 2;
		return !*s || (*s == ':' && port_ok(s + 1));
	}
	for (;;) {
		for (n = 0; is_alnum(s[n]) || s[n] == '-'; n++)
			;
		if (!n || n > 63 || *s == '-' || s[n - 1] == '-')
			return false;
		s += n;
		if (*s != '.')
			break;
		s++;
	}
	return !*s || (*s == ':' && port_ok(s + 1));
}
