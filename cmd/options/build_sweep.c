/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cmd/options/build_sweep.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/life/gc.h"
#include "runtime/settings/paths.h"
#include "runtime/userns/tree_remove.h"

int build_cache_remove(int dirfd, const char *name, struct err *e)
{
	char to[NAME_MAX + 1];
	ssize_t n = readlinkat(dirfd, name, to, sizeof(to) - 1);
	int r = 0;

	if (n > 0) {
		to[n] = 0;
		if (!strchr(to, '/') && !str_is_dots(to))
			r = tree_remove(dirfd, to, e);
	}
	return r < 0 ? r : tree_remove(dirfd, name, e);
}

static int sweep(const struct paths *p, int dirfd, bool dry_run, struct gc_report *report,
		 struct err *e)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *x;

	if (!d) {
		r = err_sys(e, "%s/" BUILD_CACHE_DIR, p->cache);
		fd_close(&fd);
		return r;
	}
	while (r >= 0 && (x = readdir(d))) {
		struct err why = ERR_INIT;
		int failed;

		if (!str_has_prefix(x->d_name, BUILD_NEW_PREFIX) &&
		    !str_has_prefix(x->d_name, BUILD_OLD_PREFIX))
			continue;
		failed = dry_run ? 0 : build_cache_remove(dirfd, x->d_name, &why);
		if (report &&
		    !gc_report_add(report, GC_TEMPORARY,
				   str_printf("%s/" BUILD_CACHE_DIR "/%s", p->cache, x->d_name),
				   failed < 0 ? why.msg : NULL))
			r = err_set(e, ENOMEM, "out of memory");
	}
	closedir(d);
	return r;
}

/* A cache that is not there is not made for this. */
int build_cache_sweep(const struct paths *p, bool dry_run, struct gc_report *report, struct err *e)
{
	_free_ char *path = str_printf("%s/" BUILD_CACHE_DIR, p->cache);
	_close_ int dirfd = -1, lock = -1;

	if (!path)
		return err_set(e, ENOMEM, "out of memory");
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	dirfd = paths_open(p->cache, BUILD_CACHE_DIR, e);
	if (dirfd < 0)
		return dirfd;
	lock = temp_try_exclusive(dirfd, e);
	if (lock < 0)
		return lock == -EAGAIN ? 0 : lock;
	return sweep(p, dirfd, dry_run, report, e);
}
