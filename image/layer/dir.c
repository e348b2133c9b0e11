/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk keeps no descriptor per level: a path is at most 1024 components deep, so it is opened
 * again from the top each time. The stack holds the sorted names of every directory on the way.
 */
#include "image/layer/dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include "image/bytes/linkmap.h"
#include "image/layer/uppers.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define BUFFER_BYTES (256u << 10)
#define MAX_XATTRS 64u
#define MQUEUE_MAGIC 0x19800202u /* ipc/mqueue.c */

struct level {
	struct strv names; /* sorted, each once */
	size_t next, path_len;
	uppers_set from; /* the directories they come from */
	bool is_pure;    /* nothing of what lies below all of them shows here */
};

struct layer_dir {
	struct layer_options options;
	struct uppers uppers;
	unsigned at; /* the one that the current entry lies in */
	dev_t dev;
	bool started;
	struct level *stack;
	size_t depth;
	struct strbuf path;
	struct linkmap links;
	int file;
	uint64_t size_bytes, offset, position;
	char target[LAYER_LINK_MAX + 1];
	struct layer_xattr xattrs[MAX_XATTRS];
	struct strbuf xattr_names, xattr_values;
	uint8_t *buf;
};

/* The current entry, which was found in directory d->at. */
static int open_beneath(const struct layer_dir *d, int flags, struct err *e)
{
	int fd = uppers_open_in(&d->uppers, d->at, strbuf_str(&d->path), flags);

	return fd < 0 ? err_code(e, fd, "open /%.200s", strbuf_str(&d->path)) : fd;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_names(DIR *dir, struct strv *names, struct err *e)
{
	struct dirent *entry;

	while (errno = 0, (entry = readdir(dir))) {
		if (!str_is_dots(entry->d_name))
			strv_add(names, entry->d_name);
	}
	if (errno)
		return err_sys(e, "read the directory");
	return strv_check(names, e);
}

static int read_directory(const struct layer_dir *d, unsigned i, struct strv *names, struct err *e)
{
	_close_ int fd =
		uppers_open_in(&d->uppers, i, strbuf_str(&d->path), O_RDONLY | O_DIRECTORY);
	DIR *dir;
	int r;

	if (fd < 0)
		return err_code(e, fd, "open /%.200s", strbuf_str(&d->path));
	dir = fdopendir(fd);
	if (!dir)
		return err_sys(e, "read the directory");
	take_fd(&fd);
	r = read_names(dir, names, e);
	closedir(dir);
	return r;
}

static void sort_names(struct strv *names)
{
	size_t n = 0;

	if (names->n)
		qsort(names->items, names->n, sizeof(char *), compare_names);
	for (size_t i = 0; i < names->n; i++) {
		if (n && str_eq(names->items[n - 1], names->items[i]))
			free(names->items[i]);
		else
			names->items[n++] = names->items[i];
	}
	names->n = n;
}

/* Makes the directory at d->path, which lies in these, the one whose names come next. */
static int descend(struct layer_dir *d, uppers_set from, bool is_opaque, struct err *e)
{
	struct level *level = &d->stack[d->depth];
	int r = 0;

	if (d->depth == LAYER_DEPTH_MAX)
		return err_set(e, EBADMSG, "more than %u levels deep", LAYER_DEPTH_MAX);
	*level = (struct level){.path_len = d->path.len, .from = from, .is_pure = is_opaque};
	level->is_pure |= d->depth && d->stack[d->depth - 1].is_pure;
	d->depth++;
	for (unsigned i = 0; r == 0 && i < d->uppers.n; i++) {
		if (from >> i & 1)
			r = read_directory(d, i, &level->names, e);
	}
	sort_names(&level->names);
	return r;
}

/* Sets d->path to the next name of the walk; 0 when there is none left. */
static int advance(struct layer_dir *d, struct err *e)
{
	while (d->depth) {
		struct level *level = &d->stack[d->depth - 1];

		d->path.len = level->path_len;
		if (d->path.data)
			d->path.data[d->path.len] = 0;
		if (level->next < level->names.n) {
			if (d->path.len)
				strbuf_addch(&d->path, '/');
			strbuf_addstr(&d->path, level->names.items[level->next++]);
			if (d->path.len > LAYER_PATH_MAX)
				return err_set(e, EBADMSG, "a path of over %u bytes",
					       LAYER_PATH_MAX);
			return strbuf_check(&d->path, e) < 0 ? -ENOMEM : 1;
		}
		strv_free(&level->names);
		d->depth--;
	}
	return 0;
}

static int set_type(struct layer_dir *d, int fd, const struct stat *st, struct layer_entry *ret,
		    struct err *e)
{
	static const enum entry_type types[] = {
		[S_IFREG >> 12] = ENTRY_FILE,    [S_IFDIR >> 12] = ENTRY_DIRECTORY,
		[S_IFLNK >> 12] = ENTRY_SYMLINK, [S_IFIFO >> 12] = ENTRY_FIFO,
		[S_IFSOCK >> 12] = ENTRY_SOCKET, [S_IFCHR >> 12] = ENTRY_DEVICE,
		[S_IFBLK >> 12] = ENTRY_DEVICE,
	};
	ssize_t n;

	ret->type = types[(st->st_mode & S_IFMT) >> 12];
	if (d->options.is_upper && S_ISCHR(st->st_mode) && !st->st_rdev)
		ret->type = ENTRY_WHITEOUT;
	if (ret->type != ENTRY_SYMLINK)
		return 0;
	n = readlinkat(fd, "", d->target, sizeof(d->target));
	if (n < 0)
		return err_sys(e, "read the link");
	if (n == 0 || (size_t)n > LAYER_LINK_MAX)
		return err_set(e, EBADMSG, "symlink to a path of %zd bytes", n);
	d->target[n] = 0;
	ret->link = d->target;
	return 0;
}

/* A file with several names is a hard link from its second name on. */
static int set_hard_link(struct layer_dir *d, const struct stat *st, struct layer_entry *ret,
			 struct err *e)
{
	const char *first;
	int r;

	/* overlayfs makes one whiteout and links it. */
	if (S_ISDIR(st->st_mode) || st->st_nlink < 2 || ret->type == ENTRY_WHITEOUT)
		return 0;
	r = linkmap_add(&d->links, (uint64_t)st->st_dev, (uint64_t)st->st_ino, ret->path, &first,
			e);
	if (r != 1)
		return r;
	ret->type = ENTRY_HARDLINK;
	ret->link = first;
	ret->size_bytes = 0;
	return 0;
}

static int add_xattr(struct layer_dir *d, const char *proc, const char *name,
		     struct layer_entry *ret, struct err *e)
{
	char value[LAYER_XATTR_VALUE_MAX + 1];
	ssize_t n = getxattr(proc, name, value, sizeof(value));

	if (n < 0 && (errno == ENODATA || errno == ENOTSUP))
		return 0;
	if (n < 0)
		return err_sys(e, "read attribute %.80s", name);
	if (ret->n_xattrs == MAX_XATTRS || (size_t)n > LAYER_XATTR_VALUE_MAX)
		return err_set(e, E2BIG, "too many or too long extended attributes");
	/* the offset stands in for the pointer until the buffer has stopped moving */
	d->xattrs[ret->n_xattrs++] = (struct layer_xattr){
		.name = name, .value = (void *)(uintptr_t)d->xattr_values.len, .len = (size_t)n};
	strbuf_add(&d->xattr_values, value, (size_t)n);
	return 0;
}

static int set_xattrs(struct layer_dir *d, int fd, struct layer_entry *ret, struct err *e)
{
	char list[XATTR_LIST_MAX], proc[32];
	ssize_t n;
	int r;

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	n = listxattr(proc, list, sizeof(list));
	if (n <= 0)
		return n < 0 && errno != ENOTSUP ? err_sys(e, "list attributes") : 0;
	strbuf_reset(&d->xattr_names);
	strbuf_reset(&d->xattr_values);
	strbuf_add(&d->xattr_names, list, (size_t)n);
	strbuf_add(&d->xattr_values, "", 1);
	r = strbuf_check(&d->xattr_names, e);
	for (const char *p = d->xattr_names.data, *end = p + n; r == 0 && p < end;
	     p += strlen(p) + 1) {
		if (layer_keeps_xattr(p, d->options.keep_capabilities) ||
		    (d->options.is_upper && str_eq(p, UPPERS_OPAQUE)))
			r = add_xattr(d, proc, p, ret, e);
	}
	if (r == 0)
		r = strbuf_check(&d->xattr_values, e);
	for (size_t i = 0; r == 0 && i < ret->n_xattrs; i++)
		d->xattrs[i].value = d->xattr_values.data + (uintptr_t)d->xattrs[i].value;
	ret->xattrs = d->xattrs;
	return r;
}

static bool has_mark(const struct layer_entry *x)
{
	for (size_t i = 0; i < x->n_xattrs; i++) {
		if (str_eq(x->xattrs[i].name, UPPERS_OPAQUE))
			return true;
	}
	return false;
}

/* A directory that one below has made opaque is so for all that lies below them. */
static int mark_opaque(struct layer_dir *d, struct layer_entry *ret, struct err *e)
{
	if (has_mark(ret))
		return 0;
	if (ret->n_xattrs == MAX_XATTRS)
		return err_set(e, E2BIG, "too many extended attributes");
	d->xattrs[ret->n_xattrs++] =
		(struct layer_xattr){.name = UPPERS_OPAQUE, .value = "y", .len = 1};
	ret->xattrs = d->xattrs;
	return 0;
}

static uint32_t clamp_time(int64_t t)
{
	return t < 0 ? 0 : t > UINT32_MAX ? UINT32_MAX : (uint32_t)t;
}

static bool is_entered(const struct layer_dir *d, int fd, const struct stat *st)
{
	static const unsigned long kernels[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC, DEVPTS_SUPER_MAGIC,
						MQUEUE_MAGIC, CGROUP2_SUPER_MAGIC};
	struct statfs fs;

	if (st->st_dev == d->dev)
		return true;
	if (!d->options.cross_mounts || fstatfs(fd, &fs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		if ((unsigned long)fs.f_type == kernels[i])
			return false;
	}
	return true;
}

/* Goes down into a directory and finds which directories its content comes from, among those of
 * `from`. */
static int enter(struct layer_dir *d, uppers_set from, struct layer_entry *ret, struct err *e)
{
	bool is_opaque = false;
	int r = 0;

	if (d->uppers.n > 1)
		r = uppers_merged(&d->uppers, from, d->at, ret->path, &from, &is_opaque, e);
	if (r == 0 && is_opaque)
		r = mark_opaque(d, ret, e);
	return r < 0 ? r : descend(d, from, has_mark(ret), e);
}

/*
 * A whiteout that hides nothing: a later step has removed what an earlier one made. Overlayfs lists
 * its name in a directory that it does not merge.
 */
static bool is_idle(const struct layer_dir *d, const struct layer_entry *x)
{
	if (x->type != ENTRY_WHITEOUT || !d->depth)
		return false;
	return d->stack[d->depth - 1].is_pure || !uppers_hides(&d->uppers, x->path);
}

static int describe(struct layer_dir *d, struct layer_entry *ret, struct err *e)
{
	const uppers_set from = d->depth ? d->stack[d->depth - 1].from : uppers_all(&d->uppers);
	_close_ int fd = uppers_open(&d->uppers, from, strbuf_str(&d->path), O_PATH, &d->at);
	struct stat st;
	int r;

	if (fd < 0)
		return err_code(e, fd, "open /%.200s", strbuf_str(&d->path));
	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat");
	*ret = (struct layer_entry){
		.path = strbuf_str(&d->path),
		.mode = st.st_mode & 07777,
		.uid = st.st_uid,
		.gid = st.st_gid,
		.mtime_s = clamp_time(st.st_mtim.tv_sec),
		.size_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0,
	};
	if (d->options.max_bytes && ret->size_bytes > d->options.max_bytes)
		return err_set(e, EFBIG, "over the limit of %llu bytes",
			       (unsigned long long)d->options.max_bytes);
	r = set_type(d, fd, &st, ret, e);
	if (r == 0)
		r = set_xattrs(d, fd, ret, e);
	if (r == 0)
		r = set_hard_link(d, &st, ret, e);
	d->size_bytes = ret->type == ENTRY_FILE ? ret->size_bytes : 0;
	if (r == 0 && ret->type == ENTRY_DIRECTORY && is_entered(d, fd, &st))
		r = enter(d, from, ret, e);
	return r;
}

int layer_dir_next(struct layer_dir *d, struct layer_entry *ret, struct err *e)
{
	int r;

	fd_close(&d->file);
	d->offset = 0;
	r = stream_watch_tick(&d->options.watch, 0, e);
	if (r < 0)
		return r;
	do {
		r = d->started ? advance(d, e) : 1;
		if (r <= 0)
			return r;
		d->started = true;
		r = describe(d, ret, e);
	} while (r >= 0 && is_idle(d, ret));
	return r < 0 ? err_wrap(e, "/%.200s", strbuf_str(&d->path)) : 1;
}

/* Moves d->offset over a hole; 0 when nothing but a hole is left. */
static int seek_data(struct layer_dir *d, uint64_t *ret_end, struct err *e)
{
	off_t start = lseek(d->file, (off_t)d->offset, SEEK_DATA), end;

	*ret_end = d->size_bytes;
	if (start < 0 && errno == ENXIO)
		return 0;
	if (start < 0)
		return errno == EINVAL ? 1 : err_sys(e, "seek");
	end = lseek(d->file, start, SEEK_HOLE);
	if (end > start && (uint64_t)end < *ret_end)
		*ret_end = (uint64_t)end;
	d->offset = (uint64_t)start;
	return d->offset < d->size_bytes;
}

int layer_dir_read(struct layer_dir *d, const void **ret_data, size_t *ret_len,
		   uint64_t *ret_offset, struct err *e)
{
	uint64_t end;
	ssize_t n;
	int r;

	if (d->file < 0)
		d->file = open_beneath(d, O_RDONLY | O_NONBLOCK, e);
	if (d->file < 0)
		return d->file;
	if (d->offset >= d->size_bytes)
		return 0;
	r = seek_data(d, &end, e);
	if (r <= 0)
		return r;
	do
		n = pread(d->file, d->buf,
			  end - d->offset < BUFFER_BYTES ? end - d->offset : BUFFER_BYTES,
			  (off_t)d->offset);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_sys(e, "read /%.200s", strbuf_str(&d->path));
	if (n == 0)
		return err_set(e, EBADMSG, "/%.200s: became shorter while it was read",
			       strbuf_str(&d->path));
	*ret_data = d->buf;
	*ret_len = (size_t)n;
	*ret_offset = d->offset;
	d->offset += (uint64_t)n;
	d->position += (uint64_t)n;
	return stream_watch_tick(&d->options.watch, (uint64_t)n, e) < 0 ? -ECANCELED : 1;
}

uint64_t layer_dir_position(const struct layer_dir *d)
{
	return d->position;
}

int layer_dir_open(struct layer_dir **ret, const struct uppers *dirs, const struct layer_options *o,
		   struct err *e)
{
	struct layer_dir *d = calloc(1, sizeof(*d));
	struct stat st;

	if (!d)
		return err_oom(e);
	d->options = *o;
	d->uppers = *dirs;
	d->file = -1;
	d->buf = malloc(BUFFER_BYTES);
	d->stack = calloc(LAYER_DEPTH_MAX, sizeof(*d->stack));
	if (!d->buf || !d->stack || fstat(dirs->fds[0], &st) < 0) {
		layer_dir_close(&d);
		return err_oom(e);
	}
	d->dev = st.st_dev;
	*ret = d;
	return 0;
}

void layer_dir_close(struct layer_dir **dp)
{
	struct layer_dir *d = *dp;

	*dp = NULL;
	if (!d)
		return;
	while (d->depth)
		strv_free(&d->stack[--d->depth].names);
	fd_close(&d->file);
	linkmap_free(&d->links);
	strbuf_free(&d->path);
	strbuf_free(&d->xattr_names);
	strbuf_free(&d->xattr_values);
	free(d->stack);
	free(d->buf);
	free(d);
}
