/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "image/table/table.h"
#include "image/table/priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static void remove_file(int dirfd, const struct image_sweep *how, const char *file)
{
	int failed = 0;

	if (!how->dry_run && unlinkat(dirfd, file, 0) < 0)
		failed = -errno;
	if (failed != -ENOENT)
		how->tell(how->arg, file, failed);
}

/* A name that cannot be read, or that stands for an image that has gone. */
static void sweep_tag(int dirfd, const struct image_sweep *how, const char *file)
{
	struct image_tag tag;
	int r = image_table_read_tag(dirfd, file, &tag, NULL);
	bool dead = r == -EBADMSG;

	if (r >= 0) {
		dead = !image_table_has(dirfd, tag.id);
		image_tag_free(&tag);
	}
	if (dead)
		remove_file(dirfd, how, file);
}

/* The id in "HEX.sqsh", ".HEX.sqsh.XXXXXX" or ".import-HEX", as HEX. */
static bool import_of(const char *file, char ret[IMAGE_ID_HEX + 1])
{
	const char *rest = file;

	if (str_has_prefix(rest, IMAGE_TABLE_IMPORT_PREFIX))
		rest += strlen(IMAGE_TABLE_IMPORT_PREFIX);
	else if (*rest == '.')
		rest++;
	if (strspn(rest, "0123456789abcdef") != IMAGE_ID_HEX)
		return false;
	memcpy(ret, rest, IMAGE_ID_HEX);
	ret[IMAGE_ID_HEX] = 0;
	rest += IMAGE_ID_HEX;
	return !*rest || str_eq(rest, ".sqsh") || str_has_prefix(rest, ".sqsh.");
}

/* Sweeps files that no process is at work on and no record has. */
static void sweep_import(int dirfd, const struct image_sweep *how, const char *file, const char *id)
{
	char lock_name[IMPORT_LOCK_BYTES];
	_close_ int lock = -1;

	if (file[0] != '.' && image_table_has(dirfd, id))
		return;
	image_table_import_lock(id, lock_name);
	/* A dry run makes no lock where there is none: then no process holds it. */
	if (!how->dry_run || !faccessat(dirfd, lock_name, F_OK, AT_SYMLINK_NOFOLLOW)) {
		lock = image_table_take_lock(dirfd, lock_name, false, NULL);
		if (lock < 0)
			return;
	}
	if (!str_eq(file, lock_name))
		remove_file(dirfd, how, file);
	else if (how->dry_run)
		how->tell(how->arg, file, 0);
	if (!how->dry_run && !unlinkat(dirfd, lock_name, 0) && str_eq(file, lock_name))
		how->tell(how->arg, file, 0);
}

static void sweep_file(int dirfd, const struct image_sweep *how, const char *file)
{
	char id[IMAGE_ID_HEX + 1];

	if (file[0] == TAG_PREFIX)
		sweep_tag(dirfd, how, file);
	else if (str_has_prefix(file, ".tmp-"))
		remove_file(dirfd, how, file);
	else if (import_of(file, id))
		sweep_import(dirfd, how, file, id);
}

/* Temporary names are made with the lock held: the holder knows that they are debris. */
int image_table_sweep(int dirfd, const struct image_sweep *how, struct err *e)
{
	_close_ int lock = image_table_take_lock(dirfd, IMAGE_TABLE_LOCK, false, e);
	_strv_ struct strv files = STRV_INIT;
	const struct dirent *ent;
	int list;
	DIR *d;

	if (lock < 0)
		return lock == -EAGAIN ? 0 : lock;
	list = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = list < 0 ? NULL : fdopendir(list);
	if (!d) {
		fd_close(&list);
		return err_sys(e, "list " IMAGE_TABLE_DIR);
	}
	while ((ent = readdir(d)))
		strv_add(&files, ent->d_name);
	closedir(d);
	if (strv_check(&files, e) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < files.n; i++)
		sweep_file(dirfd, how, files.items[i]);
	return 0;
}
