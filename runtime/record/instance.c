/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/instance.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/spec/name.h"
#include "runtime/settings/paths.h"
#include "runtime/kernel/process_id.h"
#include "runtime/record/container_store.h"

/* --- one's own ---------------------------------------------------------------------------- */

/*
 * The file of a supervisor that was killed: a container that stays is started under its old id. Its
 * groups are removed as gc would. 1: the file is gone, make it anew.
 */
static int take_stale(struct instance *i, struct err *e)
{
	struct instance_record rec;
	int r = 0;

	i->lock_fd = instance_claim_dying(i->dirfd, i->id);
	if (i->lock_fd == -EAGAIN)
		return err_set(e, EEXIST, "instance %s: it is there already", i->id);
	if (i->lock_fd < 0)
		return i->lock_fd == -ENOENT ? 1 : err_code(e, i->lock_fd, "instance %s", i->id);
	if (instance_read_dead(i->lock_fd, &rec) >= 0) {
		(void)instance_init_is_gone(&rec, INSTANCE_DYING_MS);
		if (rec.cgroup && cgroup_debris_exists(rec.cgroup))
			r = cgroup_remove_debris(rec.cgroup, i->id, e);
		instance_record_free(&rec);
	}
	if (r >= 0)
		(void)unlinkat(i->dirfd, i->id, 0);
	return r < 0 ? r : 1;
}

/* 1: gc took the file for debris before the lock was ours. */
static int take_file(struct instance *i, struct err *e)
{
	struct stat st;
	int r;

	i->lock_fd =
		openat(i->dirfd, i->id, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (i->lock_fd < 0)
		return errno == EEXIST ? take_stale(i, e) : err_sys(e, "instance %s", i->id);
	r = file_lock_wait(i->lock_fd, true);
	if (r < 0)
		return err_code(e, r, "lock instance %s", i->id);
	if (fstat(i->lock_fd, &st) < 0)
		return err_sys(e, "instance %s", i->id);
	return st.st_nlink ? 0 : 1;
}

int instance_begin(const struct paths *p, const char *id, struct instance *ret, struct err *e)
{
	int r;

	*ret = (struct instance)INSTANCE_INIT;
	if (!name_is_id(id))
		return err_set(e, EINVAL, "'%s' is no instance id", id);
	snprintf(ret->id, sizeof(ret->id), "%s", id);
	ret->dirfd = paths_open(p->runtime, "instances", e);
	if (ret->dirfd < 0)
		return ret->dirfd;
	do {
		fd_close(&ret->lock_fd);
		r = take_file(ret, e);
	} while (r > 0);
	if (r < 0)
		instance_release(ret);
	return r;
}

int instance_publish(struct instance *i, const struct instance_record *r, struct err *e)
{
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	int ret = instance_record_encode(r, &bytes, e);

	/* A reader that sees half of it sees a wrong checksum, and passes it over. */
	if (ret >= 0)
		ret = io_pwrite_all(i->lock_fd, bytes.data, bytes.len, 0, e);
	/* A name that it had before may have been longer. */
	if (ret >= 0 && ftruncate(i->lock_fd, (off_t)bytes.len) < 0)
		ret = err_sys(e, "shorten");
	return ret < 0 ? err_wrap(e, "instance %s", i->id) : 0;
}

void instance_end(struct instance *i)
{
	int saved = errno;

	if (i->lock_fd >= 0)
		unlinkat(i->dirfd, i->id, 0);
	instance_release(i);
	errno = saved;
}

void instance_release(struct instance *i)
{
	fd_close(&i->lock_fd);
	fd_close(&i->dirfd);
}

/* --- others' ------------------------------------------------------------------------------ */

static int add(struct instance_list *l, struct instance_record *r)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 16;
		struct instance_record *p = reallocarray(l->items, cap, sizeof(*p));

		if (!p)
			return -ENOMEM;
		l->items = p;
		l->cap = cap;
	}
	l->items[l->n++] = *r;
	return 0;
}

/*
 * 1 and a record if the file is held and published; 0 for what is unborn, half-written or dead,
 * which it removes where the caller sweeps.
 */
static int read_live(int dirfd, const char *id, bool sweeps, struct instance_record *ret,
		     struct err *e)
{
	_close_ int fd = openat(dirfd, id, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	size_t len;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, "instance %s", id);
	if (!file_lock_is_held(fd)) {
		if (sweeps)
			(void)instance_remove_dead(dirfd, id);
		return 0;
	}
	if (io_read_all(fd, INSTANCE_BYTES_MAX, &bytes, NULL) < 0 || !bytes.len)
		return 0;
	len = bytes.len;
	if (instance_record_decode(ret, strbuf_take(&bytes), len, NULL) < 0)
		return 0;
	/*
	 * A process that waited for it must not find it: the image server may let go a moment
	 * later.
	 */
	if (ret->is_bare && !process_is(ret->init, ret->start_ticks)) {
		instance_record_free(ret);
		return 0;
	}
	return 1;
}

int instance_read(const struct paths *p, const char *id, struct instance_record *ret, struct err *e)
{
	_close_ int dirfd = paths_open(p->runtime, "instances", e);
	char name[NAME_ID_DIGITS + 1];
	int r;

	*ret = (struct instance_record){0};
	if (dirfd < 0)
		return dirfd;
	snprintf(name, sizeof(name), "%.*s", NAME_ID_DIGITS, id);
	if (!name_is_id(name))
		return err_set(e, EINVAL, "'%s' is no instance id", name);
	r = read_live(dirfd, name, true, ret, e);
	return r ? (r < 0 ? r : 0) : err_set(e, ENOENT, "not running");
}

