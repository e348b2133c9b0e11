/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/net_modes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/userns/userns.h"

#define DEPTH_MAX 4u /* the kernel's own are two deep */

static int add_directory(int dir, unsigned depth, struct strbuf *out);

static int add_entry(int dir, const char *name, unsigned depth, struct strbuf *out)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	strbuf_addf(out, "%s %o %u %u\n", name, st.st_mode, st.st_uid, st.st_gid);
	if (!S_ISDIR(st.st_mode))
		return 0;
	if (depth == DEPTH_MAX)
		return -ELOOP;

	_close_ int below = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return below < 0 ? -errno : add_directory(below, depth + 1, out);
}

static int add_directory(int dir, unsigned depth, struct strbuf *out)
{
	int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *d = own < 0 ? NULL : fdopendir(own);
	struct dirent *entry;

	if (!d) {
		fd_close(&own);
		return -EIO;
	}
	while (r >= 0 && (errno = 0, entry = readdir(d))) {
		if (!str_is_dots(entry->d_name))
			r = add_entry(dir, entry->d_name, depth, out);
	}
	if (r >= 0 && errno)
		r = -errno;
	closedir(d);
	return r;
}

int net_modes_add(int dir, struct strbuf *out)
{
	return add_directory(dir, 0, out);
}

bool net_modes_can_change(int dir, const struct id_map *map)
{
	struct stat st;

	return fstatat(dir, "dev", &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	       id_extents_lead_to(map->uid, map->n_uid, st.st_uid);
}
