/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/settings/config.h"

#define FILE_BYTES_MAX (1u << 20)
#define PREFIX "CSBX_"

/* A file that anyone could have written would let anyone steer our containers. */
static int check_file(int fd, const char *path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "%s: not a regular file", path);
	if (st.st_mode & 0002)
		return err_set(e, EPERM, "%s: anyone may write to it (mode %04o)", path,
			       st.st_mode & 07777);
	return 0;
}

int config_read_open(int fd, const char *shown, struct strbuf *ret, struct err *e)
{
	int r = check_file(fd, shown, e);

	if (r < 0)
		return r;
	r = io_read_all(fd, FILE_BYTES_MAX, ret, e);
	return r < 0 ? err_wrap(e, "%s", shown) : 1;
}

int config_read_file(int dirfd, const char *name, const char *shown, struct strbuf *ret,
		     struct err *e)
{
	_close_ int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	return fd < 0 ? err_sys(e, "open %s", shown) : config_read_open(fd, shown, ret, e);
}

static int read_one(struct config *c, int dirfd, const char *name, const char *shown, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = config_read_file(dirfd, name, shown, &text, e);

	if (r <= 0)
		return r;
	return config_parse(c, shown, strbuf_str(&text), text.len, e);
}

/*
 * The user's own. In a directory like /tmp, or a group's like it, neither a link of another user leads to
 * it nor is it believed below a directory of that user's, who was there first.
 */
static int read_user(struct config *c, const struct config_files *files, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct err why = ERR_INIT;
	const char *path = files->user_file;
	_close_ int fd = path_open_believed(path, files->user_names, O_RDONLY | O_NONBLOCK, &why);
	int r;

	if (fd == -ENOENT || fd == -ENOTDIR)
		return 0;
	if (fd == -ELOOP || fd == -EPERM)
		return err_set(e, -fd,
			       "open %s (XDG_CONFIG_HOME may name your configuration by another "
			       "way)",
			       why.msg);
	if (fd < 0)
		return err_set(e, -fd, "open %s", why.msg);
	r = config_read_open(fd, path, &text, e);
	return r < 0 ? r : config_parse(c, path, strbuf_str(&text), text.len, e);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Fills names with the *.conf files of the directory, sorted. Takes fd. */
static int list_conf(int fd, struct strv *names, struct err *e)
{
	DIR *d = fdopendir(fd);
	const struct dirent *ent;

	if (!d) {
		close(fd);
		return err_oom(e);
	}
	while ((ent = readdir(d))) {
		if (ent->d_name[0] != '.' && str_has_suffix(ent->d_name, ".conf"))
			strv_add(names, ent->d_name);
	}
	closedir(d);
	if (names->n)
		qsort(names->items, names->n, sizeof(*names->items), by_name);
	return strv_check(names, e);
}

static int read_conf_d(struct config *c, int dirfd, const char *dir, struct err *e)
{
	_strv_ struct strv names = STRV_INIT;
	_close_ int fd = openat(dirfd, "csbx.conf.d", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		    list = -1;
	int r;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, "open %s/csbx.conf.d", dir);
	list = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (list < 0)
		return err_sys(e, "open %s/csbx.conf.d", dir);
	r = list_conf(take_fd(&list), &names, e);
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		_free_ char *shown = str_printf("%s/csbx.conf.d/%s", dir, names.items[i]);

		if (!shown)
			return err_oom(e);
		r = read_one(c, fd, names.items[i], shown, e);
	}
	return r;
}

static int read_machine(struct config *c, const char *dir, struct err *e)
{
	_close_ int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_free_ char *shown = NULL;
	int r;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, "open %s", dir);
	shown = str_printf("%s/csbx.conf", dir);
	if (!shown)
		return err_oom(e);
	r = read_one(c, fd, "csbx.conf", shown, e);
	return r < 0 ? r : read_conf_d(c, fd, dir, e);
}

/* --- environment -------------------------------------------------------------------------- */

/* Variables of ours that are no settings: tracing, and what the tests hand to their helpers. */
static bool is_no_setting(const char *name, size_t len)
{
	static const char *const names[] = {"CSBX_DEBUG", "CSBX_MUST_WORK"};

	if (len > 10 && !memcmp(name, "CSBX_TEST_", 10))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) == len && !memcmp(name, names[i], len))
			return true;
	}
	return false;
}

/* A list's items stand one a line. */
static int add_env_items(struct config *c, const struct config_key *key, const char *value,
			 struct err *e)
{
	for (;;) {
		size_t n = key->kind == CONFIG_LIST ? strcspn(value, "\n") : strlen(value);

		/* One empty item says "set to nothing"; empty lines between others say nothing. */
		if ((n || !value[n]) &&
		    config_add(c, key, value, n, str_printf("%s in the environment", key->name),
			       true) < 0)
			return err_oom(e);
		value += n;
		if (!*value || !*++value)
			return 0;
	}
}

static int read_env(struct config *c, const char *const *env, struct err *e)
{
	for (; *env; env++) {
		const char *assignment = *env, *value;
		const struct config_key *key;
		_free_ char *name = NULL;
		int r;

		if (strncmp(assignment, PREFIX, sizeof(PREFIX) - 1))
			continue;
		value = strchr(assignment, '=');
		if (!value || is_no_setting(assignment, (size_t)(value - assignment)))
			continue;
		name = strndup(assignment, (size_t)(value++ - assignment));
		if (!name)
			return err_oom(e);
		key = config_key_find(name);
		if (!key) {
			_strbuf_ struct strbuf shown = STRBUF_INIT;

			strbuf_add_escaped(&shown, name, strnlen(name, 64));
			return err_set(e, EINVAL, "%s in the environment: unknown key",
				       strbuf_str(&shown));
		}
		if (key->kind == CONFIG_FLAG && *value && config_parse_flag(value) < 0)
			return err_set(e, EINVAL, "%s in the environment is yes or no", name);
		r = add_env_items(c, key, value, e);
		if (r < 0)
			return r;
	}
	return 0;
}

int config_load_from(struct config *c, const struct config_files *files, struct err *e)
{
	int r = 0;

	if (files->system_dir)
		r = read_machine(c, files->system_dir, e);
	if (r >= 0 && files->user_file)
		r = read_user(c, files, e);
	if (r >= 0 && files->env)
		r = read_env(c, files->env, e);
	if (r < 0)
		config_free(c);
	return r;
}

int config_load(struct config *c, struct err *e)
{
	struct config_files files = {.system_dir = CSBX_SYSCONFDIR};
	_free_ char *user = NULL;
	const char *dir;

	if (!getauxval(AT_SECURE)) {
		dir = getenv("XDG_CONFIG_HOME");
		if (dir && *dir == '/') {
			user = str_printf("%s/csbx/csbx.conf", dir);
			files.user_names = 3;
		} else {
			dir = getenv("HOME");
			if (dir && *dir == '/')
				user = str_printf("%s/.config/csbx/csbx.conf", dir);
			files.user_names = 4;
		}
		files.user_file = user;
		files.env = (const char *const *)environ;
	}
	return config_load_from(c, &files, e);
}
