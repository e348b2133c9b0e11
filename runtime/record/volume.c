/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/volume.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/linux_calls.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/record/container_store.h"
#include "runtime/spec/name.h"
#include "runtime/record/owner.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/spec.h"
#include "runtime/spec/flat.h"
#include "runtime/kernel/mount_table.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/userns/tree_remove.h"

#define MAKER "maker"

static int open_volumes(const struct paths *p, struct err *e)
{
	return paths_open(p->data, "volumes", e);
}

bool volume_has(const char *below_data)
{
	const char *name = path_beyond("volumes", below_data);
	const char *slash = name ? strchr(name, '/') : NULL;

	return slash && slash != name && path_beyond("_data", slash + 1);
}

bool clone_has(const char *below_cache)
{
	const char *name = path_beyond("repos", below_cache);

	return name && *name;
}

bool volume_is_anonymous(const char *name)
{
	return name_is_container_id(name);
}

static int new_name(char **ret, struct err *e)
{
	char instance[NAME_ID_DIGITS + 1], id[NAME_CONTAINER_ID_DIGITS + 1];
	int r = name_new_id(instance, e);

	if (r >= 0)
		r = name_new_container_id(instance, id, e);
	if (r < 0)
		return r;
	*ret = strdup(id);
	return *ret ? 0 : err_oom(e);
}

static int make_dir(int dirfd, const char *name, mode_t mode, struct err *e)
{
	if (mkdirat(dirfd, name, mode) == 0 || errno == EEXIST)
		return 0;
	return err_sys(e, "make volume %s", name);
}

int volume_open(const struct paths *p, const char *name, char **ret_name, char **ret_path,
		struct err *e)
{
	_free_ char *made = NULL, *data = NULL;
	_close_ int dirfd = -1;
	mode_t old;
	int r;

	if (name && !name_is_valid(name))
		return err_set(e, EINVAL, "'%s' is no name of a volume: a-z A-Z 0-9 _ . + -", name);
	if (name)
		made = strdup(name);
	else if ((r = new_name(&made, e)) < 0)
		return r;
	data = made ? str_printf("%s/_data", made) : NULL;
	if (!data)
		return err_oom(e);
	dirfd = open_volumes(p, e);
	if (dirfd < 0)
		return dirfd;
	old = umask(0);
	r = make_dir(dirfd, made, 0700, e);
	if (r >= 0)
		r = make_dir(dirfd, data, 0755, e);
	umask(old);
	if (r < 0)
		return r;
	*ret_path = str_printf("%s/volumes/%s", p->data, data);
	if (ret_name)
		*ret_name = take_ptr(made);
	return *ret_path ? 0 : err_oom(e);
}

/* --- those that come and go with a container ---------------------------------------------- */

/* NAME/maker: the process that is about to write its container down, or to remove it. */
static int mark(int dirfd, const char *name, struct err *e)
{
	_free_ char *file = str_printf("%s/" MAKER, name), *owner = NULL;
	char pid[16];
	int r;

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	r = file ? owner_parse(pid, &owner, e) : err_oom(e);
	if (r >= 0) {
		const struct io_replace where = {
			.dirfd = dirfd, .name = file, .mode = 0600, .replace = true};

		r = io_write_file_at(&where, owner, strlen(owner), e);
	}
	return r;
}

static void unmark(int dirfd, const char *name)
{
	_free_ char *file = str_printf("%s/" MAKER, name);

	if (file)
		(void)unlinkat(dirfd, file, 0);
}

/* With its mark from the first moment on: it gets its name last. */
static int make_marked(int dirfd, const char *name, struct err *e)
{
	_free_ char *data = NULL;
	char tmp[TEMP_NAME_BYTES];
	_close_ int temp = temp_begin(dirfd, e);
	int r = temp < 0 ? temp : temp_name(tmp, e);

	if (r < 0)
		return r;
	data = str_printf("%s/_data", tmp);
	if (!data)
		return err_oom(e);
	r = make_dir(dirfd, tmp, 0700, e);
	if (r >= 0)
		r = mark(dirfd, tmp, e);
	if (r >= 0)
		r = make_dir(dirfd, data, 0755, e);
	if (r >= 0 && renameat(dirfd, tmp, dirfd, name) < 0)
		r = err_sys(e, "make volume %s", name);
	if (r < 0)
		(void)tree_remove(dirfd, tmp, NULL);
	return r;
}

