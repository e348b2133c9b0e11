/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modes and times of directories are set when all is unpacked, deepest first: files made in a
 * directory change its times, and a directory may be closed to its owner.
 */
#include "image/pack/tree_unpack.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "image/layer/layer.h"
#include "image/layer/tar.h"
#include "image/model/layer_path.h"
#include "image/pack/link_out.h"
#include "image/pack/made.h"
#include "image/pack/whiteout.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

#define HOLE_BYTES 4096u

struct directory {
	char *path; /* clean, seen from base */
	mode_t mode;
	int64_t mtime_s;
};

struct unpack {
	const struct tree_unpack *u;
	struct tar *tar;
	struct directory *directories;
	size_t n, cap;
	struct strbuf path, link, full;
};

static void unpack_free(struct unpack *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->directories[i].path);
	free(x->directories);
	strbuf_free(&x->path);
	strbuf_free(&x->link);
	strbuf_free(&x->full);
	tar_close(&x->tar);
}

static int open_beneath(struct unpack *x, const char *path, size_t len, int flags, struct err *e)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_NO_MAGICLINKS |
			   (x->u->resolve == TREE_IN_ROOT ? RESOLVE_IN_ROOT
							  : RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS),
	};
	long fd;

	strbuf_reset(&x->full);
	strbuf_addstr(&x->full, *x->u->base ? x->u->base : ".");
	strbuf_addch(&x->full, '/');
	strbuf_add(&x->full, path, len);
	if (strbuf_check(&x->full, e) < 0)
		return -ENOMEM;
	for (int i = 0; i < 64; i++) { /* EAGAIN: a rename raced with a ".." step */
		fd = syscall(SYS_openat2, x->u->root_fd, x->full.data, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return fd < 0 ? err_sys(e, "%s", x->full.data) : (int)fd;
}

/* Makes the directories in which a member lies where the archive has none. */
static int make_parents(struct unpack *x, const char *path, size_t len, struct err *e)
{
	for (size_t i = 0; i <= len; i++) {
		_close_ int fd = -1, dir = -1;
		const char *slash;
		char name[LAYER_NAME_MAX + 1];

		if (i < len && path[i] != '/')
			continue;
		dir = open_beneath(x, path, i, O_PATH | O_DIRECTORY, NULL);
		if (dir >= 0 || dir != -ENOENT)
			continue;
		slash = memrchr(path, '/', i);
		fd = open_beneath(x, path, slash ? (size_t)(slash - path) : 0, O_PATH | O_DIRECTORY,
				  e);
		if (fd < 0)
			return fd;
		slash = slash ? slash + 1 : path;
		if ((size_t)(path + i - slash) > LAYER_NAME_MAX)
			return err_set(e, ENAMETOOLONG, "%s", path);
		memcpy(name, slash, (size_t)(path + i - slash));
		name[path + i - slash] = 0;
		if (mkdirat(fd, name, 0755) < 0 && errno != EEXIST)
			return err_sys(e, "%s", path);
	}
	return 0;
}

static int open_parent(struct unpack *x, const char *path, const char **ret_name, struct err *e)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;
	int fd = open_beneath(x, path, len, O_PATH | O_DIRECTORY, e);

	if (fd == -ENOENT && len) {
		int r = make_parents(x, path, len, e);

		if (r < 0)
			return r;
		fd = open_beneath(x, path, len, O_PATH | O_DIRECTORY, e);
	}
	*ret_name = slash ? slash + 1 : path;
	return fd;
}

static bool id_is_unknown(int r)
{
	return r < 0 && errno == EINVAL;
}

/*
 * fd: of what was just made, so that nothing put in its place is meant. Ids of the archive may not
 * exist here; 0 may not exist either.
 */
