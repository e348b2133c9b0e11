/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server/image_stack.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/image_trailer.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/server/image_file.h"
#include "runtime/server/image_meta.h"
#include "runtime/server/meta_cache.h"
#include "runtime/spec/image_id.h"

#define TRAILER_ALIGN 4096u
#define BYTES_USED_AT 40 /* in the superblock of squashfs 4.0 */

char *image_stack_path(const char *path, size_t i)
{
	return str_printf("%s.%zu", path, i);
}

int image_stack_decode(const void *record, size_t len, uint64_t ret[SPEC_STACK_MAX - 1],
		       struct err *e)
{
	struct flat_reader reader;
	struct flat_field f;
	int n = 0,
	    r = flat_open(&reader, record, len, IMAGE_TRAILER_MAGIC, IMAGE_TRAILER_VERSION, e);

	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0) {
		if (f.tag != TRAILER_LOWER)
			continue;
		if (n == SPEC_STACK_MAX - 1)
			return err_set(e, EBADMSG, "an image of more than %d files",
				       SPEC_STACK_MAX);
		r = flat_get_u64(&f, &ret[n++], e);
	}
	return r < 0 ? r : n;
}

static int read_record(int fd, struct strbuf *out, struct err *e)
{
	uint32_t magic;
	uint64_t used;
	off_t at;

	if (pread(fd, &used, sizeof(used), BYTES_USED_AT) != (ssize_t)sizeof(used))
		return err_sys(e, "read");
	if (used > INT64_MAX - TRAILER_ALIGN)
		return err_set(e, EBADMSG, "a damaged squashfs image");
	at = (off_t)((used + TRAILER_ALIGN - 1) / TRAILER_ALIGN * TRAILER_ALIGN);
	/* Data that others have put behind a file system may be long. */
	if (pread(fd, &magic, sizeof(magic), at) != (ssize_t)sizeof(magic) ||
	    magic != IMAGE_TRAILER_MAGIC)
		return 0;
	if (lseek(fd, at, SEEK_SET) != at)
		return err_sys(e, "seek");
	return io_read_all(fd, IMAGE_TRAILER_MAX, out, e);
}

/*
 * A stack from elsewhere may come with a link to an image of the caller's own in the place of a
 * lower file, and would show it to its program. Links to all files of a stack are the caller's.
 */
static int look_at_lower(const char *top, const char *path, struct stat *ret)
{
	struct stat st;
	_close_ int fd = -1;

	if (lstat(top, &st) < 0 || !S_ISLNK(st.st_mode))
		return lstat(path, ret);
	fd = path_open_source(path, 0, NULL);
	if (fd >= 0)
		return fstat(fd, ret);
	errno = -fd;
	return -1;
}

static int add_lower(struct rootfs_spec *root, size_t i, uint64_t bytes, struct err *e)
{
	_free_ char *path = image_stack_path(root->path, i);
	struct image_id id;
	struct stat st;

	if (!path)
		return err_oom(e);
	if (look_at_lower(root->path, path, &st) < 0)
		return err_sys(e, "%s, which %s lies over", path, root->path);
	if (S_ISLNK(st.st_mode))
		return err_set(e, ELOOP, "%s: a symbolic link, where %s is none", path, root->path);
	image_id_from_stat(&id, &st);
	if (!S_ISREG(st.st_mode) || id.size_bytes != bytes)
		return err_set(e, ESTALE, "%s: not the file that %s lies over", path, root->path);
	return rootfs_add_lower(root, path, &id, e);
}

int image_stack_find(int fd, struct rootfs_spec *root, struct err *e)
{
	_strbuf_ struct strbuf record = STRBUF_INIT;
	uint64_t bytes[SPEC_STACK_MAX - 1];
	int n, r;

	rootfs_free_lowers(root);
	if (root->kind != ROOTFS_SQUASHFS)
		return 0;
	r = read_record(fd, &record, e);
	if (r < 0)
		return err_wrap(e, "%s", root->path);
	n = record.len ? image_stack_decode(record.data, record.len, bytes, e) : 0;
	if (n == -EBADMSG)
		return err_wrap(e, "%s: the record behind the file system", root->path);
	r = n < 0 ? 0 : n; /* of another version, or no record of ours: an image of one file */
	for (int i = 0; r >= 0 && i < n; i++)
		r = add_lower(root, (size_t)i, bytes[i], e);
	return r < 0 ? r : 0;
}

