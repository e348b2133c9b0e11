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

struct look {
	const struct id_map *map;
	struct strbuf *out;
	bool has_owned; /* an entry whose owner is of the map */
};

static int look_at_directory(struct look *l, int dir, unsigned depth);

static int look_at_entry(struct look *l, int dir, const char *name, unsigned depth)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (l->out)
		strbuf_addf(l->out, "%s %o %u %u\n", name, st.st_mode, st.st_uid, st.st_gid);
	if (l->map && id_extents_lead_to(l->map->uid, l->map->n_uid, st.st_uid))
		l->has_owned = true;
	if (!S_ISDIR(st.st_mode))
		return 0;
	if (depth == DEPTH_MAX)
		return -ELOOP;

	_close_ int below = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return below < 0 ? -errno : look_at_directory(l, below, depth + 1);
}

static int look_at_directory(struct look *l, int dir, unsigned depth)
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
			r = look_at_entry(l, dir, entry->d_name, depth);
	}
	if (r >= 0 && errno)
		r = -errno;
	closedir(d);
	return r;
}

int net_modes_add(int dir, struct strbuf *out)
{
	struct look l = {.out = out};

	return look_at_directory(&l, dir, 0);
}

bool net_modes_can_change(int dir, const struct id_map *map)
{
	struct look l = {.map = map};

	return look_at_directory(&l, dir, 0) < 0 || l.has_owned;
}
