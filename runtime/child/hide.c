/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hides csbx's own directories beneath whatever is mounted. It does not look at the intentions,
 * sources and options, but at the result: the kernel's list of the mounts below the root, by file
 * system and path in it. So a directory is found through every mount that shows it: a bind of the
 * home or of "/", one of another place where the same file system is mounted, a part of the root
 * mounted once more, one that a hook has made.
 *
 *	hidden	 an empty, read-only tmpfs lies over the directory
 *	pinned	 each directory, and each link, on the way to it is mounted on itself where the
 * program may write: a mount point can be neither renamed nor removed, rename(2) says EBUSY. Else
 *		 the program would move the way aside and make another one for the user's next start.
 *		 A link is mounted read-only: its owner and time say whether csbx follows it
 *	refused	 a mount of the directory itself or of what lies in it, volumes excepted
 *
 * The copy of this mount namespace into the program's less privileged user namespace locks all of
 * it, as it does the masks of /proc (proc.c).
 *
 * In an overlay over a directory of the host, which is how a directory is the image or is copied,
 * the same directory has a path in the overlay; writes there stay there, so nothing need be pinned.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/linux_calls.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/child/child.h"
#include "runtime/kernel/mount_abi.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/kernel/mount_table.h"
#include "runtime/record/hosts.h"
#include "runtime/record/step_dirs.h"
#include "runtime/record/volume.h"
#include "runtime/spec/plan.h"

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000U /* Linux 5.8 */
#endif
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

#define TABLE_BYTES_USUAL 8192 /* growing by steps costs more than room to spare */
#define TABLE_BYTES_MAX (16u << 20)
#define COVER_BYTES 4096

/* A directory as the file system has it, whatever mount leads to it. */
struct seat {
	unsigned major, minor;
	char path[PATH_MAX];
};

/* The file that a descriptor leads to. */
struct sight {
	unsigned major, minor;
	uint64_t ino;
	int mount;
	bool is_directory, is_link;
	bool is_mount_point; /* not told where there is no statx(2) */
};

struct hiding {
	struct child *c;
	const struct op *op;
	struct sight own; /* of the directory */
};

/* The mount that a descriptor leads through, proc_pid_fdinfo(5): for a host whose filter has no
 * statx(2). */
static int mount_id_of(const struct child *c, int fd)
{
	char name[40], text[512];
	const char *line;
	_close_ int info = -1;
	ssize_t n;
	int id;

	snprintf(name, sizeof(name), "self/fdinfo/%d", fd);
	info = openat(c->clean_proc_fd, name, O_RDONLY | O_CLOEXEC);
	n = info < 0 ? -1 : read(info, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	line = strstr(text, "mnt_id:");
	return line && sscanf(line, "mnt_id: %d", &id) == 1 ? id : -1;
}

static int look(const struct child *c, int fd, struct sight *ret, struct err *e)
{
	struct statx x;
	struct stat st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_MNT_ID,
		  &x) == 0) {
		*ret = (struct sight){.major = x.stx_dev_major,
				      .minor = x.stx_dev_minor,
				      .ino = x.stx_ino,
				      .mount = (int)x.stx_mnt_id,
				      .is_directory = S_ISDIR(x.stx_mode),
				      .is_link = S_ISLNK(x.stx_mode),
				      .is_mount_point = x.stx_attributes & STATX_ATTR_MOUNT_ROOT};
		return 0;
	}
	if (errno != ENOSYS || fstat(fd, &st) < 0)
		return err_sys(e, "look at a mount");
	*ret = (struct sight){.major = major(st.st_dev),
			      .minor = minor(st.st_dev),
			      .ino = st.st_ino,
			      .mount = mount_id_of(c, fd),
			      .is_directory = S_ISDIR(st.st_mode),
			      .is_link = S_ISLNK(st.st_mode)};
	return ret->mount < 0 ? err_set(e, ENOSYS, "statx, and the mount of a descriptor") : 0;
}

static int read_table(struct child *c, struct err *e)
{
	_close_ int fd = openat(c->clean_proc_fd, "self/mountinfo", O_RDONLY | O_CLOEXEC);
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct sight root;
	int r;

	if (fd < 0)
		return err_sys(e, "/proc/self/mountinfo");
	(void)strbuf_reserve(&text, TABLE_BYTES_USUAL);
	r = io_read_all(fd, TABLE_BYTES_MAX, &text, e);
	if (r < 0)
		return r;
	c->mounts = calloc(1, sizeof(*c->mounts));
	if (!c->mounts)
		return err_oom(e);
	r = mount_table_parse(strbuf_take(&text), c->mounts, e);
	if (r >= 0)
		r = look(c, c->root_fd, &root, e);
	if (r >= 0)
		mount_table_mark(c->mounts, root.mount);
	return r;
}