static int set_owner(const struct unpack *x, int fd, const struct tar_header *h, struct err *e)
{
	uid_t uid = h->uid < 0 || h->uid >= UINT32_MAX ? 0 : (uid_t)h->uid;
	gid_t gid = h->gid < 0 || h->gid >= UINT32_MAX ? 0 : (gid_t)h->gid;
	int r;

	if (!x->u->keep_owner)
		return 0;
	r = fchownat(fd, "", uid, (gid_t)-1, AT_EMPTY_PATH);
	if (id_is_unknown(r))
		r = fchownat(fd, "", 0, (gid_t)-1, AT_EMPTY_PATH);
	if (r == 0 || id_is_unknown(r))
		r = fchownat(fd, "", (uid_t)-1, gid, AT_EMPTY_PATH);
	if (id_is_unknown(r))
		r = fchownat(fd, "", (uid_t)-1, 0, AT_EMPTY_PATH);
	return r == 0 || id_is_unknown(r) ? 0 : err_sys(e, "change the owner");
}

/* fd: of what was made, with its owner. */
static mode_t permissions(const struct unpack *x, int fd, const struct tar_header *h)
{
	const struct tree_unpack *u = x->u;
	mode_t mode = h->mode & 07777;
	struct stat st;

	if (!(mode & 06000) || u->set_ids == TREE_SET_IDS_OF_ALL)
		return mode;
	if (u->set_ids == TREE_SET_IDS_OF_NONE || fstat(fd, &st) < 0)
		return mode & 01777;
	if (u->keep_owner ? st.st_uid != h->uid : st.st_uid != geteuid() || h->uid != u->own_uid)
		mode &= ~(mode_t)S_ISUID;
	if (u->keep_owner ? st.st_gid != h->gid : st.st_gid != getegid() || h->gid != u->own_gid)
		mode &= ~(mode_t)S_ISGID;
	return mode;
}

static int remember(struct unpack *x, const char *path, int fd, const struct tar_header *h,
		    struct err *e)
{
	if (x->n == x->cap) {
		size_t cap = x->cap ? 2 * x->cap : 64;
		void *p = reallocarray(x->directories, cap, sizeof(*x->directories));

		if (!p)
			return err_oom(e);
		x->directories = p;
		x->cap = cap;
	}
	x->directories[x->n] = (struct directory){strdup(path), permissions(x, fd, h), h->mtime_s};
	return x->directories[x->n++].path ? 0 : err_oom(e);
}

static int make_directory(struct unpack *x, int dir, const char *name, const struct tar_header *h,
			  struct err *e)
{
	_close_ int fd = -1;
	struct stat st;
	int r;

	if (!*name && !x->u->is_layer) /* the directory itself, which is there */
		return 0;
	if (x->u->is_layer && *name && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !S_ISDIR(st.st_mode) && unlinkat(dir, name, 0) < 0)
		return err_sys(e, "replace it");
	if (*name && mkdirat(dir, name, 0700) < 0) {
		if (errno != EEXIST)
			return err_sys(e, "make the directory");
		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return err_sys(e, "stat");
		if (!S_ISDIR(st.st_mode))
			return err_set(e, EEXIST,
				       "a non-directory is not overwritten by a directory");
	}
	fd = made_open(dir, *name ? name : ".", S_IFDIR, e);
	r = fd < 0 ? fd : set_owner(x, fd, h, e);
	return r < 0 ? r : remember(x, x->path.data, fd, h, e);
}

/*
 * A piece of nothing but zeros stays a hole: a tar from a pipe does not say where the holes were.
 * The file is new, and its size is set afterwards.
 */
static int write_piece(int fd, const char *p, size_t len, uint64_t offset, struct err *e)
{
	while (len) {
		size_t n = HOLE_BYTES - (size_t)(offset % HOLE_BYTES), run = 0;

		n = n < len ? n : len;
		/* One write for all pages until the next hole. */
		while (run < len && !mem_is_zero(p + run, n)) {
			run += n;
			n = len - run < HOLE_BYTES ? len - run : HOLE_BYTES;
		}
		if (run) {
			int r = io_pwrite_all(fd, p, run, offset, e);

			if (r < 0)
				return r;
		} else {
			run = n;
		}
		p += run;
		len -= run;
		offset += run;
	}
	return 0;
}

