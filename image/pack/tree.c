/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pack/tree.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/layer/dir.h"
#include "image/pack/tar_out.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define BUFFER_BYTES (256u << 10)

/* "member/path"; "." stays in front, as tar does it, so that the root has a name, and so does "/". */
static int member_name(struct strbuf *out, const char *member, const char *path, struct err *e)
{
	strbuf_reset(out);
	strbuf_addstr(out, member);
	if (*path)
		strbuf_addf(out, "%s%s", *member && !str_has_suffix(member, "/") ? "/" : "", path);
	return strbuf_check(out, e);
}

static mode_t type_bits(enum entry_type type)
{
	switch (type) {
	case ENTRY_DIRECTORY:
		return S_IFDIR;
	case ENTRY_SYMLINK:
		return S_IFLNK;
	case ENTRY_FIFO:
		return S_IFIFO;
	default:
		return S_IFREG;
	}
}

static int pack_content(struct layer_dir *d, uint64_t bytes, struct tar_out *out, struct err *e)
{
	uint64_t done = 0, offset;
	const void *data;
	size_t len;
	int r;

	while ((r = layer_dir_read(d, &data, &len, &offset, e)) > 0) {
		r = tar_out_zeros(out, offset - done, e);
		if (r >= 0)
			r = tar_out_data(out, data, len, e);
		if (r < 0)
			return r;
		done = offset + len;
	}
	return r < 0 ? r : tar_out_zeros(out, bytes - done, e);
}

static bool is_ours(const char *path)
{
	return str_eq(path, ".csbx") || str_has_prefix(path, ".csbx/");
}

/* Those that a layer has, by name: a tar made again of the layer's image file is the same. */
static void add_xattrs(const struct layer_entry *l, struct tar_out *out)
{
	const struct layer_xattr *last = NULL;

	for (size_t n = 0; n < l->n_xattrs; n++) {
		const struct layer_xattr *next = NULL;

		for (size_t i = 0; i < l->n_xattrs; i++) {
			const struct layer_xattr *x = &l->xattrs[i];

			if ((!last || strcmp(x->name, last->name) > 0) &&
			    (!next || strcmp(x->name, next->name) < 0))
				next = x;
		}
		last = next;
		if (last && !str_has_prefix(last->name, "user.overlay."))
			tar_out_xattr(out, last->name, last->value, last->len);
	}
}

static bool is_opaque(const struct layer_entry *l)
{
	for (size_t i = 0; l->type == ENTRY_DIRECTORY && i < l->n_xattrs; i++) {
		if (str_eq(l->xattrs[i].name, "user.overlay.opaque"))
			return true;
	}
	return false;
}

/* An empty file of that name in a directory, whose path ends with a slash or is "". */
static int pack_mark(const char *dir, const char *name, struct tar_out *out, struct err *e)
{
	_free_ char *path = str_printf("%s%s", dir, name);
	const struct tar_header h = {.path = path, .mode = S_IFREG};

	return path ? tar_out_member(out, &h, e) : err_oom(e);
}

static int pack_whiteout(const char *path, struct tar_out *out, struct err *e)
{
	const char *slash = strrchr(path, '/');
	_free_ char *dir = strndup(path, slash ? (size_t)(slash + 1 - path) : 0);
	_free_ char *name = str_printf(".wh.%s", slash ? slash + 1 : path);

	return dir && name ? pack_mark(dir, name, out, e) : err_oom(e);
}

static int pack_entry(struct layer_dir *d, const struct layer_entry *l, const char *member,
		      enum tree_devices devices, struct tar_out *out, struct err *e)
{
	_strbuf_ struct strbuf path = STRBUF_INIT, link = STRBUF_INIT;
	struct tar_header h = {
		.mode = type_bits(l->type) | l->mode,
		.uid = l->uid,
		.gid = l->gid,
		.mtime_s = l->mtime_s,
		.size_bytes = (int64_t)l->size_bytes,
	};
	int r;

