/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/unpack.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/context.h"
#include "cmd/build/select.h"
#include "image/pack/tree_unpack.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

int unpack_announce(const struct unpack_job *j, const struct selection *s, struct err *e)
{
	_strbuf_ struct strbuf head = STRBUF_INIT;

	strbuf_addf(&head, "%c%s", s->is_one_file ? 'F' : 'D',
		    s->is_one_file && s->n ? s->items[0].to : "");
	strbuf_addch(&head, 0);
	return strbuf_check(&head, e) < 0 ? -ENOMEM
					  : io_write_all(j->tar_in, head.data, head.len, e);
}

/* *ret_name: of the one file, "" = there are others or a directory. */
static int read_head(const struct unpack_job *j, char ret_name[PATH_MAX], struct err *e)
{
	char kind;
	size_t n = 0;
	int r = io_read_exact(j->tar_out, &kind, 1, e);

	while (r >= 0 && n < PATH_MAX) {
		r = io_read_exact(j->tar_out, &ret_name[n], 1, e);
		if (r >= 0 && !ret_name[n++])
			return 0;
	}
	return r < 0 ? r : err_set(e, EBADMSG, "a name too long");
}

static bool is_directory(int root, const char *path)
{
	int fd = path_open_in_root(root, path, O_PATH | O_DIRECTORY, 0, NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int unpack_at(int root, const char *base, const char *from, const char *to, int tar,
		     struct err *e)
{
	const struct tree_unpack u = {
		.root_fd = root,
		.base = base,
		.resolve = TREE_IN_ROOT,
		.from = from,
		.to = to,
		.keep_owner = true,
	};
	int fd = path_mkdirs_in_root(root, base, e), r;

	if (fd < 0)
		return err_wrap(e, "%.200s", base);
	close(fd);
	r = tree_unpack(&u, tar, e);
	return r < 0 ? err_wrap(e, "%.200s", base) : 0;
}

static int take_files(const struct unpack_job *j, int root, const char *dest, bool is_dir,
		      struct err *e)
{
	char name[PATH_MAX];
	_free_ char *parent = NULL;
	const char *slash;
	int r = read_head(j, name, e);

	if (r < 0)
		return r;
	if (!*name || is_dir || is_directory(root, dest))
		return unpack_at(root, dest, NULL, NULL, j->tar_out, e);
	slash = strrchr(dest, '/');
	parent = slash == dest ? strdup("/") : strndup(dest, (size_t)(slash - dest));
	if (!parent)
		return err_oom(e);
	return unpack_at(root, parent, name, slash + 1, j->tar_out, e);
}

int unpack_run(const struct unpack_job *j, int root, struct err *e)
{
	size_t len = strlen(j->dest);
	bool is_dir = j->dest[len - 1] == '/';
	_free_ char *dest = strndup(j->dest, len > 1 && is_dir ? len - 1 : len);
	int r;

	if (!dest)
		return err_oom(e);
	r = take_files(j, root, dest, is_dir || j->n_archives, e);
	for (unsigned i = 0; r >= 0 && i < j->n_archives; i++) {
		if (lseek(j->archives[i], 0, SEEK_SET) < 0)
			return err_sys(e, "read an archive");
		r = unpack_at(root, dest, NULL, NULL, j->archives[i], e);
	}
	return r;
}

/* --- archives -------------------------------------------------------------------------------- */

/*
 * 1 and a tar of it; 0: it is none, whatever its name says. It is read from a copy, which has the
 * content that was hashed.
 */
static int open_archive(const struct selected *x, int context, int tmp_dirfd, int *ret,
			struct err *e)
{
	_close_ int fd = selected_open(x, context, NULL);
	_close_ int copy = -1, plain = -1;

	if (fd < 0 || !build_is_archive(fd))
		return 0;
	copy = selected_copy(x, context, tmp_dirfd, e);
	if (copy < 0)
		return copy;
	plain = build_tar_file(copy, tmp_dirfd, NULL);
	if (plain < 0 || !(build_is_tar(plain) || build_is_packed(copy)))
		return 0;
	*ret = take_fd(&plain);
	return 1;
}

static int add_archive(struct unpack_job *j, const struct selected *x, int context, int tmp_dirfd,
		       struct err *e)
{
	int fd = -1, r = 0;

	if (x->is_named && S_ISREG(x->mode))
		r = open_archive(x, context, tmp_dirfd, &fd, e);
	if (r <= 0)
		return r;
	if (j->n_archives == UNPACK_ARCHIVES_MAX) {
		close(fd);
		return err_set(e, E2BIG, "ADD of more than %u archives", UNPACK_ARCHIVES_MAX);
	}
	j->archives[j->n_archives++] = fd;
	return 1;
}

int unpack_find_archives(struct unpack_job *j, struct selection *s, int context, int tmp_dirfd,
			 struct err *e)
{
	size_t left = 0;
	int r = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct selected *x = &s->items[i];

		if (r >= 0)
			r = add_archive(j, x, context, tmp_dirfd, e);
		if (r <= 0) {
			s->items[left++] = *x;
			continue;
		}
		free(x->from);
		free(x->to);
		free(x->link);
	}
	s->n = left;
	s->is_one_file &= left == 1;
	return r < 0 ? r : 0;
}

void unpack_close(struct unpack_job *j)
{
	for (unsigned i = 0; i < j->n_archives; i++)
		fd_close(&j->archives[i]);
	j->n_archives = 0;
}
