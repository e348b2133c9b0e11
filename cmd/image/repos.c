/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/repos.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/settings/paths.h"
#include "runtime/userns/tree_remove.h"
#include "runtime/kernel/tree_size.h"

#define SUFFIX ".git"

void repos_free(struct repos *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].name);
		free(r->items[i].url);
	}
	free(r->items);
	*r = (struct repos){0};
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char *decode(const char *name)
{
	struct strbuf url = STRBUF_INIT;

	for (const char *p = name; *p; p++) {
		int high = *p == '%' ? hex_digit(p[1]) : -1;
		int low = high < 0 ? -1 : hex_digit(p[2]);

		strbuf_addch(&url, low < 0 ? *p : (char)(high << 4 | low));
		p += low < 0 ? 0 : 2;
	}
	return strbuf_take(&url);
}

static int add(struct repos *r, const struct paths *p, int dirfd, const char *file, struct err *e)
{
	struct repo *items = reallocarray(r->items, r->n + 1, sizeof(*items));
	_free_ char *path = str_printf("%s/repos/%s", p->cache, file);
	struct repo *x;
	struct stat st;

	if (!items)
		return err_oom(e);
	r->items = items;
	if (fstatat(dirfd, file, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	x = &items[r->n];
	*x = (struct repo){.used_s = st.st_mtime > 0 ? (uint64_t)st.st_mtime : 0};
	x->name = str_printf("%.*s", (int)(strlen(file) - strlen(SUFFIX)), file);
	x->url = x->name ? decode(x->name) : NULL;
	r->n++;
	if (!path || !x->url)
		return err_oom(e);
	x->bytes = tree_size(path);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct repo *)a)->name, ((const struct repo *)b)->name);
}

int repos_read(const struct paths *p, struct repos *ret, struct err *e)
{
	_close_ int dirfd = paths_open(p->cache, "repos", e);
	struct dirent *d;
	DIR *dir;
	int r = 0;

	*ret = (struct repos){0};
	if (dirfd < 0)
		return dirfd;
	dir = fdopendir(fcntl(dirfd, F_DUPFD_CLOEXEC, 0));
	if (!dir)
		return err_sys(e, "read %s/repos", p->cache);
	while (r >= 0 && (d = readdir(dir))) {
		if (str_has_suffix(d->d_name, SUFFIX))
			r = add(ret, p, dirfd, d->d_name, e);
	}
	closedir(dir);
	if (r < 0)
		repos_free(ret);
	else if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_name);
	return r;
}

/* Below 0: somebody has it. */
static int take(int dirfd, const char *name, const char *suffix)
{
	_free_ char *file = str_printf("%s%s", name, suffix);
	_close_ int fd =
		file ? openat(dirfd, file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;

	return fd < 0 || file_lock_try(fd, true) < 0 ? -EBUSY : take_fd(&fd);
}

/* 1: it is gone, 0: it stays. */
static int remove_one(int dirfd, const struct repo *x, struct err *e)
{
	_close_ int use = take(dirfd, x->name, ".use"), fetch = take(dirfd, x->name, ".lock");
	_free_ char *file = str_printf("%s" SUFFIX, x->name);
	int r;

	if (use < 0 || fetch < 0)
		return 0;
	r = file ? tree_remove(dirfd, file, e) : err_oom(e);
	return r < 0 ? r : 1;
}

int repos_prune(const struct paths *p, uint64_t unused_s, bool dry_run, struct strbuf *out,
		uint64_t *ret_freed_bytes, struct err *e)
{
	_repos_ struct repos repos = {0};
	_close_ int dirfd = -1;
	uint64_t now_s = (uint64_t)time(NULL);
	int r = repos_read(p, &repos, e);

	*ret_freed_bytes = 0;
	if (r >= 0)
		r = dirfd = paths_open(p->cache, "repos", e);
	for (size_t i = 0; r >= 0 && i < repos.n; i++) {
		const struct repo *x = &repos.items[i];

		if (now_s < unused_s || x->used_s > now_s - unused_s)
			continue;
		r = dry_run ? 1 : remove_one(dirfd, x, e);
		if (r <= 0)
			continue;
		*ret_freed_bytes += x->bytes;
		strbuf_add_escaped(out, x->url, strlen(x->url));
		strbuf_addch(out, '\n');
	}
	return r < 0 ? r : 0;
}