	/* A whole root has no name, and what it cannot have in the archive is left out. */
	if (l->type == ENTRY_SOCKET || (!*member && !*l->path) ||
	    (l->type == ENTRY_DEVICE && (devices == TREE_DEVICES_LEFT_OUT || !*member)) ||
	    (devices == TREE_DEVICES_OF_IMAGE && is_ours(l->path)))
		return 0;
	if (l->type == ENTRY_WHITEOUT)
		return pack_whiteout(l->path, out, e);
	if (l->type == ENTRY_DEVICE)
		return err_set(e, EOPNOTSUPP, "/%.200s: a device node", l->path);
	r = member_name(&path, member, l->path, e);
	if (l->type == ENTRY_DIRECTORY)
		strbuf_addch(&path, '/');
	if (r >= 0 && l->type == ENTRY_HARDLINK)
		r = member_name(&link, member, l->link, e);
	if (r < 0)
		return r;
	h.path = path.data;
	h.hardlink = l->type == ENTRY_HARDLINK ? link.data : NULL;
	h.symlink = l->type == ENTRY_SYMLINK ? l->link : NULL;
	if (devices == TREE_DEVICES_WHITEOUTS && l->type != ENTRY_HARDLINK)
		add_xattrs(l, out);
	r = tar_out_member(out, &h, e);
	if (r >= 0 && is_opaque(l))
		r = pack_mark(path.data, ".wh..wh..opq", out, e);
	return r < 0 || l->type != ENTRY_FILE ? r : pack_content(d, l->size_bytes, out, e);
}

static int pack_directories(const struct uppers *dirs, const char *member,
			    enum tree_devices devices, struct tar_out *out, struct err *e)
{
	const struct layer_options o = {.cross_mounts = *member,
					.is_upper = devices == TREE_DEVICES_WHITEOUTS};
	struct layer_dir *d = NULL;
	struct layer_entry entry;
	int r = layer_dir_open(&d, dirs, &o, e);

	if (r < 0)
		return r;
	while ((r = layer_dir_next(d, &entry, e)) > 0) {
		r = pack_entry(d, &entry, member, devices, out, e);
		if (r < 0)
			break;
	}
	layer_dir_close(&d);
	return r;
}

static int pack_directory(int fd, const char *member, enum tree_devices devices,
			  struct tar_out *out, struct err *e)
{
	_close_ int dir = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct uppers dirs = {.fds = {dir}, .n = 1};

	if (dir < 0)
		return err_sys(e, "open the directory");
	return pack_directories(&dirs, member, devices, out, e);
}

int tree_pack_uppers(const struct uppers *dirs, struct tar_out *out, struct err *e)
{
	return pack_directories(dirs, "", TREE_DEVICES_WHITEOUTS, out, e);
}

/* The very file, whatever lies under its name by now. */
static int reopen(int fd, struct err *e)
{
	char path[32];
	int r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return r < 0 ? err_sys(e, "open") : r;
}

static int copy_file(int fd, uint64_t bytes, struct tar_out *out, struct err *e)
{
	_free_ char *buf = malloc(BUFFER_BYTES);

	if (!buf)
		return err_oom(e);
	while (bytes) {
		ssize_t n = read(fd, buf, bytes < BUFFER_BYTES ? (size_t)bytes : BUFFER_BYTES);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read");
		if (n == 0)
			return err_set(e, EBADMSG, "became shorter while it was read");
		if (tar_out_data(out, buf, (size_t)n, e) < 0)
			return -(e ? e->code : EIO);
		bytes -= (uint64_t)n;
	}
	return 0;
}

static int pack_single(int what, const char *member, const struct stat *st, struct tar_out *out,
		       struct err *e)
{
	char target[LAYER_LINK_MAX + 1];
	struct tar_header h = {
		.path = member,
		.mode = st->st_mode,
		.uid = st->st_uid,
		.gid = st->st_gid,
		.mtime_s = st->st_mtim.tv_sec,
		.size_bytes = S_ISREG(st->st_mode) ? st->st_size : 0,
	};
	_close_ int fd = -1;
	int r;

	if (S_ISLNK(st->st_mode)) {
		ssize_t n = readlinkat(what, "", target, sizeof(target) - 1);

		if (n < 0)
			return err_sys(e, "read the link");
		target[n] = 0;
		h.symlink = target;
	} else if (S_ISREG(st->st_mode)) {
		fd = reopen(what, e);
		if (fd < 0)
			return fd;
	} else if (!S_ISFIFO(st->st_mode)) {
		return err_set(e, EOPNOTSUPP, "neither file nor directory");
	}
	r = tar_out_member(out, &h, e);
	return r < 0 || fd < 0 ? r : copy_file(fd, (uint64_t)st->st_size, out, e);
}

int tree_pack(int fd, const char *member, enum tree_devices devices, struct tar_out *out,
	      struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat");
	if (S_ISDIR(st.st_mode))
		return pack_directory(fd, member, devices, out, e);
	return pack_single(fd, member, &st, out, e);
}
