/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/kernel/boot_id.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/layer/layer.h"
#include "runtime/spec/name.h"
#include "runtime/userns/tree_remove.h"

#define BOOT "boot"
#define IMAGE_SUFFIX ".image"
#define NAME_BYTES 96
#define SEEN_MAX 4096u
#define TOLD_MAX 1024u

/*
 * The lock is held from the look for a key to its entry: one process of the build is the first to
 * have a step, and all of them take the same directory. Entries that are too many are not
 * remembered.
 */
struct build_seen {
	pthread_mutex_t lock; /* robust: a process that is killed does not keep it */
	atomic_uint is_told[TOLD_MAX];
	unsigned n;
	char dirs[SEEN_MAX][BUILD_DIR_BYTES];
};

/* --- keys ------------------------------------------------------------------------------------ */

void key_add_data(struct strbuf *key, const void *data, size_t len)
{
	strbuf_addf(key, "%zu:", len);
	strbuf_add(key, data, len);
}

void key_add(struct strbuf *key, const char *text)
{
	key_add_data(key, text, strlen(text));
}

void key_add_words(struct strbuf *key, const struct strv *words)
{
	strbuf_addf(key, "%zu;", words->n);
	for (size_t i = 0; i < words->n; i++)
		key_add(key, words->items[i]);
}

/* --- the whole of it -------------------------------------------------------------------------- */

int build_cache_open(struct build_cache *c, const struct paths *p, struct err *e)
{
	int r;

	*c = (struct build_cache)BUILD_CACHE_INIT;
	c->paths = *p;
	c->path = str_printf("%s/" BUILD_CACHE_DIR, p->cache);
	if (!c->path)
		return err_oom(e);
	c->paths.layers = c->path;
	r = build_cache_sweep(p, false, NULL, e);
	if (r < 0)
		return r;
	r = c->dirfd = paths_open(p->cache, BUILD_CACHE_DIR, e);
	if (r >= 0)
		r = layer_check_fs(c->dirfd, c->path, e);
	if (r >= 0)
		r = c->lock = temp_begin(c->dirfd, e);
	return r < 0 ? r : 0;
}

static void write_out(const struct build_cache *c)
{
	if (syncfs(c->dirfd) < 0)
		return;
	for (size_t i = 0; i < c->fresh.n; i++) {
		char name[NAME_BYTES];

		snprintf(name, sizeof(name), "%.80s/" BOOT, c->fresh.items[i]);
		(void)unlinkat(c->dirfd, name, 0);
	}
}

