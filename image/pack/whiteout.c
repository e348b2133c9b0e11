/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pack/whiteout.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

#define WHITEOUT ".wh."
#define OPAQUE ".wh..wh..opq"
#define META ".wh..wh." /* notes of aufs, which mean nothing here */

/* The names first: a directory that changes while it is read may pass over some. */
static int list_names(int dirfd, struct strv *ret, struct err *e)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	int r = 0;

	if (!list) {
		r = err_sys(e, "read the directory");
		fd_close(&fd);
		return r;
	}
	while ((errno = 0, d = readdir(list))) {
		if (!str_is_dots(d->d_name))
			strv_add(ret, d->d_name);
	}
	if (errno)
		r = err_sys(e, "read the directory");
	closedir(list);
	return r < 0 ? r : strv_check(ret, e);
}

static int empty(int dirfd, struct err *e)
{
	_strv_ struct strv names = STRV_INIT;
	int r = list_names(dirfd, &names, e);

	for (size_t i = 0; r >= 0 && i < names.n; i++)
		r = path_remove_tree_at(dirfd, names.items[i], e);
	return r;
}

int whiteout_apply(int dirfd, const char *name, struct err *e)
{
	int r = 0;

	if (!str_has_prefix(name, WHITEOUT))
		return 0;
	if (str_eq(name, OPAQUE))
		r = empty(dirfd, e);
	else if (!str_has_prefix(name, META)) {
		const char *hidden = name + strlen(WHITEOUT);

		if (!*hidden || str_is_dots(hidden))
			return err_set(e, EBADMSG, "a whiteout without a name");
		r = path_remove_tree_at(dirfd, hidden, e);
	}
	return r < 0 ? r : 1;
}
