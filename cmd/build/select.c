/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/select.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/dockerfile/clean.h"
#include "cmd/build/dockerfile/glob.h"
#include "cmd/build/dockerfile/ignore.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/kernel/mount_table.h"
#include "runtime/start/own_dirs.h"

struct walk {
	const struct select_from *f;
	struct selection *s;
	struct err *e;
	struct path_places own; /* f->own, those that exist */
};

void selection_free(struct selection *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->items[i].from);
		free(s->items[i].to);
		free(s->items[i].link);
	}
	free(s->items);
	*s = (struct selection){0};
}

static int no_memory(struct walk *w)
{
	return err_oom(w->e);
}

static char *join(const char *a, const char *b)
{
	return *a && *b ? str_printf("%s/%s", a, b) : strdup(*a ? a : b);
}

static bool is_ignored(const struct walk *w, const char *path)
{
	return w->f->ignored && *path && ignore_has(w->f->ignored, path);
}

static int find_own(struct walk *w)
{
	struct stat st;

	if (!w->f->own || !w->f->own->n)
		return 0;
	w->own.items = calloc(w->f->own->n, sizeof(*w->own.items));
	if (!w->own.items)
		return no_memory(w);
	for (size_t i = 0; i < w->f->own->n; i++) {
		int r = own_dirs_stat(w->f->own->items[i], &st, w->e);

		if (r < 0)
			return r;
		if (!r)
			w->own.items[w->own.n++] = (struct path_place){st.st_dev, st.st_ino};
	}
	return 0;
}

static bool is_own(const struct walk *w, const struct stat *st)
{
	for (size_t i = 0; i < w->own.n; i++) {
		if (w->own.items[i].dev == st->st_dev && w->own.items[i].ino == st->st_ino)
			return true;
	}
	return false;
}

/* path: a name beneath the root without links. What cannot be looked at is none of the context's. */
static bool lies_in_own(const struct walk *w, const char *path)
{
	for (size_t n = strlen(path); w->own.n && n;) {
		_free_ char *part = strndup(path, n);
		_close_ int fd = part ? path_open_in_root(w->f->root, part, O_PATH, 0, NULL) : -1;
		struct stat st;

		if (fd < 0 || fstat(fd, &st) < 0 || is_own(w, &st))
			return true;
		while (n && path[n - 1] != '/')
			n--;
		n -= n > 0;
	}
	return false;
}

static int not_found(struct walk *w, const char *source)
{
	while (*source == '/')
		source++;
	return err_set(w->e, ENOENT, "\"/%.300s\": not found", source);
}

/* --- one file -------------------------------------------------------------------------------- */

static char *read_link(int fd, struct err *e)
{
	char buf[4097];
	ssize_t n = readlinkat(fd, "", buf, sizeof(buf) - 1);

	if (n < 0) {
		err_sys(e, "read a link");
		return NULL;
	}
	buf[n] = 0;
	return strdup(buf);
}

static int grow(struct walk *w)
{
	struct selection *s = w->s;
	struct selected *more;

	if (s->n == SELECT_MAX)
		return err_set(w->e, EFBIG, "more than %u files", SELECT_MAX);
	if (s->n & (s->n - 1))
		return 0;
	more = reallocarray(s->items, s->n ? s->n * 2 : 1, sizeof(*more));
	if (!more)
		return no_memory(w);
	s->items = more;
	return 0;
}

/* fd: O_PATH. Sockets are passed over. */
static int add(struct walk *w, int fd, const struct stat *st, const char *from, const char *to)
{
	struct selected *x;

	if (S_ISSOCK(st->st_mode))
		return 0;
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
		return err_set(w->e, EOPNOTSUPP, "/%.300s: a device cannot be copied", from);
	if (grow(w) < 0)
		return -ENOMEM;
	x = &w->s->items[w->s->n++];
	*x = (struct selected){
		.from = strdup(from),
		.to = strdup(to),
		.link = S_ISLNK(st->st_mode) ? read_link(fd, w->e) : NULL,
		.mode = st->st_mode,
		.mtime_s = st->st_mtime,
		.size = S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0,
		.is_real = w->f->ignored,
		.uid = st->st_uid,
		.gid = st->st_gid,
	};
	return x->from && x->to && (x->link || !S_ISLNK(st->st_mode)) ? 0 : no_memory(w);
}

