/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/route/route.h"

#include <stdlib.h>

#include "cmd/docker/frame/docker.h"
#include "runtime/base/err.h"
#include "runtime/base/num.h"

static unsigned minor_of(const char *version)
{
	uint64_t n = 0;

	return num_parse_u64(strchr(version, '.') + 1, 1000, &n) < 0 ? 0 : (unsigned)n;
}

/* "/v1.41/..." -> 41 and what follows; a path without a version is of the newest. */
static int take_version(char **path, unsigned *ret, struct err *e)
{
	char *s = *path;
	size_t n = strcspn(s, "/");
	char text[16];

	*ret = minor_of(DOCKER_API_VERSION);
	if (*s != 'v' || s[1] < '0' || s[1] > '9' || n >= sizeof(text) ||
	    strspn(s + 1, "0123456789.") != n - 1)
		return 0;
	memcpy(text, s + 1, n - 1);
	text[n - 1] = 0;
	if (!str_has_prefix(text, "1.") || strchr(text + 2, '.') || !text[2])
		return err_set(e, EINVAL,
			       "client version %s is too new. Maximum supported API "
			       "version is " DOCKER_API_VERSION,
			       text);
	if (strlen(text + 2) > 3 || minor_of(text) > *ret)
		return err_set(e, EINVAL,
			       "client version %s is too new. Maximum supported API version "
			       "is " DOCKER_API_VERSION,
			       text);
	if (minor_of(text) < minor_of(DOCKER_API_VERSION_MIN))
		return err_set(e, EINVAL,
			       "client version %s is too old. Minimum supported API version "
			       "is " DOCKER_API_VERSION_MIN
			       ", please upgrade your client to a newer version",
			       text);
	*ret = minor_of(text);
	*path = s + n + (s[n] == '/');
	return 0;
}

/* Names with slashes in them. */
static bool has_long_items(const char *pattern)
{
	return str_has_prefix(pattern, "images/") || str_has_prefix(pattern, "distribution/") ||
	       str_has_prefix(pattern, "plugins/");
}

/* True when the pattern matches path; tells where the part for '?' begins and how long it is. */
static bool matches(const char *pattern, const char *path, size_t *ret_at, size_t *ret_len)
{
	const char *mark = strchr(pattern, '?'), *tail = mark ? mark + 1 : "";
	size_t before = mark ? (size_t)(mark - pattern) : strlen(pattern), len = strlen(path);
	size_t after = strlen(tail);

	*ret_at = *ret_len = 0;
	if (!mark)
		return str_eq(pattern, path);
	if (len <= before + after || strncmp(path, pattern, before) != 0 ||
	    !str_eq(path + len - after, tail))
		return false;
	*ret_at = before;
	*ret_len = len - before - after;
	return has_long_items(pattern) || !memchr(path + before, '/', *ret_len);
}

int route_find(const struct route *table, enum http_method method, char *path, struct routed *ret,
	       struct err *e)
{
	size_t at, len;
	int r;

	*ret = (struct routed){0};
	path += *path == '/';
	r = take_version(&path, &ret->minor, e);
	if (r < 0)
		return r;
	len = strlen(path);
	if (len > 1 && path[len - 1] == '/')
		path[len - 1] = 0;
	for (const struct route *row = table; row->pattern; row++) {
		if (row->method != method || !matches(row->pattern, path, &at, &len))
			continue;
		ret->route = row;
		if (len) {
			ret->item = path + at;
			path[at + len] = 0;
		}
		return 0;
	}
	return err_set(e, ENOENT, "page not found");
}