void build_cache_close(struct build_cache *c)
{
	if (c->seen)
		munmap(c->seen, sizeof(*c->seen));
	if (c->dirfd >= 0 && c->fresh.n) {
		pid_t pid = fork();

		if (!pid) {
			int keep[] = {c->dirfd, c->lock};

			if (setsid() >= 0 && !fork()) {
				fd_keep_only(keep, 2);
				c->dirfd = 3;
				write_out(c);
			}
			_exit(0);
		}
		while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	fd_close(&c->lock);
	fd_close(&c->dirfd);
	strv_free(&c->fresh);
	free(c->path);
	*c = (struct build_cache)BUILD_CACHE_INIT;
}

/* --- several processes ------------------------------------------------------------------------ */

int build_cache_share(struct build_cache *c, struct err *e)
{
	void *p = mmap(NULL, sizeof(*c->seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	pthread_mutexattr_t attr;

	if (p == MAP_FAILED)
		return err_sys(e, "memory for the keys of steps");
	c->seen = p;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&c->seen->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return 0;
}

bool build_cache_tell(struct build_cache *c, size_t number)
{
	return !c->seen || number >= TOLD_MAX || !atomic_fetch_or(&c->seen->is_told[number], 1);
}

/* An entry that a killed process left half written leads to no directory that is there. */
static void seen_lock(struct build_seen *seen)
{
	if (seen && pthread_mutex_lock(&seen->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&seen->lock);
}

static void seen_unlock(struct build_seen *seen)
{
	if (seen)
		pthread_mutex_unlock(&seen->lock);
}

/* The directory of a step that this build has had. */
static bool find_seen(const struct build_cache *c, struct build_step *s)
{
	for (unsigned i = 0; c->seen && i < c->seen->n; i++) {
		if (!strncmp(c->seen->dirs[i], s->key, BUILD_KEY_BYTES - 1)) {
			memcpy(s->dir, c->seen->dirs[i], BUILD_DIR_BYTES);
			return true;
		}
	}
	return false;
}

static void see(struct build_cache *c, const struct build_step *s)
{
	if (c->seen && c->seen->n < SEEN_MAX)
		memcpy(c->seen->dirs[c->seen->n++], s->dir, BUILD_DIR_BYTES);
}

/* --- one step ------------------------------------------------------------------------------- */

/* Sets s->dir: the directory that the key leads to now. An older csbx had the directory itself in
 * its place. */
static bool find_dir(const struct build_cache *c, struct build_step *s)
{
	ssize_t n = readlinkat(c->dirfd, s->key, s->dir, sizeof(s->dir));

	if (n < 0 && errno == EINVAL) {
		snprintf(s->dir, sizeof(s->dir), "%s", s->key);
		return true;
	}
	if (n != BUILD_DIR_BYTES - 1 || strncmp(s->dir, s->key, BUILD_KEY_BYTES - 1))
		n = 0;
	s->dir[n < 0 ? 0 : n] = 0;
	return n > 0 && !strchr(s->dir, '/');
}

/* Complete, and not from before the machine went down. */
static bool is_there(const struct build_cache *c, const struct build_step *s)
{
	char name[NAME_BYTES], now[BOOT_ID_SIZE];
	_strbuf_ struct strbuf boot = STRBUF_INIT;
	int r;

	if (faccessat(c->dirfd, s->dir, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	snprintf(name, sizeof(name), "%s/" BOOT, s->dir);
	r = io_read_file_at(c->dirfd, name, NAME_BYTES, &boot, NULL);
	if (r == -ENOENT)
		return true;
	return r >= 0 && boot_id_read(now, NULL) >= 0 && str_eq(strbuf_str(&boot), now);
}

/* fresh: only what this build has made, or found before. */
static bool find(struct build_cache *c, struct build_step *s, bool fresh)
{
	bool found;

	seen_lock(c->seen);
	s->is_seen = find_seen(c, s);
	found = (s->is_seen || (!fresh && find_dir(c, s))) && is_there(c, s);
	if (found && !s->is_seen)
		see(c, s);
	seen_unlock(c->seen);
	return found;
}

static int make_new(struct build_cache *c, struct build_step *s, struct err *e)
{
	char id[NAME_ID_DIGITS + 1];
	int r = name_new_id(id, e);

	if (r < 0)
		return r;
	snprintf(s->name, sizeof(s->name), BUILD_NEW_PREFIX "%.24s", id);
	if (mkdirat(c->dirfd, s->name, 0700) < 0) {
		*s->name = 0;
		return err_sys(e, "%s: make a step", c->path);
	}
	return 0;
}

int build_step_begin(struct build_cache *c, const char *key, bool fresh, struct build_step *s,
		     struct err *e)
{
	char lock[16];
	int r;

	*s = (struct build_step)BUILD_STEP_INIT;
	snprintf(s->key, sizeof(s->key), "%.64s", key);
	if (find(c, s, fresh)) {
		(void)utimensat(c->dirfd, s->dir, NULL, AT_SYMLINK_NOFOLLOW); /* it was used */
		return 1;
	}
	snprintf(lock, sizeof(lock), ".step-%.2s", key);
	s->lock = file_lock_open(c->dirfd, lock, true);
	if (s->lock < 0)
		return err_code(e, s->lock, "%s/%s", c->path, lock);
	if (find(c, s, fresh)) {
		fd_close(&s->lock);
		return 1;
	}
	r = make_new(c, s, e);
	if (r < 0)
		fd_close(&s->lock);
	return r;
}

char *build_step_path(const struct build_cache *c, const struct build_step *s)
{
	return str_printf("%s/%s", c->path, s->name);
}

bool build_step_is_as(const struct build_cache *c, struct build_step *s, const char *dir)
{
	if (faccessat(c->dirfd, dir, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
		return false;
	snprintf(s->as, sizeof(s->as), "%s", dir);
	return true;
}

/*
 * Removes the files that only matter while a step is made. A directory that holds nothing need not
 * be a layer.
 */
static int trim(int dir, struct err *e)
{
	int r = tree_remove(dir, "work", e);

	(void)unlinkat(dir, "lock", 0);
	(void)unlinkat(dir, "dirty", 0);
	return r;
}

static int mark_boot(int dir, struct err *e)
{
	char id[BOOT_ID_SIZE];
	const struct io_replace where = {.dirfd = dir, .name = BOOT, .mode = 0600, .replace = 1};
	int r = boot_id_read(id, e);

	return r < 0 ? r : io_write_file_at(&where, id, strlen(id), e);
}

/*
 * The key leads to it from now on. Killed at any place, what is not led to has a link "old-ID".
 * So has what the key led to before, which another build may still use.
 */
static int publish(struct build_cache *c, struct build_step *s, struct err *e)
{
	char id[NAME_ID_DIGITS + 1], link[sizeof(BUILD_OLD_PREFIX) + sizeof(id)];
	int r = name_new_id(id, e);

	if (r < 0)
		return r;
	if (*s->as)
		memcpy(s->dir, s->as, sizeof(s->dir));
	else
		snprintf(s->dir, sizeof(s->dir), "%s.%s", s->key, id);
	snprintf(link, sizeof(link), BUILD_OLD_PREFIX "%s", id);
	if (symlinkat(s->dir, c->dirfd, link) < 0)
		return err_sys(e, "%s/%s: keep the step", c->path, link);
	if (renameat(c->dirfd, s->name, c->dirfd, s->dir) < 0) {
		r = err_sys(e, "%s/%s: keep the step", c->path, s->dir);
		(void)unlinkat(c->dirfd, link, 0);
		return r;
	}
	*s->name = 0;
	if (renameat2(c->dirfd, link, c->dirfd, s->key, RENAME_EXCHANGE) < 0 &&
	    (errno != ENOENT || renameat(c->dirfd, link, c->dirfd, s->key) < 0))
		return err_sys(e, "%s/%s: keep the step", c->path, s->key);
	return 0;
}

int build_step_commit(struct build_cache *c, struct build_step *s, struct err *e)
{
	_close_ int dir =
		openat(c->dirfd, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r = dir < 0 ? err_sys(e, "%s/%s", c->path, s->name) : trim(dir, e);

	if (r >= 0)
		r = mark_boot(dir, e);
	if (r < 0)
		return r;
	seen_lock(c->seen);
	r = publish(c, s, e);
	if (r >= 0)
		see(c, s);
	seen_unlock(c->seen);
	if (r < 0)
		return r;
	strv_add(&c->fresh, s->dir);
	return strv_check(&c->fresh, e);
}

void build_step_end(struct build_cache *c, struct build_step *s)
{
	if (*s->name)
		(void)tree_remove(c->dirfd, s->name, NULL);
	*s->name = 0;
	fd_close(&s->lock);
}

/* Takes dir. */
static int has_files(int dir, struct err *e)
{
	DIR *list = fdopendir(dir);
	const struct dirent *d;

	if (!list) {
		close(dir);
		return err_sys(e, "read directory");
	}
	while ((d = readdir(list)) && str_is_dots(d->d_name))
		;
	closedir(list);
	return d != NULL;
}

int build_step_upper(const struct build_cache *c, const struct build_step *s, char **ret,
		     struct err *e)
{
	char name[NAME_BYTES];
	int dir, r = 1;

	*ret = NULL;
	snprintf(name, sizeof(name), "%s/upper", s->dir);
	dir = openat(c->dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir >= 0)
		r = has_files(dir, e);
	else if (errno == ENOENT)
		r = 0;
	else if (errno != EACCES) /* that one is of a step that has closed its root */
		r = err_sys(e, "open");
	if (r <= 0)
		return r < 0 ? err_wrap(e, "%s/%s", c->path, name) : 0;
	*ret = str_printf("%s/%s", c->path, name);
	return *ret ? 0 : err_oom(e);
}

/* --- images --------------------------------------------------------------------------------- */

int build_cache_image(const struct build_cache *c, const char *key, char *ret, size_t size)
{
	_strbuf_ struct strbuf id = STRBUF_INIT;
	char name[NAME_BYTES];
	int r;

	snprintf(name, sizeof(name), "%.64s" IMAGE_SUFFIX, key);
	r = io_read_file_at(c->dirfd, name, size - 1, &id, NULL);
	if (r < 0)
		return r;
	snprintf(ret, size, "%s", strbuf_str(&id));
	return 0;
}

int build_cache_set_image(const struct build_cache *c, const char *key, const char *id,
			  struct err *e)
{
	char name[NAME_BYTES];
	const struct io_replace where = {
		.dirfd = c->dirfd, .name = name, .mode = 0600, .replace = 1};

	snprintf(name, sizeof(name), "%.64s" IMAGE_SUFFIX, key);
	return io_write_file_at(&where, id, strlen(id), e);
}