int instance_open_supervisor(const struct paths *p, const char *id)
{
	struct instance_record rec;
	int fd;

	if (instance_read(p, id, &rec, NULL) < 0)
		return -1;
	fd = (int)syscall(SYS_pidfd_open, rec.supervisor, 0);
	instance_record_free(&rec);
	return fd;
}

int instance_look_ms(unsigned n_looks)
{
	const unsigned soon = 20, most_ms = 50; /* a start and an end take some milliseconds */

	if (n_looks < soon)
		return 1;
	return (int)(n_looks - soon < most_ms ? n_looks - soon + 1 : most_ms);
}

static int add_live(int dirfd, const char *id, const char *name, bool sweeps,
		    struct instance_list *l, struct err *e)
{
	struct instance_record rec;
	int r = name_is_id(id) ? read_live(dirfd, id, sweeps, &rec, e) : 0;

	if (r <= 0)
		return r;
	if (name && (!rec.name || strcmp(rec.name, name))) {
		instance_record_free(&rec);
		return 0;
	}
	if (add(l, &rec) < 0) {
		instance_record_free(&rec);
		return err_oom(e);
	}
	return 0;
}

static int list_live(const struct paths *p, const char *name, bool sweeps,
		     struct instance_list *ret, struct err *e)
{
	_close_ int fd = paths_open(p->runtime, "instances", e);
	const struct dirent *ent;
	DIR *d;
	int r = 0;

	*ret = (struct instance_list){0};
	if (fd < 0)
		return fd;
	d = fdopendir(fd);
	if (!d)
		return err_sys(e, "list %s/instances", p->runtime);
	(void)take_fd(&fd);
	while (r >= 0 && (ent = readdir(d)))
		r = add_live(dirfd(d), ent->d_name, name, sweeps, ret, e);
	closedir(d);
	if (r < 0)
		instance_list_free(ret);
	return r;
}

int instance_list(const struct paths *p, const char *name, struct instance_list *ret, struct err *e)
{
	return list_live(p, name, true, ret, e);
}

int instance_list_only(const struct paths *p, struct instance_list *ret, struct err *e)
{
	return list_live(p, NULL, false, ret, e);
}

void instance_list_free(struct instance_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		instance_record_free(&l->items[i]);
	free(l->items);
	*l = (struct instance_list){0};
}

int instance_refuse_running(const struct paths *p, const char *name, struct err *e)
{
	struct instance_list l;
	int r = instance_list(p, name, &l, e);

	if (r < 0)
		return r;
	if (l.n)
		r = err_set(e, EBUSY, "in use by pid %d", l.items[0].supervisor);
	instance_list_free(&l);
	return r;
}

enum match { MATCH_NONE, MATCH_ID, MATCH_NAME };

static enum match match(const struct instance_record *r, const char *operand)
{
	size_t len = strlen(operand);

	if (r->name && !strcmp(r->name, operand))
		return MATCH_NAME;
	if (len < 4 || len > NAME_CONTAINER_ID_DIGITS)
		return MATCH_NONE;
	return !strncmp(r->id, operand, len < NAME_ID_DIGITS ? len : NAME_ID_DIGITS) ? MATCH_ID
										     : MATCH_NONE;
}

/* A container may be called like the beginning of an id: names go first. */
static enum match best_match(const struct instance_list *l, const char *operand)
{
	enum match best = MATCH_NONE;

	for (size_t i = 0; i < l->n; i++) {
		enum match m = match(&l->items[i], operand);

		best = m > best ? m : best;
	}
	return best;
}

/* A whole id, which is no container's name: no other instance need be looked at. */
static bool is_only_id(const struct paths *p, const char *operand)
{
	_free_ char *named = NULL;

	if (!name_is_id(operand) && !name_is_container_id(operand))
		return false;
	named = str_printf("%s/containers/%s", p->data, operand);
	return named && faccessat(AT_FDCWD, named, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	       errno == ENOENT;
}

/* A container that stays runs under its own id: no other instance need be looked at. */
static bool find_kept(const struct paths *p, const char *operand, struct instance_record *ret)
{
	_close_ int dirfd = name_is_valid(operand) ? container_store_open_dir(p, NULL) : -1;
	struct container_record kept;
	bool found;

	if (dirfd < 0 || container_store_read(dirfd, operand, &kept, NULL) < 0)
		return false;
	found = kept.spec && kept.container_id &&
		instance_read(p, kept.container_id, ret, NULL) >= 0;
	container_record_free(&kept);
	if (found && (!ret->name || strcmp(ret->name, operand))) {
		instance_record_free(ret);
		return false;
	}
	return found;
}

int instance_find(const struct paths *p, const char *operand, struct instance_record *ret,
		  struct err *e)
{
	_strbuf_ struct strbuf ids = STRBUF_INIT;
	struct instance_list l;
	size_t n = 0, found = 0;
	enum match best;
	int r;

	if (is_only_id(p, operand))
		return instance_read(p, operand, ret, e);
	if (find_kept(p, operand, ret))
		return 0;
	r = instance_list(p, NULL, &l, e);
	if (r < 0)
		return r;
	best = best_match(&l, operand);
	for (size_t i = 0; i < l.n && best; i++) {
		if (match(&l.items[i], operand) != best)
			continue;
		strbuf_addf(&ids, "%s%s", n++ ? " " : "", l.items[i].id);
		found = i;
	}
	if (n == 1) {
		*ret = l.items[found];
		l.items[found] = (struct instance_record){0};
	} else if (n) {
		r = err_set(e, ENOTUNIQ, "%zu instances run: %s", n, strbuf_str(&ids));
	} else {
		r = err_set(e, ENOENT, "not running");
	}
	instance_list_free(&l);
	return r;
}