/* By a path without links, as the kernel's list has it; the last name may be a link, and is not
 * followed. */
static int open_exactly(const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static bool join(char ret[PATH_MAX], const char *dir, const char *name)
{
	bool is_root = !strcmp(dir, "/");
	int n = *name ? snprintf(ret, PATH_MAX, "%s/%s", is_root ? "" : dir, name)
		      : snprintf(ret, PATH_MAX, "%s", dir);

	return n > 0 && n < PATH_MAX;
}

/* --- pins --------------------------------------------------------------------------------- */

/* Mounts what is at path, if anything is, on itself. */
static int pin(const struct hiding *h, const char *path, struct err *e)
{
	_close_ int fd = open_exactly(path), copy = -1;
	struct sight st;
	int r;

	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR ? 0 : err_code(e, fd, "%s", path);
	r = look(h->c, fd, &st, e);
	if (r < 0 || st.is_mount_point)
		return r;
	r = copy = mount_clone(fd, "", st.is_directory, e);
	if (r >= 0 && st.is_link)
		r = mount_restrict(copy, MOUNT_ATTR_RDONLY, false, e);
	return r < 0 ? r : mount_attach(copy, fd, e);
}

static bool is_on(const struct mount_row *m, const struct seat *s)
{
	return m->major == s->major && m->minor == s->minor;
}

/* The place of a path of the host, without links. */
static bool seat_of(const struct hiding *h, const char *path, struct seat *ret)
{
	const struct mount_row *m = mount_table_locate(h->c->mounts, path);

	if (!m)
		return false;
	ret->major = m->major;
	ret->minor = m->minor;
	return join(ret->path, m->root, path_beyond(m->point, path));
}

/* A name in a directory, whatever is mounted on it. */
static bool seat_of_name(const struct hiding *h, const char *dir, const char *name,
			 struct seat *ret)
{
	struct seat s;

	if (!seat_of(h, dir, &s) || !join(ret->path, s.path, name))
		return false;
	ret->major = s.major;
	ret->minor = s.minor;
	return true;
}

/* In every mount of the container that the program may write to. */
static int pin_seat(const struct hiding *h, const struct seat *s, struct err *e)
{
	const struct mount_table *t = h->c->mounts;

	for (size_t i = 0; i < t->n; i++) {
		const struct mount_row *m = &t->rows[i];
		const char *beyond =
			is_on(m, s) && m->is_writable ? path_beyond(m->root, s->path) : NULL;
		char path[PATH_MAX];
		int r;

		if (!beyond || !*beyond || !m->is_below)
			continue;
		if (!join(path, m->point, beyond))
			return err_set(e, ENAMETOOLONG, "%s/%s", m->point, beyond);
		r = pin(h, path, e);
		if (r < 0)
			return r;
	}
	return 0;
}

/* From the top on down: each pinned directory is on the way to the next. */
static int pin_way(const struct hiding *h, const char *path, bool with_last, struct err *e)
{
	char dir[PATH_MAX], name[NAME_MAX + 1];

	for (const char *at = path + 1; *at;) {
		size_t n = strcspn(at, "/"), dir_len = (size_t)(at - path - 1);
		struct seat s;
		int r;

		if (n > NAME_MAX || dir_len >= sizeof(dir))
			return err_set(e, ENAMETOOLONG, "%s", path);
		if (!at[n] && !with_last)
			return 0;
		memcpy(dir, path, dir_len);
		dir[dir_len] = 0;
		memcpy(name, at, n);
		name[n] = 0;
		r = seat_of_name(h, *dir ? dir : "/", name, &s) ? pin_seat(h, &s, e) : 0;
		if (r < 0)
			return r;
		at += n + (at[n] == '/');
	}
	return 0;
}

static int pin_links(const struct hiding *h, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < h->op->links.n && r >= 0; i++)
		r = pin_way(h, h->op->links.items[i], true, e);
	return r < 0 ? err_wrap(e, "keep the way to %s", h->op->src) : 0;
}

