/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/build_prune.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/kernel/tree_size.h"
#include "runtime/settings/paths.h"

#define WAIT_STEP_MS 20u
#define WAIT_MAX_MS 3000u

struct entry {
	char *name;
	time_t used;
	uint64_t bytes;
};

struct entries {
	struct entry *items;
	size_t n;
};

int build_prune_filter(struct build_prune *p, const char *text, struct err *e)
{
	const char *value = strchr(text, '=');
	uint64_t ms;

	if (!value || (!str_has_prefix(text, "until=") && !str_has_prefix(text, "unused-for=")))
		return err_set(e, EINVAL, "invalid filter '%.60s': until is the one that is done",
			       text);
	if (num_parse_duration(value + 1, &ms) < 0)
		return err_set(e, EINVAL, "invalid filter '%.60s': a time like 24h is wanted",
			       text);
	p->unused_s = ms / 1000;
	return 0;
}

int build_prune_keep(struct build_prune *p, const char *text, struct err *e)
{
	_free_ char *size = strdup(text);
	size_t n = size ? strlen(size) : 0;

	/* "30GB" and "30gb" as docker has them. */
	if (n > 2 && (size[n - 1] == 'B' || size[n - 1] == 'b') && strchr("kKmMgGtT", size[n - 2]))
		size[n - 1] = 0;
	if (!size || (!str_eq(size, "0") && num_parse_bytes(size, &p->keep_bytes) < 0))
		return err_set(e, EINVAL, "invalid size: '%.60s'", text);
	p->keeps = true;
	return 0;
}

/* A link counts as what it leads to, which lies beside it. */
static void measure(const struct paths *p, int dirfd, struct entry *x)
{
	char to[NAME_MAX + 1] = "";
	bool is_link = readlinkat(dirfd, x->name, to, sizeof(to) - 1) > 0;
	_free_ char *path =
		str_printf("%s/" BUILD_CACHE_DIR "/%s", p->cache, is_link ? to : x->name);
	struct stat st;

	if (fstatat(dirfd, is_link ? to : x->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	x->used = st.st_mtime;
	x->bytes = path && S_ISDIR(st.st_mode) ? tree_size(path) : (uint64_t)st.st_blocks * 512;
}

static int add(struct entries *l, const struct paths *p, int dirfd, const char *name, struct err *e)
{
	struct entry *more = reallocarray(l->items, l->n + 1, sizeof(*more)), *x;

	if (!more)
		return err_oom(e);
	l->items = more;
	x = &more[l->n++];
	*x = (struct entry){.name = strdup(name)};
	if (!x->name)
		return err_oom(e);
	measure(p, dirfd, x);
	/* The leftovers of a killed build go first. */
	if (str_has_prefix(name, BUILD_NEW_PREFIX) || str_has_prefix(name, BUILD_OLD_PREFIX))
		x->used = 0;
	return 0;
}

/* "HEX.ID" goes with the link that leads to it. */
static bool is_led_to(const struct dirent *x)
{
	return x->d_type == DT_DIR && strchr(x->d_name, '.');
}

static int list(const struct paths *p, int dirfd, struct entries *l, struct err *e)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *x;

	if (!d) {
		r = err_sys(e, "%s/" BUILD_CACHE_DIR, p->cache);
		if (fd >= 0)
			close(fd);
		return r;
	}
	while (r >= 0 && (x = readdir(d))) {
		if (*x->d_name != '.' && !is_led_to(x))
			r = add(l, p, dirfd, x->d_name, e);
	}
	closedir(d);
	return r;
}

static void free_entries(struct entries *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i].name);
	free(l->items);
}

static int last_used_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->used > y->used ? -1 : x->used < y->used;
}

static int prune(struct entries *l, int dirfd, const struct build_prune *how, uint64_t *ret_bytes,
		 struct err *e)
{
	time_t now = time(NULL);
	uint64_t kept = 0;
	int r = 0;

	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), last_used_first);
	for (size_t i = 0; r >= 0 && i < l->n; i++) {
		const struct entry *x = &l->items[i];
		bool fits = how->keeps && x->used && kept + x->bytes <= how->keep_bytes;

		if (fits || (how->unused_s && x->used + (time_t)how->unused_s >= now)) {
			kept += x->bytes;
			continue;
		}
		r = how->dry_run ? 0 : build_cache_remove(dirfd, x->name, e);
		*ret_bytes += r < 0 ? 0 : x->bytes;
	}
	return r;
}

/* A build that has ended still has its steps written to disk: that is waited for. */
static int lock_all(int dirfd, struct err *e)
{
	const struct timespec pause = {0, WAIT_STEP_MS * 1000000};
	int r = -EAGAIN;

	for (unsigned ms = 0; r == -EAGAIN && ms < WAIT_MAX_MS; ms += WAIT_STEP_MS) {
		if (ms)
			(void)nanosleep(&pause, NULL);
		r = temp_try_exclusive(dirfd, e);
	}
	return r == -EAGAIN ? err_set(e, EBUSY, "a build is running") : r;
}

int build_cache_prune(const struct paths *p, const struct build_prune *how, uint64_t *ret_bytes,
		      struct err *e)
{
	_close_ int dirfd = paths_open(p->cache, BUILD_CACHE_DIR, e), lock = -1;
	struct entries l = {0};
	int r;

	if (dirfd < 0)
		return dirfd;
	lock = lock_all(dirfd, e);
	if (lock < 0)
		return lock;
	r = list(p, dirfd, &l, e);
	if (r >= 0)
		r = prune(&l, dirfd, how, ret_bytes, e);
	free_entries(&l);
	return r;
}

int build_cache_usage(const struct paths *p, size_t *ret_n, uint64_t *ret_bytes, struct err *e)
{
	_close_ int dirfd = paths_open(p->cache, BUILD_CACHE_DIR, e);
	struct entries l = {0};
	int r = dirfd < 0 ? dirfd : list(p, dirfd, &l, e);

	*ret_n = r < 0 ? 0 : l.n;
	*ret_bytes = 0;
	for (size_t i = 0; r >= 0 && i < l.n; i++)
		*ret_bytes += l.items[i].bytes;
	free_entries(&l);
	return r;
}