static int write_content(struct unpack *x, int fd, struct err *e)
{
	uint64_t offset;
	const void *data;
	size_t len;
	int r;

	while ((r = tar_read(x->tar, &data, &len, &offset, e)) > 0) {
		r = write_piece(fd, data, len, offset, e);
		if (r < 0)
			break;
	}
	return r;
}

/* Those that an image keeps; a layer that csbx wrote has no other. */
static int set_xattrs(struct unpack *x, int fd, struct err *e)
{
	const char *name;
	const void *value;
	size_t len;

	while (x->u->is_layer && tar_next_xattr(x->tar, &name, &value, &len) > 0) {
		if (layer_keeps_xattr(name, false) && fsetxattr(fd, name, value, len, 0) < 0)
			return err_sys(e, "attribute %.100s", name);
	}
	return 0;
}

static int make_file(struct unpack *x, int dir, const char *name, const struct tar_header *h,
		     struct err *e)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	_close_ int fd = openat(dir, name, flags, 0600);
	int r;

	if (fd < 0)
		return err_sys(e, "make the file");
	r = set_xattrs(x, fd, e);
	if (r >= 0)
		r = write_content(x, fd, e);
	if (r < 0)
		return r;
	if (h->size_bytes > 0 && ftruncate(fd, (off_t)h->size_bytes) < 0) /* ends in a hole */
		return err_sys(e, "set the size");
	r = set_owner(x, fd, h, e);
	if (r < 0)
		return r;
	if (fchmod(fd, permissions(x, fd, h)) < 0)
		return err_sys(e, "set the mode");
	return made_set_time(fd, h->mtime_s, 0, e);
}

/* Made with its mode, which cannot be changed through an O_PATH descriptor on older kernels. */
static int make_fifo(struct unpack *x, int dir, const char *name, const struct tar_header *h,
		     struct err *e)
{
	mode_t old = umask(0);
	int r = mkfifoat(dir, name, h->mode & 01777) < 0 ? err_sys(e, "make the FIFO") : 0;
	_close_ int fd = -1;

	umask(old);
	if (r < 0)
		return r;
	fd = made_open(dir, name, S_IFIFO, e);
	r = fd < 0 ? fd : set_owner(x, fd, h, e);
	return r < 0 ? r : made_set_time(fd, h->mtime_s, 0, e);
}

static int make_plain_link(int dir, const char *name, const struct tar_header *h, struct err *e)
{
	_close_ int fd = -1;
	int r;

	if (symlinkat(h->symlink, dir, name) < 0)
		return err_sys(e, "make the symbolic link");
	fd = made_open(dir, name, S_IFLNK, e);
	r = fd < 0 ? fd : made_set_time(fd, h->mtime_s, 0, e);
	if (r < 0)
		(void)unlinkat(dir, name, 0);
	return r < 0 ? r : take_fd(&fd);
}

static int make_symlink(struct unpack *x, int dir, const char *name, const struct tar_header *h,
			struct err *e)
{
	_close_ int fd = -1;
	int r;

	if (x->u->refuse_way_out && str_eq(x->path.data, x->u->to) &&
	    link_may_lead_out(dir, h->symlink))
		return err_set(e, EPERM,
			       "it is a symbolic link to '%.200s', by which the next copy could "
			       "write elsewhere: -L copies what it leads to inside",
			       h->symlink);
	fd = x->u->refuse_way_out ? link_out_make(dir, name, h->symlink, h->mtime_s, e)
				  : make_plain_link(dir, name, h, e);
	r = fd < 0 ? fd : set_owner(x, fd, h, e);
	if (fd >= 0 && r < 0)
		(void)unlinkat(dir, name, 0);
	return r;
}

static int map_name(struct unpack *x, const char *raw, struct strbuf *out, struct err *e);

static int make_link(struct unpack *x, int dir, const char *name, const struct tar_header *h,
		     struct err *e)
{
	_close_ int from = -1;
	const char *old;
	int r = map_name(x, h->hardlink, &x->link, e);

	if (r < 0)
		return r;
	from = open_parent(x, x->link.data, &old, e);
	if (from < 0)
		return from;
	return linkat(from, old, dir, name, 0) < 0 ? err_sys(e, "link to %s", x->link.data) : 0;
}