/* A file in the directory's place stays too: it cannot be covered, nor be a directory. */
static int pin_all(const struct hiding *h, struct err *e)
{
	int r = pin_way(h, h->op->real, !h->own.is_directory, e);

	return r < 0 ? err_wrap(e, "keep the way to %s", h->op->src) : pin_links(h, e);
}

/* --- covers ------------------------------------------------------------------------------- */

static int cover(struct child *c, int target, struct err *e)
{
	_close_ int fd = -1;

	if (!c->cover_fd) {
		c->cover_fd = mount_new_tmpfs(COVER_BYTES, 0555,
					      MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
						      MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
					      e);
		if (c->cover_fd < 0)
			return c->cover_fd;
		return mount_attach(c->cover_fd, target, e);
	}
	fd = mount_clone(c->cover_fd, "", false, e);
	return fd < 0 ? fd : mount_attach(fd, target, e);
}

/* Another directory at that place is one that another mount has put over it. */
static int cover_path(const struct hiding *h, const char *path, bool is_overlay, struct err *e)
{
	_close_ int fd = open_exactly(path);
	struct sight st;
	int r;

	if (fd == -ENOENT || fd == -ENOTDIR)
		return 0;
	if (fd < 0)
		return err_code(e, fd, "%s", path);
	r = look(h->c, fd, &st, e);
	if (r < 0 || !st.is_directory)
		return r;
	if (is_overlay && st.is_mount_point) /* covered before, or by another mount */
		return 0;
	if (!is_overlay &&
	    (st.ino != h->own.ino || st.major != h->own.major || st.minor != h->own.minor))
		return 0;
	return cover(h->c, fd, e);
}

static int cover_seat(const struct hiding *h, const struct seat *s, bool is_overlay, struct err *e)
{
	const struct mount_table *t = h->c->mounts;

	for (size_t i = 0; i < t->n; i++) {
		const struct mount_row *m = &t->rows[i];
		const char *beyond = is_on(m, s) ? path_beyond(m->root, s->path) : NULL;
		char path[PATH_MAX];
		int r;

		if (!beyond || !m->is_below)
			continue;
		if (!join(path, m->point, beyond))
			return err_set(e, ENAMETOOLONG, "%s/%s", m->point, beyond);
		r = cover_path(h, path, is_overlay, e);
		if (r < 0)
			return r;
	}
	return 0;
}

/* One that lies below a directory hidden by now is out of reach. */
static bool is_in_sight(const struct child *c, const struct mount_row *m)
{
	_close_ int fd = open_exactly(m->point);
	struct sight st;

	return fd >= 0 && look(c, fd, &st, NULL) >= 0 && st.mount == m->id;
}

/* A part of the directory that is there to be mounted. */
static bool may_be_seen(const struct op *own, const char *within)
{
	return (own->flags & OP_VOLUMES && (volume_has(within) || hosts_file_is(within))) ||
	       (own->flags & OP_CLONES && clone_has(within)) ||
	       (own->flags & OP_STEPS && step_file_is(within));
}

/* Sources are compared by the supervisor; here what hooks and other mounts of the host bring. */
static int refuse_below(const struct hiding *h, const struct seat *s, struct err *e)
{
	const struct mount_table *t = h->c->mounts;

	for (size_t i = 0; i < t->n; i++) {
		const struct mount_row *m = &t->rows[i];
		const char *within = is_on(m, s) ? path_beyond(s->path, m->root) : NULL;

		if (!within || !*within || !m->is_below || may_be_seen(h->op, within) ||
		    !is_in_sight(h->c, m))
			continue;
		return err_set(e, EPERM, "a mount at %s shows a part of it to the program",
			       m->point);
	}
	return 0;
}

/* beyond: its place in a directory that is shown through an overlay, the image or a copy. */
static int cover_in_overlay(const struct hiding *h, const struct op *shown, const char *beyond,
			    struct err *e)
{
	_close_ int fd = -1;
	struct sight st;
	struct seat s;
	int r;

	if (!beyond || !*beyond)
		return 0;
	fd = shown->kind == OP_COPY ? path_open_in_root(h->c->root_fd, shown->dst, O_PATH, 0, e)
				    : fcntl(h->c->root_fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return err_wrap(e, "%s", shown->src);
	r = look(h->c, fd, &st, e);
	if (r < 0)
		return r;
	s.major = st.major;
	s.minor = st.minor;
	if (!join(s.path, "/", beyond))
		return err_set(e, ENAMETOOLONG, "%s", beyond);
	return cover_seat(h, &s, true, e);
}

/*
 * An overlay is no mount of its lower's file system, so the lower's own place tells what it shows.
 * The path counts too: where a mount lies over others, the table may name one that is out of reach.
 * own: the directory's place; NULL: unknown.
 */
static int hide_in_overlay(const struct hiding *h, const struct op *shown, const struct seat *own,
			   struct err *e)
{
	const char *beyond = NULL, *within = NULL;
	struct seat lower;
	int r;

