/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/verb/bundle_write.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/crc32.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/io.h"
#include "runtime/base/linux_calls.h"
#include "runtime/base/path.h"
#include "runtime/settings/bundle_self.h"
#include "runtime/server/image_file.h"
#include "runtime/server/image_stack.h"
#include "runtime/spec/name.h"
#include "runtime/settings/paths.h"
#include "runtime/server/client.h"

#define CHUNK_BYTES (1u << 20)

struct writing {
	const struct paths *paths;
	const struct bundle_request *q;
	int out, image;
	struct bundle_extent where; /* of the image in its file, which may be a bundle */
	struct bundle bundle;
	char id[NAME_ID_DIGITS + 1];
};

/* The bundle's path, and the name it has until it is whole. */
struct place {
	int dirfd;
	const char *name, *tmp;
};

static int end_of(int fd, uint64_t *ret, struct err *e)
{
	off_t end = lseek(fd, 0, SEEK_END);

	if (end < 0)
		return err_sys(e, "seek");
	*ret = (uint64_t)end;
	return 0;
}

/* Appends bytes of another file; its name is for messages. */
static int append(struct writing *w, int fd, struct bundle_extent from, const char *what,
		  struct bundle_extent *ret, struct err *e)
{
	off_t at = (off_t)from.offset, end = at + (off_t)from.bytes;

	if (end_of(w->out, &ret->offset, e) < 0)
		return -e->code;
	ret->bytes = from.bytes;
	while (at < end) {
		ssize_t n = sendfile(w->out, fd, &at, (size_t)(end - at));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			(void)io_write_failed(w->out, "write", e);
			return err_wrap(e, "copy %s", what);
		}
		if (!n)
			return err_set(e, EIO, "copy %s: it got shorter meanwhile", what);
	}
	return 0;
}

static int append_file(struct writing *w, const char *path, struct bundle_extent *ret,
		       struct err *e)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct bundle_extent all = {0};
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	all.bytes = (uint64_t)st.st_size;
	return append(w, fd, all, path, ret, e);
}

static int append_server(struct writing *w, struct err *e)
{
	_free_ char *server = paths_helper(w->paths, "csbx-squashd");

	if (!server)
		return err_oom(e);
	return append_file(w, server, &w->bundle.parts[BUNDLE_SQUASHD], e);
}

static int append_programs(struct writing *w, struct err *e)
{
	_free_ char *init = paths_helper(w->paths, "csbx-init");
	struct bundle_extent self;
	int r = init ? append_file(w, "/proc/self/exe", &self, e) : err_oom(e);

	if (r >= 0)
		r = append_file(w, init, &w->bundle.parts[BUNDLE_INIT], e);
	return r < 0 ? r : append_server(w, e);
}

static int sum_image(struct writing *w, uint32_t *ret, struct err *e)
{
	_strbuf_ struct strbuf buf = STRBUF_INIT;
	uint64_t at = w->where.offset, left = w->where.bytes;

	*ret = 0;
	if (!strbuf_reserve(&buf, CHUNK_BYTES))
		return err_oom(e);
	while (left) {
		size_t n = left < CHUNK_BYTES ? left : CHUNK_BYTES;

		if (io_pread_exact(w->image, buf.data, n, at, e) < 0)
			return err_wrap(e, "%s", w->q->image);
		*ret = crc32_add(*ret, buf.data, n);
		at += n;
		left -= n;
	}
	return 0;
}

static int append_config(struct writing *w, struct err *e)
{
	struct bundle_extent *x = &w->bundle.parts[BUNDLE_CONFIG];
	_strbuf_ struct strbuf meta = STRBUF_INIT;
	struct flat_writer f = {0};
	uint32_t crc = 0;
	int r = squashd_read_meta(w->paths, w->image, &meta, e);

	if (r >= 0 && w->q->checksum)
		r = sum_image(w, &crc, e);
	if (r < 0)
		return r;
	flat_begin(&f, BUNDLE_CONFIG_MAGIC, BUNDLE_CONFIG_VERSION);
	flat_str(&f, BUNDLE_NAME, w->q->name);
	flat_str(&f, BUNDLE_ID, w->id);
	flat_str(&f, BUNDLE_DESCRIPTION, w->q->description);
	flat_str(&f, BUNDLE_TARGET, w->q->target);
	flat_bytes(&f, BUNDLE_META, meta.data, meta.len);
	if (w->q->checksum)
		flat_u64(&f, BUNDLE_CRC, crc);
	flat_strv(&f, BUNDLE_FILE, &w->q->files);
	r = flat_end(&f, e);
	if (r >= 0)
		r = end_of(w->out, &x->offset, e);
	x->bytes = f.buf.len;
	if (r >= 0)
		r = io_write_all(w->out, f.buf.data, f.buf.len, e);
	flat_free(&f);
	return r;
}

