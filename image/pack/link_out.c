/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pack/link_out.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* A file is no place that a copy writes below: a link to one is replaced. */
static bool is_file(int dir, const char *path)
{
	struct stat st;

	return fstatat(dir, path, &st, 0) == 0 && !S_ISDIR(st.st_mode);
}

/* Also where it is not there: what is in its place later is in the directory, too. */
static bool is_beneath(int dir, const char *name)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	_close_ int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));

	return fd >= 0 || errno == ENOENT;
}

/*
 * Theory. A link of one name leads to what is beside it, and that is no link that leads out unless
 * it was there before. One of more names goes by directories whose files another copy brings, with
 * links among them: where such a link leads to is not known before it is followed.
 */
bool link_may_lead_out(int dir, const char *target)
{
	_free_ char *text = malloc(strlen(target) + 1);

	if (!text)
		return true;
	if (shorten(target, text) || strchr(text, '/'))
		return !is_file(dir, target) || !is_file(dir, text);
	return !is_beneath(dir, *text ? text : ".");
}