/* Whatever is there and is no directory makes room. */
static int make_room(int dir, const char *name, struct err *e)
{
	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno == EISDIR || errno == EPERM) {
		struct stat st;

		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
			return err_set(e, EEXIST,
				       "a directory is not overwritten by a non-directory");
		errno = EPERM;
	}
	return err_sys(e, "replace it");
}

static int make_other(struct unpack *x, int dir, const char *name, const struct tar_header *h,
		      struct err *e)
{
	int r = !*name           ? err_set(e, EBADMSG, "a file without a name")
		: x->u->is_layer ? path_remove_tree_at(dir, name, e)
				 : make_room(dir, name, e);

	if (r < 0)
		return r;
	if (h->hardlink)
		return make_link(x, dir, name, h, e);
	if (h->symlink)
		return make_symlink(x, dir, name, h, e);
	if (S_ISREG(h->mode))
		return make_file(x, dir, name, h, e);
	if (S_ISFIFO(h->mode))
		return make_fifo(x, dir, name, h, e);
	return err_set(e, EOPNOTSUPP, "a device node cannot be made");
}

/* The member's name as it is here, clean; "" is base itself. */
static int map_name(struct unpack *x, const char *raw, struct strbuf *out, struct err *e)
{
	const struct tree_unpack *u = x->u;
	size_t n = u->from ? strlen(u->from) : 0;
	int r;

	strbuf_reset(out);
	if (!u->from)
		return layer_clean_path(raw, out, e);
	if (strncmp(raw, u->from, n) != 0 || (raw[n] && raw[n] != '/'))
		return err_set(e, EBADMSG, "%.200s: not a member of %s", raw, u->from);
	while (raw[n] == '/')
		n++;
	r = layer_clean_path(raw + n, out, e);
	if (r >= 0 && *u->to) {
		_free_ char *rest = strbuf_take(out);

		strbuf_addstr(out, u->to);
		if (rest && *rest)
			strbuf_addf(out, "/%s", rest);
		r = strbuf_check(out, e);
	}
	return r;
}

static int unpack_member(struct unpack *x, const struct tar_header *h, struct err *e)
{
	_close_ int dir = -1;
	const char *name;
	int r = map_name(x, h->path, &x->path, e);

	if (r < 0)
		return r;
	strbuf_addstr(&x->path, ""); /* never NULL */
	dir = open_parent(x, strbuf_str(&x->path), &name, e);
	if (dir < 0)
		return dir;
	r = x->u->is_layer ? whiteout_apply(dir, name, e) : 0;
	if (r)
		return r < 0 ? err_wrap(e, "%.200s", strbuf_str(&x->path)) : 0;
	r = S_ISDIR(h->mode) && !h->hardlink ? make_directory(x, dir, name, h, e)
					     : make_other(x, dir, name, h, e);
	return r < 0 ? err_wrap(e, "%.200s", strbuf_str(&x->path)) : 0;
}

static int finish_directories(struct unpack *x, struct err *e)
{
	while (x->n) {
		struct directory *d = &x->directories[--x->n];
		_free_ char *path = d->path;
		_close_ int fd =
			open_beneath(x, path, strlen(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW, e);
		const struct timespec t[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = d->mtime_s}};

		if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP) /* removed meanwhile */
			continue;
		if (fd < 0)
			return fd;
		if (fchmod(fd, d->mode) < 0 || futimens(fd, t) < 0)
			return err_sys(e, "%.200s: set mode and time", path);
	}
	return 0;
}

int tree_unpack(const struct tree_unpack *u, int tar_fd, struct err *e)
{
	struct unpack x = {.u = u};
	struct tar_header h;
	int r = tar_open_fd(&x.tar, tar_fd, e);

	while (r >= 0 && (r = tar_next(x.tar, &h, e)) > 0)
		r = unpack_member(&x, &h, e);
	if (r >= 0)
		r = finish_directories(&x, e);
	unpack_free(&x);
	return r;
}
