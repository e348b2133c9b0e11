/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/enroot/conf/conf.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/settings/config.h"

static const char *from_environment(void *ctx, const char *name)
{
	(void)ctx;
	return secure_getenv(name);
}

/* As id -un: the name in the user database, not a variable that a batch job carried along. */
static const char *user(void *ctx)
{
	/* One thread, and no other process keeps an entry. */
	const struct passwd *pw = getpwuid(getuid()); /* cppcheck-suppress getpwuidCalled */

	(void)ctx;
	return pw ? pw->pw_name : secure_getenv("USER");
}

/* names: of path, the last so many that the caller does not name */
static int read_one(struct enroot_conf *c, const struct enroot_conf_env *env, const char *path,
		    unsigned names, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_close_ int fd = path_open_believed(path, names, O_RDONLY | O_NONBLOCK, e);
	int r;

	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR ? 0 : fd;
	r = config_read_open(fd, path, &text, e);
	return r < 0 ? r : enroot_conf_parse(c, env, path, strbuf_str(&text), text.len, e);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_directory(struct enroot_conf *c, const struct enroot_conf_env *env, const char *dir,
			  struct err *e)
{
	_strv_ struct strv names = STRV_INIT;
	_close_ int fd = path_open_believed(dir, 1, O_RDONLY | O_DIRECTORY, e);
	const struct dirent *entry;
	DIR *d;
	int r = 0;

	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR ? 0 : err_wrap(e, "open");
	d = fdopendir(fd);
	if (!d)
		return err_oom(e);
	(void)take_fd(&fd);
	while ((entry = readdir(d))) {
		if (entry->d_name[0] != '.' && str_has_suffix(entry->d_name, ".conf"))
			strv_take(&names, str_printf("%s/%s", dir, entry->d_name));
	}
	closedir(d);
	r = strv_check(&names, e);
	if (r >= 0 && names.n)
		qsort(names.items, names.n, sizeof(*names.items), by_name);
	for (size_t i = 0; r >= 0 && i < names.n; i++)
		r = read_one(c, env, names.items[i], 2, e);
	return r;
}

static int read_files(struct enroot_conf *c, const struct enroot_conf_env *env, struct err *e)
{
	const char *set = secure_getenv("ENROOT_SYSCONF_PATH");
	const char *dir = set && *set == '/' ? set : "/etc/enroot";
	_free_ char *file = str_printf("%s/enroot.conf", dir);
	_free_ char *more = str_printf("%s/enroot.conf.d", dir);
	int r;

	if (!file || !more)
		return err_oom(e);
	r = read_one(c, env, file, 1, e);
	return r < 0 ? r : read_directory(c, env, more, e);
}

/* The variables of the environment that are enroot's own; the rest is read where it is wanted. */
static int read_environment(struct enroot_conf *c, struct err *e)
{
	for (const struct enroot_key *k = enroot_keys; k->name; k++) {
		const char *value = secure_getenv(k->name);

		if (value && enroot_conf_set(c, k->name, value, "the environment", e) < 0)
			return -ENOMEM;
	}
	return 0;
}

struct enroot_conf_env enroot_conf_environment(void)
{
	return (struct enroot_conf_env){from_environment, user, NULL, getuid()};
}

int enroot_conf_load(struct enroot_conf *c, struct err *e)
{
	const struct enroot_conf_env env = enroot_conf_environment();
	int r = read_files(c, &env, e);

	return r < 0 ? r : read_environment(c, e);
}