	if (own && seat_of(h, shown->real, &lower) && lower.major == own->major &&
	    lower.minor == own->minor) {
		beyond = path_beyond(lower.path, own->path);
		within = path_beyond(own->path, lower.path);
	}
	if (within && shown->kind == OP_COPY && !may_be_seen(h->op, within))
		return err_set(e, EPERM, "a copy at %s shows a part of it to the program",
			       shown->dst);
	r = cover_in_overlay(h, shown, path_beyond(shown->real, h->op->real), e);
	return r < 0 ? r : cover_in_overlay(h, shown, beyond, e);
}

static bool is_shown_overlay(const struct op *op)
{
	return plan_op_is_overlay(op) && op->real && !op->skip;
}

static int cover_all(const struct hiding *h, struct err *e)
{
	const struct plan *p = h->c->plan;
	struct seat s;
	bool is_found = seat_of(h, h->op->real, &s);
	int r = is_found ? cover_seat(h, &s, false, e) : 0;

	for (size_t i = 0; i < h->c->n_done && r >= 0; i++) {
		if (is_shown_overlay(&p->ops[i]))
			r = hide_in_overlay(h, &p->ops[i], is_found ? &s : NULL, e);
	}
	if (r >= 0 && is_found)
		r = refuse_below(h, &s, e);
	return r < 0 ? err_wrap(e, "hide %s", h->op->src) : 0;
}

/* A lower that lies in a directory of csbx's may be a layer. */
static bool overlay_may_show(const struct mount_table *t, const struct op *shown, const char *path)
{
	return path_beyond(shown->real, path) || mount_table_shows(t, shown->real, false, path) ||
	       (shown->kind == OP_COPY && mount_table_shows(t, path, false, shown->real));
}

/* Most often nothing of the host that is mounted has to do with it, and the table alone tells. */
static bool may_be_shown(const struct child *c, const struct op *op)
{
	bool yes = !op->skip && mount_table_may_show(c->mounts, op->real);

	for (size_t i = 0; i < op->links.n && !yes; i++)
		yes = mount_table_may_show(c->mounts, op->links.items[i]);
	for (size_t i = 0; i < c->n_done && !yes && !op->skip; i++) {
		const struct op *o = &c->plan->ops[i];

		yes = is_shown_overlay(o) && overlay_may_show(c->mounts, o, op->real);
	}
	return yes;
}

/* It lies in another one, which is covered by now. */
static bool is_below_hidden(const struct plan *p, const struct op *op)
{
	for (const struct op *o = p->ops; o < op; o++) {
		if (o->kind == OP_HIDE && !o->skip && path_beyond(o->real, op->real))
			return true;
	}
	return false;
}

int hide_own_directory(struct child *c, const struct op *op, struct err *e)
{
	struct hiding h = {.c = c, .op = op};
	_close_ int fd = -1;
	int r = 0;

	if (op->skip && !op->links.n)
		return 0;
	if (!c->mounts)
		r = read_table(c, e);
	if (r < 0 || !may_be_shown(c, op))
		return r;
	if (op->skip) /* what they lead to cannot be made now, by csbx or by the program */
		return pin_links(&h, e);
	fd = open_exactly(op->real);
	if (fd < 0 && (fd == -ENOENT || fd == -EACCES) && is_below_hidden(c->plan, op))
		return 0;
	/* A program that holds a directory on the way could open it, or bring it back. */
	if (fd < 0)
		return err_code(e, fd, "hide csbx's own directory %s", op->real);
	r = look(c, fd, &h.own, e);
	if (r >= 0)
		r = pin_all(&h, e);
	return r < 0 ? r : cover_all(&h, e);
}

static void forget_table(struct child *c)
{
	if (c->mounts)
		mount_table_free(c->mounts);
	free(c->mounts);
	c->mounts = NULL;
}

int hide_so_far(struct child *c, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < c->plan->n && r >= 0; i++) {
		if (c->plan->ops[i].kind == OP_HIDE)
			r = hide_own_directory(c, &c->plan->ops[i], e);
	}
	forget_table(c);
	c->has_unhidden = false;
	return r;
}
