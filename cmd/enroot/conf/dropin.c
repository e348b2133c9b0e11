/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/conf/dropin.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/enroot/conf/conf.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

#define FILES_MAX 1024u

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_names(DIR *d, const char *suffix, struct strv *names, struct err *e)
{
	const struct dirent *entry;
	struct stat dir;

	if (fstat(dirfd(d), &dir) < 0)
		return err_sys(e, "stat");
	while ((entry = readdir(d))) {
		struct stat st, own;

		if (*entry->d_name == '.' || !str_has_suffix(entry->d_name, suffix) ||
		    fstatat(dirfd(d), entry->d_name, &st, 0) < 0 || !S_ISREG(st.st_mode) ||
		    fstatat(dirfd(d), entry->d_name, &own, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (path_trust_name(&own, &dir, entry->d_name, e) < 0)
			return -EPERM;
		if (names->n == FILES_MAX)
			return err_set(e, E2BIG, "more than %u files", FILES_MAX);
		strv_add(names, entry->d_name);
	}
	return strv_check(names, e);
}

int dropin_list(const char *dir, const char *sub, const char *suffix, struct strv *out,
		struct err *e)
{
	_free_ char *path = dir ? str_printf("%s/%s", dir, sub) : NULL;
	_strv_ struct strv names = STRV_INIT;
	_close_ int fd = -1;
	DIR *d;
	int r;

	if (!dir)
		return 0;
	if (!path)
		return err_oom(e);
	fd = path_open_believed(path, enroot_config_names(dir) + 1, O_RDONLY | O_DIRECTORY, e);
	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR ? 0 : fd;
	d = fdopendir(fd);
	if (!d)
		return err_sys(e, "%s", path);
	(void)take_fd(&fd);
	r = add_names(d, suffix, &names, e);
	closedir(d);
	if (r < 0)
		return err_wrap(e, "%s", path);
	if (names.n)
		qsort(names.items, names.n, sizeof(names.items[0]), by_bytes);
	for (size_t i = 0; i < names.n; i++)
		strv_take(out, str_printf("%s/%s", path, names.items[i]));
	return strv_check(out, e);
}

const char *dropin_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
