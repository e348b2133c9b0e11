/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pack/link_out.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/fd.h"

/*
 * The path without names that ".." takes back; ret has room for as many bytes. True where it leaves
 * its directory.
 */
static bool shorten(const char *path, char *ret)
{
	const bool is_absolute = *path == '/';
	size_t len = is_absolute, kept = is_absolute; /* kept: bytes that no ".." takes back */

	*ret = '/';
	for (path += strspn(path, "/"); *path; path += strspn(path, "/")) {
		const size_t n = strcspn(path, "/");
		const bool is_up = n == 2 && path[0] == '.' && path[1] == '.';

		if (is_up && len > kept) {
			while (len > kept && ret[len - 1] != '/')
				len--;
			len -= len > kept;
		} else if (!(n == 1 && *path == '.') && !(is_up && is_absolute)) {
			if (len && ret[len - 1] != '/')
				ret[len++] = '/';
			memcpy(ret + len, path, n);
			len += n;
			kept = is_up ? len : kept;
		}
		path += n;
	}
	ret[len] = 0;
	return kept;
}

static bool is_directory(int dir, const char *path)
{
	struct stat st;

	return fstatat(dir, path, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

bool link_leads_out(int dir, const char *target)
{
	_free_ char *text = malloc(strlen(target) + 1);

	if (!text)
		return true;
	return shorten(target, text) && (is_directory(dir, target) || is_directory(dir, text));
}