/* --- what a start has to know --------------------------------------------------------------- */

struct parts {
	struct strbuf records[SPEC_STACK_MAX]; /* the lowest first */
	size_t n;
};

static int read_parts(const struct paths *p, int fd, const struct rootfs_spec *root,
		      const struct meta_source *src, struct parts *ret, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i <= root->n_lowers; i++) {
		const struct rootfs_part part = rootfs_part_at(root, i);
		_close_ int lower = -1;

		if (i < root->n_lowers) {
			lower = open(part.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
			if (lower < 0)
				return err_sys(e, "%s", part.path);
		}
		r = meta_cache_get(p, lower < 0 ? fd : lower, root->kind, &part.id, src,
				   &ret->records[ret->n], e);
		ret->n++;
	}
	return r;
}

static bool is_of_users(uint16_t tag)
{
	return tag == META_PASSWD || tag == META_GROUP;
}

#define ALL_OTHERS 0u /* than those that are taken from files of their own */

/* The fields of one tag. False: there is none. */
static bool copy_fields(const struct strbuf *from, unsigned wanted, struct flat_writer *w)
{
	struct flat_reader reader;
	struct flat_field f;
	bool found = false;

	if (flat_open(&reader, from->data, from->len, IMAGE_META_MAGIC, IMAGE_META_VERSION, NULL) <
	    0)
		return false;
	while (flat_next(&reader, &f, NULL) > 0) {
		if (wanted == ALL_OTHERS ? is_of_users(f.tag) || f.tag == META_HAS_USER_XATTRS ||
						   f.tag == META_HAS_SHELL
					 : f.tag != wanted)
			continue;
		flat_bytes(w, f.tag, f.data, f.len);
		found = true;
	}
	return found;
}

static bool has_shell(const struct strbuf *record)
{
	struct image_meta m;
	bool has;

	if (image_meta_decode(&m, record->data, record->len, NULL) < 0)
		return false;
	has = m.has_shell;
	image_meta_free(&m);
	return has;
}

static int merge(const struct parts *parts, struct strbuf *out, struct err *e)
{
	const unsigned users[] = {META_PASSWD, META_GROUP};
	struct flat_writer w;
	bool shell = false;
	int r;

	flat_begin(&w, IMAGE_META_MAGIC, IMAGE_META_VERSION);
	(void)copy_fields(&parts->records[parts->n - 1], ALL_OTHERS, &w);
	for (size_t k = 0; k < sizeof(users) / sizeof(users[0]); k++) {
		for (size_t i = parts->n; i-- && !copy_fields(&parts->records[i], users[k], &w);)
			;
	}
	for (size_t i = 0; i < parts->n; i++)
		shell |= has_shell(&parts->records[i]);
	flat_u64(&w, META_HAS_SHELL, shell);
	(void)copy_fields(&parts->records[0], META_HAS_USER_XATTRS, &w);
	r = flat_end(&w, e);
	if (r >= 0)
		strbuf_add(out, w.buf.data, w.buf.len);
	flat_free(&w);
	return r < 0 ? r : strbuf_check(out, e);
}

int image_stack_meta(const struct paths *p, int fd, const struct rootfs_spec *root,
		     const struct meta_source *src, struct strbuf *ret_record, struct err *e)
{
	struct parts parts = {.n = 0};
	int r;

	if (!root->n_lowers)
		return meta_cache_get(p, fd, root->kind, &root->id, src, ret_record, e);
	r = read_parts(p, fd, root, src, &parts, e);
	if (r >= 0)
		r = merge(&parts, ret_record, e);
	for (size_t i = 0; i < parts.n; i++)
		strbuf_free(&parts.records[i]);
	return r;
}
