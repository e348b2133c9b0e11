/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/tree_size.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/str.h"

struct walk {
	DIR *dirs[TREE_SIZE_DEPTH];
	unsigned depth;
	uint64_t bytes;
};

static void enter(struct walk *w, int dirfd, const char *name)
{
	int fd;
	DIR *d;

	if (w->depth == TREE_SIZE_DEPTH)
		return;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	d = fdopendir(fd);
	if (d)
		w->dirs[w->depth++] = d;
	else
		close(fd);
}

uint64_t tree_size(const char *path)
{
	struct walk w = {.depth = 0};

	enter(&w, AT_FDCWD, path);
	while (w.depth) {
		DIR *d = w.dirs[w.depth - 1];
		struct dirent *x = readdir(d);
		struct stat st;

		if (!x) {
			closedir(d);
			w.depth--;
			continue;
		}
		if (str_is_dots(x->d_name) ||
		    fstatat(dirfd(d), x->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISREG(st.st_mode))
			w.bytes += (uint64_t)st.st_size;
		else if (S_ISDIR(st.st_mode))
			enter(&w, dirfd(d), x->d_name);
	}
	return w.bytes;
}