static int append_image(struct writing *w, struct err *e)
{
	static const char zeros[BUNDLE_ALIGN];
	unsigned char trailer[BUNDLE_TRAILER_BYTES];
	uint64_t end = 0;
	int r = end_of(w->out, &end, e);

	if (r >= 0)
		r = io_write_all(w->out, zeros, (BUNDLE_ALIGN - end % BUNDLE_ALIGN) % BUNDLE_ALIGN,
				 e);
	if (r >= 0)
		r = append(w, w->image, w->where, w->q->image, &w->bundle.parts[BUNDLE_IMAGE], e);
	if (r < 0)
		return r;
	bundle_format(&w->bundle, trailer);
	return io_write_all(w->out, trailer, sizeof(trailer), e);
}

/* A bundle has one file in it. */
static int check_whole(const struct writing *w, const struct image_id *id, struct err *e)
{
	char *path = realpath(w->q->image, NULL);
	struct rootfs_spec root = {.kind = ROOTFS_SQUASHFS, .path = path, .id = *id};
	int r = path ? image_stack_find(w->image, &root, e) : err_sys(e, "%s", w->q->image);

	if (r >= 0 && root.n_lowers)
		r = err_set(
			e, EOPNOTSUPP,
			"%s: lies over %zu other files; csbx create and csbx export make one of them",
			w->q->image, root.n_lowers);
	rootfs_free_lowers(&root);
	free(path);
	return r;
}

static int open_image(struct writing *w, struct err *e)
{
	enum rootfs_kind kind;
	struct image_id id;
	struct bundle bundle;

	w->image = image_open(w->q->image, &kind, &id, e);
	if (w->image < 0)
		return w->image;
	if (kind != ROOTFS_SQUASHFS)
		return err_set(e, EINVAL, "%s: not a squashfs image", w->q->image);
	w->where = (struct bundle_extent){0, id.size_bytes};
	if (bundle_read(w->image, &bundle)) {
		w->where = bundle.parts[BUNDLE_IMAGE];
		return 0;
	}
	return check_whole(w, &id, e);
}

static int write_all(struct writing *w, struct err *e)
{
	mode_t mask = umask(0);
	int r;

	umask(mask);
	r = open_image(w, e);
	if (r >= 0)
		r = name_new_id(w->id, e);
	if (r >= 0)
		r = append_programs(w, e);
	if (r >= 0)
		r = append_config(w, e);
	if (r >= 0)
		r = append_image(w, e);
	if (r >= 0 && fchmod(w->out, 0777 & ~mask) < 0)
		r = err_sys(e, "make it executable");
	return r;
}

static int move_in(const struct place *p, const struct bundle_request *q, struct err *e)
{
	if (!q->force && renameat2(p->dirfd, p->tmp, p->dirfd, p->name, RENAME_NOREPLACE) < 0) {
		if (errno == EEXIST)
			return err_set(e, EEXIST, "%s", q->output);
		if (errno != EINVAL && errno != ENOSYS)
			return err_sys(e, "%s", q->output);
	} else if (!q->force) {
		return 0;
	}
	return renameat(p->dirfd, p->tmp, p->dirfd, p->name) < 0 ? err_sys(e, "%s", q->output) : 0;
}

int bundle_write(const struct paths *p, const struct bundle_request *q, struct err *e)
{
	struct writing w = {.paths = p, .q = q, .out = -1, .image = -1};
	const char *slash = strrchr(q->output, '/'), *name = slash ? slash + 1 : q->output;
	_free_ char *tmp = str_printf("%s.%d.tmp", name, getpid());
	_free_ char *parent =
		slash ? str_printf("%.*s", (int)(slash - q->output) + 1, q->output) : strdup(".");
	_close_ int dir = tmp && parent ? path_open_output_dir(parent, NULL, e) : err_oom(e);
	const struct place place = {dir, name, tmp};
	struct stat st;
	int r;

	if (dir < 0)
		return dir;
	if (!fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	    (!q->force || !(S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))))
		return err_set(e, q->force ? EINVAL : EEXIST, "%s%s", q->output,
			       q->force ? ": not a regular file" : "");
	w.out = openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (w.out < 0)
		return err_sys(e, "%s.%d.tmp", q->output, getpid());
	r = write_all(&w, e);
	if (r >= 0)
		r = move_in(&place, q, e);
	if (r < 0)
		unlinkat(dir, tmp, 0);
	fd_close(&w.out);
	fd_close(&w.image);
	return r;
}