int volume_open_own(const struct paths *p, char **ret_name, char **ret_path, struct err *e)
{
	_free_ char *name = NULL;
	_close_ int dirfd = open_volumes(p, e);
	mode_t old;
	int r = dirfd < 0 ? dirfd : new_name(&name, e);

	if (r < 0)
		return r;
	old = umask(0);
	r = make_marked(dirfd, name, e);
	umask(old);
	if (r < 0)
		return r;
	*ret_path = str_printf("%s/volumes/%s/_data", p->data, name);
	*ret_name = take_ptr(name);
	return *ret_path ? 0 : err_oom(e);
}

void volumes_settle(const struct paths *p, const struct container_spec *s)
{
	_close_ int dirfd = -1;

	for (size_t i = 0; i < s->n_mounts; i++) {
		if (!volume_is_own(&s->mounts[i]))
			continue;
		if (dirfd < 0)
			dirfd = open_volumes(p, NULL);
		if (dirfd >= 0)
			unmark(dirfd, s->mounts[i].volume);
	}
}

static void mark_all(const struct paths *p, const struct container_record *r, bool on)
{
	_close_ int dirfd = -1;
	struct container_spec s;

	if (!r->spec || spec_flat_read(&s, r->spec, r->spec_len, NULL) < 0)
		return;
	if (!on)
		volumes_settle(p, &s);
	for (size_t i = 0; on && i < s.n_mounts; i++) {
		if (!volume_is_own(&s.mounts[i]))
			continue;
		if (dirfd < 0)
			dirfd = open_volumes(p, NULL);
		if (dirfd >= 0)
			(void)mark(dirfd, s.mounts[i].volume, NULL);
	}
	spec_free(&s);
}

void volume_begin_removal_of(const struct paths *p, const struct container_record *r)
{
	mark_all(p, r, true);
}

void volume_keep_of(const struct paths *p, const struct container_record *r)
{
	mark_all(p, r, false);
}

bool volume_is_debris(const struct paths *p, const char *name)
{
	_close_ int dirfd = open_volumes(p, NULL);
	_free_ char *file = str_printf("%s/" MAKER, name);
	_strbuf_ struct strbuf owner = STRBUF_INIT;
	_strv_ struct strv users = STRV_INIT;

	if (dirfd < 0 || !file || io_read_file_at(dirfd, file, 64, &owner, NULL) < 0 ||
	    !owner_is_gone(strbuf_str(&owner)))
		return false;
	return volume_users(p, name, &users, NULL) >= 0 && !users.n;
}

int volume_open_all(const struct paths *p, struct container_spec *s, struct err *e)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		struct mount_spec *m = &s->mounts[i];
		int r;

		if (!m->volume || m->source)
			continue;
		r = volume_open(p, m->volume, NULL, &m->source, e);
		if (r < 0)
			return r;
	}
	return 0;
}

