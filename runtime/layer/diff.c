/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. Whatever is in the upper directory was copied up, made or deleted; a whiteout is a device
 * 0:0 and an opaque directory hides all that the lower one has (kernel, overlayfs.rst). A copied
 * file that is as it was has not changed: mode, owner, size and time are compared, of directories
 * mode and owner. Directories wait in a list, parents before children: the depth of the tree is the
 * container's choice. All of it is resolved in its root.
 */
#include "runtime/layer/diff.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

struct place {
	char *path; /* "" for the root */
	size_t parent;
	bool in_lower; /* a directory there too */
	bool is_told;  /* listed as added or changed; the root never is */
};

struct walk {
	int upper, lower;
	struct place *places;
	size_t n, cap, at;
	int up, low; /* places[at] on both sides; low -1: it is not there */
	struct layer_changes *changes;
};

static int add_place(struct walk *w, const struct place *p, struct err *e)
{
	if (w->n == w->cap) {
		size_t cap = w->cap ? 2 * w->cap : 64;
		struct place *more = reallocarray(w->places, cap, sizeof(*more));

		if (!more)
			return err_oom(e);
		w->places = more;
		w->cap = cap;
	}
	w->places[w->n++] = *p;
	return 0;
}

/* path: taken over, also on error. */
static int add_change(struct layer_changes *c, char kind, char *path, struct err *e)
{
	if (path && c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 64;
		struct layer_change *more = reallocarray(c->items, cap, sizeof(*more));

		if (more) {
			c->items = more;
			c->cap = cap;
		}
	}
	if (!path || c->n == c->cap) {
		free(path);
		return err_oom(e);
	}
	c->items[c->n++] = (struct layer_change){kind, path};
	return 0;
}

/* A change in a directory changed it, and all above it. */
static int tell_above(struct walk *w, struct err *e)
{
	int r = 0;

	for (size_t i = w->at; r >= 0 && !w->places[i].is_told; i = w->places[i].parent) {
		w->places[i].is_told = true;
		r = add_change(w->changes, 'C', strdup(w->places[i].path), e);
	}
	return r;
}

static int tell(struct walk *w, char kind, const char *name, struct err *e)
{
	int r = add_change(w->changes, kind, str_printf("%s/%s", w->places[w->at].path, name), e);

	return r < 0 ? r : tell_above(w, e);
}

/* In docker these are mounts or its own, and no change is theirs. */
static bool is_ours(const char *dir, const char *name)
{
	static const char *const etc[] = {"hosts", "hostname", "resolv.conf", "mtab"};

	if (!*dir)
		return str_eq(name, ".dockerenv");
	for (size_t i = 0; str_eq(dir, "/etc") && i < sizeof(etc) / sizeof(etc[0]); i++) {
		if (str_eq(name, etc[i]))
			return true;
	}
	return false;
}

/* An image keeps whole seconds. */
static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && (a->tv_nsec == b->tv_nsec || !a->tv_nsec || !b->tv_nsec);
}

static bool is_changed(const struct stat *up, const struct stat *low)
{
	if (up->st_mode != low->st_mode || up->st_uid != low->st_uid || up->st_gid != low->st_gid ||
	    up->st_rdev != low->st_rdev)
		return true;
	return !S_ISDIR(up->st_mode) &&
	       (up->st_size != low->st_size || !is_same_time(&up->st_mtim, &low->st_mtim));
}

static int add_directory(struct walk *w, const char *name, bool in_lower, bool is_told,
			 struct err *e)
{
	struct place p = {
		.path = str_printf("%s/%s", w->places[w->at].path, name),
		.parent = w->at,
		.in_lower = in_lower,
		.is_told = is_told,
	};
	int r = p.path ? add_place(w, &p, e) : err_oom(e);

	if (r < 0)
		free(p.path);
	return r;
}

static int look_at(struct walk *w, const char *name, struct err *e)
{
	struct stat up, low;
	bool has_low = w->low >= 0 && fstatat(w->low, name, &low, AT_SYMLINK_NOFOLLOW) == 0;
	char kind = 0;
	int r = 0;

	if (fstatat(w->up, name, &up, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s/%s", w->places[w->at].path, name);
	if (S_ISCHR(up.st_mode) && up.st_rdev == makedev(0, 0))
		return has_low ? tell(w, 'D', name, e) : 0;
	if (!has_low)
		kind = 'A';
	else if (is_changed(&up, &low))
		kind = 'C';
	if (kind)
		r = tell(w, kind, name, e);
	if (r >= 0 && S_ISDIR(up.st_mode))
		r = add_directory(w, name, has_low && S_ISDIR(low.st_mode), kind, e);
	return r;
}

/* One that an opaque directory hides is gone, unless it was made anew. */
static int look_for_hidden(struct walk *w, const char *name, struct err *e)
{
	struct stat up;

	if (fstatat(w->up, name, &up, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
		return 0;
	return tell(w, 'D', name, e);
}

static int each_name(struct walk *w, int dirfd,
		     int (*fn)(struct walk *w, const char *name, struct err *e), struct err *e)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *ent;

	if (!d) {
		r = err_sys(e, "read %s/", w->places[w->at].path);
		fd_close(&fd);
		return r;
	}
	while (r >= 0 && (errno = 0, ent = readdir(d))) {
		if (!str_is_dots(ent->d_name) && !is_ours(w->places[w->at].path, ent->d_name))
			r = fn(w, ent->d_name, e);
	}
	if (r >= 0 && errno)
		r = err_sys(e, "read %s/", w->places[w->at].path);
	closedir(d);
	return r;
}

static bool is_opaque(int dirfd)
{
	char value;

	return fgetxattr(dirfd, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

static int open_place(int root, const struct place *p, struct err *e)
{
	return path_open_in_root(root, *p->path ? p->path : ".", O_RDONLY | O_DIRECTORY, 0, e);
}

static int walk_place(struct walk *w, struct err *e)
{
	const struct place *p = &w->places[w->at];
	_close_ int up = -1, low = -1;
	int r;

	up = open_place(w->upper, p, e);
	if (up < 0)
		return up == -ENOENT || up == -ENOTDIR ? 0 : up;
	low = p->in_lower ? open_place(w->lower, p, e) : -1;
	if (p->in_lower && low < 0)
		return low;
	w->up = up;
	w->low = low;
	r = each_name(w, up, look_at, e);
	return r >= 0 && low >= 0 && is_opaque(up) ? each_name(w, low, look_for_hidden, e) : r;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct layer_change *)a)->path,
		      ((const struct layer_change *)b)->path);
}

int layer_diff(int upper, int lower, struct layer_changes *ret, struct err *e)
{
	struct walk w = {.upper = upper, .lower = lower, .changes = ret};
	const struct place root = {.path = strdup(""), .in_lower = true, .is_told = true};
	int r = root.path ? add_place(&w, &root, e) : err_oom(e);

	*ret = (struct layer_changes){0};
	for (; r >= 0 && w.at < w.n; w.at++)
		r = walk_place(&w, e);
	for (size_t i = 0; i < w.n; i++)
		free(w.places[i].path);
	free(w.places);
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_path);
	if (r < 0)
		layer_changes_free(ret);
	return r < 0 ? r : 0;
}

void layer_changes_free(struct layer_changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->items[i].path);
	free(c->items);
	*c = (struct layer_changes){0};
}
