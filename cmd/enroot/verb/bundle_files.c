/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/verb/bundle_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/enroot/conf/dropin.h"
#include "cmd/enroot/frame/enroot.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"

#define FILE_BYTES_MAX (1u << 20)

static const struct {
	const char *name, *suffix;
} kinds[] = {{"environ.d", ".env"}, {"mounts.d", ".fstab"}, {"hooks.d", ".sh"}};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const char *const owners[] = {"system", "user"};

static int collect_one(const char *owner, const char *kind, const char *path, struct strv *ret,
		       struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s/%s/%s\n", owner, kind, dropin_name(path));
	if (path_read_believed(path, FILE_BYTES_MAX, &text, e) < 0)
		return err_wrap(e, "%s", path);
	if (strbuf_check(&text, e) < 0)
		return -ENOMEM;
	if (memchr(text.data, 0, text.len))
		return err_set(e, EINVAL, "%s: not a text", path);
	strv_take(ret, strbuf_take(&text));
	return strv_check(ret, e);
}

static int collect_kind(const char *owner, const char *dir, size_t kind, struct strv *ret,
			struct err *e)
{
	_strv_ struct strv paths = STRV_INIT;
	int r = dropin_list(dir, kinds[kind].name, kinds[kind].suffix, &paths, e);

	for (size_t i = 0; r >= 0 && i < paths.n; i++)
		r = collect_one(owner, kinds[kind].name, paths.items[i], ret, e);
	return r;
}

int enroot_bundle_collect(struct enroot *x, struct strv *ret, struct err *e)
{
	_free_ char *system = enroot_sysconf_dir(&x->conf), *user = enroot_config_dir(&x->conf);
	int r = system && user ? 0 : err_oom(e);

	for (size_t i = 0; r >= 0 && i < 2 * KINDS; i++)
		r = collect_kind(owners[i / KINDS], i < KINDS ? system : user, i % KINDS, ret, e);
	return r;
}

/* --- and back ----------------------------------------------------------------------------- */

/* OWNER/KIND/NAME and nothing else: a bundle is foreign data to the user who runs it. */
static bool is_expected(const char *name, size_t len)
{
	_free_ char *copy = strndup(name, len);
	char *kind = copy ? strchr(copy, '/') : NULL, *file = kind ? strchr(kind + 1, '/') : NULL;

	if (!file || !file[1] || file[1] == '.' || strchr(file + 1, '/'))
		return false;
	*kind++ = 0;
	*file++ = 0;
	if (!str_eq(copy, owners[0]) && !str_eq(copy, owners[1]))
		return false;
	for (size_t i = 0; i < KINDS; i++) {
		if (str_eq(kind, kinds[i].name))
			return str_has_suffix(file, kinds[i].suffix);
	}
	return false;
}

static int unpack_one(int dir, const char *text, struct err *e)
{
	size_t len = strcspn(text, "\n");
	_free_ char *name = strndup(text, len);
	char *slash = name ? strrchr(name, '/') : NULL;
	_close_ int parent = -1;
	struct io_replace where = {.mode = 0700, .replace = true};

	if (!name)
		return err_oom(e);
	if (!text[len] || !is_expected(name, len))
		return err_set(e, EBADMSG, "the bundle has a file of a strange name");
	*slash = 0;
	parent = path_mkdirs_in_root(dir, name, e);
	if (parent < 0)
		return parent;
	where.dirfd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (where.dirfd < 0)
		return err_sys(e, "open %s", name);
	where.name = slash + 1;
	if (io_write_file_at(&where, text + len + 1, strlen(text + len + 1), e) < 0) {
		close(where.dirfd);
		return err_wrap(e, "%s", where.name);
	}
	close(where.dirfd);
	return 0;
}

/* Each file is written whole or not at all, so runs side by side do not disturb each other. */
static int unpack_all(const char *path, const struct strv *files, struct err *e)
{
	_close_ int dir = path_open_private_dir(path, e);
	int r = dir < 0 ? dir : 0;

	if (r >= 0 && !faccessat(dir, ".complete", F_OK, AT_SYMLINK_NOFOLLOW))
		return 0;
	for (size_t i = 0; r >= 0 && i < files->n; i++)
		r = unpack_one(dir, files->items[i], e);
	if (r >= 0)
		r = io_write_file_at(&(struct io_replace){dir, ".complete", 0600, .replace = true},
				     "", 0, e);
	return r;
}

int enroot_bundle_unpack(struct enroot *x, const char *id, const struct strv *files, struct err *e)
{
	static const char *const keys[] = {"ENROOT_SYSCONF_PATH", "ENROOT_CONFIG_PATH"};
	_free_ char *dir = str_printf("%s/bundles/%s", x->cmd.paths.cache, id);
	int r = dir ? 0 : err_oom(e);

	if (r >= 0 && files->n)
		r = unpack_all(dir, files, e);
	for (size_t i = 0; r >= 0 && i < 2; i++) {
		_free_ char *path =
			files->n ? str_printf("%s/%s", dir, owners[i]) : str_printf("/dev/null");

		r = path ? enroot_conf_set(&x->conf, keys[i], path, "the bundle", e) : err_oom(e);
	}
	return r;
}