/* --- a directory ----------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list(struct walk *w, int dir, const char *path, struct strv *ret)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *x;

	if (!d) {
		int r = err_sys(w->e, "/%.300s", path);

		if (fd >= 0)
			close(fd);
		return r;
	}
	while ((x = readdir(d))) {
		if (!str_is_dots(x->d_name))
			strv_add(ret, x->d_name);
	}
	closedir(d);
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_name);
	return strv_check(ret, w->e);
}

static int walk_dir(struct walk *w, int dir, const char *from, const char *to, unsigned depth);

static int visit(struct walk *w, int dir, const char *name, const char *from, const char *to,
		 unsigned depth)
{
	_free_ char *path = join(from, name), *target = join(to, name);
	_close_ int fd = -1;
	bool skip, excluded;
	struct stat st;
	int r = 0;

	if (!path || !target)
		return no_memory(w);
	skip = is_ignored(w, path);
	excluded = w->f->excluded && ignore_has(w->f->excluded, target);
	if ((skip && !w->f->ignored->takes_back) || (excluded && !w->f->excluded->takes_back))
		return 0;
	fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(w->e, "/%.300s", path);
	if (fstat(fd, &st) < 0)
		return err_sys(w->e, "/%.300s", path);
	if (is_own(w, &st))
		return 0;
	if (!skip && !excluded)
		r = add(w, fd, &st, path, target);
	return r < 0 || !S_ISDIR(st.st_mode) ? r : walk_dir(w, fd, path, target, depth + 1);
}

static int walk_dir(struct walk *w, int dir, const char *from, const char *to, unsigned depth)
{
	_strv_ struct strv names = STRV_INIT;
	int r;

	if (depth > SELECT_DEPTH_MAX)
		return err_set(w->e, ELOOP, "/%.300s: more than %u directories deep", from,
			       SELECT_DEPTH_MAX);
	r = list(w, dir, from, &names);
	for (size_t i = 0; r >= 0 && i < names.n; i++)
		r = visit(w, dir, names.items[i], from, to, depth);
	return r;
}

/* --- sources --------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int own_path(struct walk *w, int fd, char path[PATH_MAX])
{
	char link[40];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	if (n < 0)
		return err_sys(w->e, "%s", link);
	path[n] = 0;
	return 0;
}

/* The name beneath the root of what was opened, without a link on the way. */
static int own_name(struct walk *w, int fd, const char *asked, char **ret)
{
	char root[PATH_MAX], path[PATH_MAX];
	const char *name;
	int r = own_path(w, w->f->root, root);

	if (r >= 0)
		r = own_path(w, fd, path);
	if (r < 0)
		return r;
	name = path_beyond(root, path);
	if (!name)
		return err_set(w->e, EBUSY, "/%.300s: moved while it was read", asked);
	*ret = strdup(name);
	return *ret ? 0 : no_memory(w);
}

/* from: its own name; path: the one that led to it. */
static int take_opened(struct walk *w, int fd, const char *path, const char *from,
		       const char *asked)
{
	const bool ignored = is_ignored(w, path) || is_ignored(w, from);
	size_t before = w->s->n;
	struct stat st;
	int r;

	if (ignored && !w->f->ignored->takes_back)
		return not_found(w, asked);
	if (fstat(fd, &st) < 0)
		return err_sys(w->e, "/%.300s", path);
	if (S_ISDIR(st.st_mode)) {
		r = walk_dir(w, fd, from, w->f->parents ? path : "", 0);
		return r >= 0 && w->s->n == before && ignored ? not_found(w, asked) : r;
	}
	if (ignored)
		return not_found(w, asked);
	w->s->is_one_file = w->s->n_sources == 1 && !w->f->parents;
	r = add(w, fd, &st, from, w->f->parents ? path : base_name(path));
	if (r >= 0 && w->s->n > before)
		w->s->items[before].is_named = true;
	return r;
}

/* path: clean and relative, "" is the root. A link that is named is followed, inside. */
static int take(struct walk *w, const char *path, const char *asked)
{
	_close_ int fd = path_open_in_root(w->f->root, *path ? path : ".", O_PATH, 0, w->e);
	_free_ char *own = NULL;
	int r = 0;

	w->s->n_sources++;
	if (fd == -ENOENT || fd == -ENOTDIR)
		return not_found(w, asked);
	if (fd < 0)
		return err_wrap(w->e, "/%.300s", path);
	if (w->f->ignored)
		r = own_name(w, fd, path, &own);
	if (r >= 0 && own && lies_in_own(w, own))
		return not_found(w, asked);
	return r < 0 ? r : take_opened(w, fd, path, own ? own : path, asked);
}

/*
 * One component of a pattern after the other: at holds what was matched, rest what is to be.
 * A pattern that matches nothing is no error by itself.
 */
static int take_pattern(struct walk *w, const char *at, const char *rest, const char *asked,
			unsigned *n)
{
	size_t len = strcspn(rest, "/");
	_free_ char *part = strndup(rest, len);
	_strv_ struct strv names = STRV_INIT;
	_close_ int dir = -1;
	int r;

	if (!part)
		return no_memory(w);
	dir = path_open_in_root(w->f->root, *at ? at : ".", O_RDONLY | O_DIRECTORY, 0, NULL);
	if (dir < 0)
		return 0;
	r = list(w, dir, at, &names);
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		_free_ char *path = NULL;

		if (!glob_matches(part, names.items[i]))
			continue;
		path = join(at, names.items[i]);
		if (!path)
			return no_memory(w);
		if (rest[len]) {
			r = take_pattern(w, path, rest + len + 1, asked, n);
		} else if (!is_ignored(w, path)) {
			++*n;
			r = take(w, path, asked);
		}
	}
	return r;
}

static int take_source(struct walk *w, const char *source)
{
	_free_ char *rooted = str_printf("/%s", source),
		    *clean = rooted ? path_clean(rooted) : NULL;
	unsigned n = 0;
	int r;

	if (!clean)
		return no_memory(w);
	if (!glob_is_pattern(clean))
		return take(w, clean + 1, source);
	r = glob_check(clean, w->e);
	if (r >= 0)
		r = take_pattern(w, "", clean + 1, source, &n);
	return r < 0 || n ? r : not_found(w, source);
}

int select_sources(const struct select_from *f, const struct strv *sources, struct selection *ret,
		   struct err *e)
{
	struct walk w = {.f = f, .s = ret, .e = e};
	int r;

	*ret = (struct selection){0};
	r = find_own(&w);
	for (size_t i = 0; r >= 0 && i < sources->n; i++)
		r = take_source(&w, sources->items[i]);
	free(w.own.items);
	ret->is_one_file &= ret->n_sources == 1;
	if (r < 0)
		selection_free(ret);
	return r;
}
