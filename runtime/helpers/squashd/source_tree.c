/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/source_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/helpers/squashd/image/sqpath.h"

#define CHUNK 65536

int source_tree_open(int fd, bool is_dir, struct source_tree *ret, struct err *e)
{
	*ret = (struct source_tree){.dirfd = -1};
	if (is_dir) {
		ret->dirfd = fd;
		return 0;
	}
	return sqimage_open(fd, &ret->image, e);
}

void source_tree_close(struct source_tree *t)
{
	sqimage_close(t->image);
	t->image = NULL;
}

/* Tells "no such file" from a fault that must be told. */
static bool is_absent(int r)
{
	return r == -ENOENT || r == -ENOTDIR || r == -ELOOP || r == -ENAMETOOLONG;
}

static int read_image_file(struct sqimage *img, const struct sqnode *file, struct strbuf *out)
{
	char chunk[CHUNK];

	for (uint64_t at = 0; at < file->size;) {
		ssize_t n = sqimage_read(img, file, at, chunk, sizeof(chunk));

		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		strbuf_add(out, chunk, (size_t)n);
		at += (uint64_t)n;
	}
	return 1;
}

static int read_from_image(struct source_tree *t, const char *path, size_t max, struct strbuf *out,
			   struct err *e)
{
	struct sqnode node;
	int r = sqpath_resolve(t->image, path, &node);

	if (is_absent(r) || (r >= 0 && !S_ISREG(node.mode)))
		return 0;
	if (r >= 0 && node.size > max)
		return err_set(e, EFBIG, "%s: larger than %zu bytes", path, max);
	if (r >= 0)
		r = read_image_file(t->image, &node, out);
	return r < 0 ? err_code(e, r, "%s: damaged image", path) : r;
}

static int read_from_dir(struct source_tree *t, const char *path, size_t max, struct strbuf *out,
			 struct err *e)
{
	_close_ int fd = path_open_in_root(t->dirfd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, e);
	struct stat st;
	int r;

	/* A file that only its owner may read is none of ours. */
	if (is_absent(fd) || fd == -EACCES || fd == -ENXIO)
		return 0;
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	if (!S_ISREG(st.st_mode))
		return 0;
	r = io_read_all(fd, max, out, e);
	return r < 0 ? err_wrap(e, "%s", path) : 1;
}

int source_tree_read(struct source_tree *t, const char *path, size_t max, struct strbuf *out,
		     struct err *e)
{
	int r = t->image ? read_from_image(t, path, max, out, e)
			 : read_from_dir(t, path, max, out, e);

	if (r > 0 && strbuf_check(out, e) < 0)
		return -ENOMEM;
	return r;
}

static bool is_opaque(struct sqimage *img, const struct sqnode *dir)
{
	char name[SQXATTR_NAME_MAX + 1];
	struct sqxattr x;
	int r = sqxattr_open(img, dir, &x);

	while (r >= 0 && (r = sqxattr_next(&x, name)) > 0) {
		if (str_eq(name, "user.overlay.opaque"))
			return true;
	}
	return false;
}

bool source_tree_hides(struct source_tree *t, const char *directory, const char *name)
{
	struct sqnode dir, node;
	uint64_t id;
	int r = t->image ? sqpath_resolve(t->image, directory, &dir) : -ENOENT;

	if (r < 0)
		return false;
	if (!S_ISDIR(dir.mode))
		return true;
	r = sqimage_lookup(t->image, &dir, name, &id);
	if (r == 0) {
		sqimage_lies_above(t->image);
		return is_opaque(t->image, &dir);
	}
	return r > 0 && sqimage_node(t->image, id, &node) >= 0 &&
	       (S_ISCHR(node.mode) || S_ISDIR(node.mode));
}

bool source_tree_is_program(struct source_tree *t, const char *path)
{
	struct sqnode node;
	struct stat st;
	_close_ int fd = -1;

	if (t->image)
		return sqpath_resolve(t->image, path, &node) >= 0 && S_ISREG(node.mode) &&
		       (node.mode & 0111);
	fd = path_open_in_root(t->dirfd, path, O_PATH, 0, NULL);
	return fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && (st.st_mode & 0111);
}