int volume_find_all(const struct paths *p, struct container_spec *s, struct err *e)
{
	_close_ int dirfd = -1;

	for (size_t i = 0; i < s->n_mounts; i++) {
		struct mount_spec *m = &s->mounts[i];
		_free_ char *data = NULL;
		struct stat st;

		if (!m->volume || m->source || !name_is_valid(m->volume))
			continue;
		if (dirfd < 0)
			dirfd = open_volumes(p, e);
		if (dirfd < 0)
			return dirfd;
		data = str_printf("%s/_data", m->volume);
		if (!data)
			return err_oom(e);
		if (fstatat(dirfd, data, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
			continue;
		m->source = str_printf("%s/volumes/%s", p->data, data);
		if (!m->source)
			return err_oom(e);
	}
	return 0;
}

/* --- which there are ---------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int volume_list(const struct paths *p, struct strv *ret, struct err *e)
{
	_close_ int dirfd = open_volumes(p, e), list = -1;
	const struct dirent *ent;
	DIR *d;

	if (dirfd < 0)
		return dirfd;
	list = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = list < 0 ? NULL : fdopendir(list);
	if (!d)
		return err_sys(e, "list %s/volumes", p->data);
	(void)take_fd(&list);
	while ((ent = readdir(d))) {
		if (name_is_valid(ent->d_name))
			strv_add(ret, ent->d_name);
	}
	closedir(d);
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_name);
	return strv_check(ret, e);
}

static int no_such(const char *name, struct err *e)
{
	return err_set(e, ENOENT, "no such volume: %s", name);
}

int volume_look(const struct paths *p, const char *name, uint64_t *ret_created_ns, char **ret_path,
		struct err *e)
{
	_close_ int dirfd = open_volumes(p, e);
	struct statx st;

	if (dirfd < 0)
		return dirfd;
	if (!name_is_valid(name) ||
	    statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_MTIME, &st) < 0)
		return no_such(name, e);
	/* Its own directory holds _data only and does not change; not every file system has a
	 * birth. */
	*ret_created_ns =
		st.stx_mask & STATX_BTIME
			? (uint64_t)st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec
			: (uint64_t)st.stx_mtime.tv_sec * 1000000000u + st.stx_mtime.tv_nsec;
	*ret_path = str_printf("%s/volumes/%s/_data", p->data, name);
	return *ret_path ? 0 : err_oom(e);
}

static bool mounts(const struct container_record *r, const char *name)
{
	struct container_spec s;
	bool found = false;

	if (!r->spec || spec_flat_read(&s, r->spec, r->spec_len, NULL) < 0)
		return false;
	for (size_t i = 0; i < s.n_mounts && !found; i++)
		found = s.mounts[i].volume && str_eq(s.mounts[i].volume, name);
	spec_free(&s);
	return found;
}

int volume_users(const struct paths *p, const char *name, struct strv *ret_ids, struct err *e)
{
	_close_ int dirfd = container_store_open_dir(p, e);
	_strv_ struct strv containers = STRV_INIT;
	int r = dirfd < 0 ? dirfd : container_store_list(p, &containers, NULL, e);

	for (size_t i = 0; r >= 0 && i < containers.n; i++) {
		struct container_record rec;

		if (container_store_read(dirfd, containers.items[i], &rec, NULL) < 0)
			continue;
		if (mounts(&rec, name))
			strv_add(ret_ids, rec.container_id);
		container_record_free(&rec);
	}
	return r < 0 ? r : strv_check(ret_ids, e);
}

/* --- removal ------------------------------------------------------------------------------ */

int volume_remove(const struct paths *p, const char *name, struct err *e)
{
	_close_ int dirfd = open_volumes(p, e), temp = -1;
	_strv_ struct strv users = STRV_INIT;
	char tmp[TEMP_NAME_BYTES];
	int r;

	if (dirfd < 0)
		return dirfd;
	if (!name_is_valid(name) || faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return no_such(name, e);
	r = volume_users(p, name, &users, e);
	if (r >= 0 && users.n)
		return err_set(e, EBUSY, "volume is in use - [%s]", users.items[0]);
	if (r >= 0)
		r = temp = temp_begin(dirfd, e);
	if (r >= 0)
		r = temp_move_away(dirfd, name, tmp, e);
	if (r == -ENOENT)
		return no_such(name, e);
	return r < 0 ? r : tree_remove(dirfd, tmp, e);
}

bool volume_is_own(const struct mount_spec *m)
{
	return m->volume && volume_is_anonymous(m->volume) &&
	       !(m->asked && strstr(m->asked, m->volume));
}

int volume_remove_of(const struct paths *p, const struct container_record *rec, struct err *e)
{
	struct container_spec s;
	int r;

	if (!rec->spec)
		return 0;
	r = spec_flat_read(&s, rec->spec, rec->spec_len, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < s.n_mounts && r >= 0; i++) {
		if (!volume_is_own(&s.mounts[i]))
			continue;
		r = volume_remove(p, s.mounts[i].volume, e);
		if (r == -ENOENT || r == -EBUSY)
			r = 0;
	}
	spec_free(&s);
	return r;
}

int volume_prune(const struct paths *p, bool all, struct strv *ret_removed, struct err *e)
{
	_strv_ struct strv names = STRV_INIT;
	int r = volume_list(p, &names, e);

	for (size_t i = 0; i < names.n && r >= 0; i++) {
		if (!all && !volume_is_anonymous(names.items[i]))
			continue;
		r = volume_remove(p, names.items[i], e);
		if (r >= 0)
			strv_add(ret_removed, names.items[i]);
		else if (r == -EBUSY || r == -ENOENT)
			r = 0;
	}
	return r < 0 ? r : strv_check(ret_removed, e);
}
