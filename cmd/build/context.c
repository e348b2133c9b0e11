/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/context.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/add_url.h"
#include "cmd/build/dockerfile/clean.h"
#include "cmd/build/dockerfile/dockerfile.h"
#include "image/bytes/spool.h"
#include "image/layer/tar.h"
#include "image/pack/tree_unpack.h"
#include "image/source/tar.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/kernel/mount_table.h"
#include "runtime/spec/name.h"
#include "runtime/start/own_dirs.h"
#include "runtime/userns/tree_remove.h"

#define DEFAULT_NAME "Dockerfile"
#define TAR_MAGIC_AT 257u
#define XZ     \
	"\xfd" \
	"7zXZ"

/* --- files of the context -------------------------------------------------------------------- */

/* A regular file beneath the root, links inside followed. */
static int read_inside(int root, const char *path, size_t max, struct strbuf *out, struct err *e)
{
	_close_ int fd = path_open_in_root(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, e);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EISDIR, "%s: is not a file", path);
	return io_read_all(fd, max, out, e);
}

static int read_dockerfile(struct build_context *c, const char *file, struct err *e)
{
	const char *name = file ? file : DEFAULT_NAME;
	_free_ char *whole = str_printf("/%s", name), *clean = whole ? path_clean(whole) : NULL;
	int r;

	c->name = strdup(name);
	if (!clean || !c->name)
		return err_oom(e);
	r = read_inside(c->root, clean, DOCKERFILE_MAX_BYTES, &c->dockerfile, e);
	if (r == -ENOENT || r == -ENOTDIR)
		return err_set(e, ENOENT,
			       "failed to read dockerfile: open %s: no such file or directory",
			       name);
	return r < 0 ? err_wrap(e, "failed to read dockerfile") : 0;
}

/* A file of the caller's own anywhere, as --file names it. */
static int read_outside(struct build_context *c, const char *file, struct err *e)
{
	int r;

	c->name = strdup(file);
	if (!c->name)
		return err_oom(e);
	r = path_read_input(file, DOCKERFILE_MAX_BYTES, &c->dockerfile, e);
	if (r == -ENOENT)
		return err_set(e, ENOENT,
			       "failed to read dockerfile: open %s: no such file or directory",
			       file);
	return r < 0 ? err_wrap(e, "failed to read dockerfile") : 0;
}

/* NAME.dockerignore beside the Dockerfile, else .dockerignore. */
static int read_ignore(struct build_context *c, const char *dockerfile, bool is_outside,
		       struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_free_ char *own = dockerfile ? str_printf("%s.dockerignore", dockerfile) : NULL;
	const char *name = ".dockerignore";
	int r = -ENOENT;

	if (own)
		r = is_outside ? path_read_input(own, IGNORE_MAX_BYTES, &text, e)
			       : read_inside(c->root, own, IGNORE_MAX_BYTES, &text, e);
	if (r == -ENOENT || r == -ENOTDIR)
		r = read_inside(c->root, name, IGNORE_MAX_BYTES, &text, e);
	else
		name = own;
	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r >= 0)
		r = ignore_parse(strbuf_str(&text), text.len, &c->ignored, e);
	return r < 0 ? err_wrap(e, "failed to read %s", name) : 0;
}

/* --- a directory ----------------------------------------------------------------------------- */

static int read_stdin(struct build_context *c, struct err *e)
{
	int r = io_read_all_given(STDIN_FILENO, DOCKERFILE_MAX_BYTES, &c->dockerfile, e);

	c->name = strdup(DEFAULT_NAME);
	return r < 0 ? err_wrap(e, "failed to read dockerfile from stdin") : 0;
}

static int open_directory(struct build_context *c, const char *operand, const char *file,
			  const struct paths *p, struct err *e)
{
	int r = own_dirs_list(p, &c->own, e);

	if (r < 0)
		return r;
	c->root = path_open_input(operand, O_RDONLY | O_DIRECTORY, NULL, e);
	if (c->root == -ENOENT || c->root == -ENOTDIR)
		return err_set(e, -c->root, "unable to prepare context: path \"%s\" not found",
			       operand);
	c->path = c->root < 0 ? NULL : path_of_open(c->root, operand, e);
	if (!c->path || own_dirs_refuse_in(&c->own, c->root, operand, e) < 0)
		return err_wrap(e, "unable to prepare context");
	if (file && str_eq(file, "-")) {
		r = read_stdin(c, e);
		return r < 0 ? r : read_ignore(c, NULL, false, e);
	}
	r = file ? read_outside(c, file, e) : read_dockerfile(c, NULL, e);
	return r < 0 ? r : read_ignore(c, file ? file : DEFAULT_NAME, file, e);
}

/* --- standard input -------------------------------------------------------------------------- */

/* A tar has its magic; a compressed one the magic of gzip, bzip2, xz or zstd. */
bool build_is_archive(int fd)
{
	static const struct {
		const char *magic;
		size_t len, at;
	} kinds[] = {{"\x1f\x8b", 2, 0},
		     {"BZh", 3, 0},
		     {XZ, 5, 0},
		     {"\x28\xb5\x2f\xfd", 4, 0},
		     {"ustar", 5, TAR_MAGIC_AT}};
	char head[TAR_MAGIC_AT + 5] = "";
	ssize_t n = pread(fd, head, sizeof(head), 0);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (n >= (ssize_t)(kinds[i].at + kinds[i].len) &&
		    !memcmp(head + kinds[i].at, kinds[i].magic, kinds[i].len))
			return true;
	}
	return false;
}

bool build_is_tar(int fd)
{
	char magic[5];

	return pread(fd, magic, sizeof(magic), TAR_MAGIC_AT) == sizeof(magic) &&
	       !memcmp(magic, "ustar", sizeof(magic));
}

bool build_is_packed(int fd)
{
	char head[5] = "";

	return pread(fd, head, sizeof(head), 0) == sizeof(head) &&
	       (!memcmp(head, "BZh", 3) || !memcmp(head, XZ, sizeof(head)));
}

static int open_packed(int fd, struct err *e)
{
	_tar_ struct tar *t = NULL;
	struct tar_header first;
	int r = lseek(fd, 0, SEEK_SET) < 0 ? err_sys(e, "archive") : tar_open_fd(&t, fd, e);

	if (r >= 0)
		r = tar_next(t, &first, e);
	if (r <= 0)
		return r < 0 ? r : err_set(e, EBADMSG, "an archive without members");
	r = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return r < 0 ? err_sys(e, "archive") : r;
}

int build_tar_file(int fd, int tmp_dirfd, struct err *e)
{
	_close_ int tar = -1;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, "archive");
	tar = build_is_packed(fd) ? open_packed(fd, e) : tar_plain_file(fd, tmp_dirfd, e);
	if (tar >= 0 && lseek(tar, 0, SEEK_SET) < 0)
		return err_sys(e, "archive");
	return take_fd(&tar);
}

static int unpack(struct build_context *c, int fd, struct err *e)
{
	char id[NAME_ID_DIGITS + 1];
	_close_ int plain = -1;
	int r = name_new_id(id, e);

	if (r < 0)
		return r;
	c->tmp_name = str_printf("new-%s", id);
	if (!c->tmp_name)
		return err_oom(e);
	if (mkdirat(c->tmp_dirfd, c->tmp_name, 0700) < 0)
		return err_sys(e, "unpack the context");
	c->root =
		openat(c->tmp_dirfd, c->tmp_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (c->root < 0)
		return err_sys(e, "unpack the context");
	r = plain = build_tar_file(fd, c->tmp_dirfd, e);
	if (r >= 0) {
		const struct tree_unpack u = {
			.root_fd = c->root, .base = ".", .resolve = TREE_BENEATH};

		r = tree_unpack(&u, plain, e);
	}
	return r < 0 ? err_wrap(e, "unpack the context") : 0;
}

/* A tar, or a text that is a Dockerfile without a context. */
static int open_bytes(struct build_context *c, int fd, const char *file, struct err *e)
{
	const bool is_from_stdin = file && str_eq(file, "-");
	int r;

	if (build_is_archive(fd)) {
		r = unpack(c, fd, e);
		if (r >= 0)
			r = is_from_stdin ? read_stdin(c, e) : read_dockerfile(c, file, e);
		if (r < 0)
			return r;
		return read_ignore(c, is_from_stdin ? NULL : file ? file : DEFAULT_NAME, false, e);
	}
	if (is_from_stdin)
		return err_set(e, EINVAL, "the context is no tar");
	c->name = strdup(DEFAULT_NAME);
	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, "read the context");
	return io_read_all(fd, DOCKERFILE_MAX_BYTES, &c->dockerfile, e);
}

static int open_stdin(struct build_context *c, const char *file, struct err *e)
{
	_close_ int fd = -1;
	int r;

	if (file && str_eq(file, "-"))
		return err_set(e, EINVAL,
			       "invalid argument: can't use stdin for both build context and "
			       "dockerfile");
	r = fd = spool_copy(STDIN_FILENO, c->tmp_dirfd, e);
	if (r < 0)
		return err_wrap(e, "failed to read the context from stdin");
	return open_bytes(c, fd, file, e);
}

/* --- a web server ---------------------------------------------------------------------------- */

static int open_url(struct build_context *c, const char *url, const char *file, struct err *e)
{
	_free_ char *text = strdup(url);
	struct add_url u;
	int r;

	if (!text)
		return err_oom(e);
	r = add_url_open(&u, text, NULL, c->tmp_dirfd, e);
	if (r >= 0)
		r = open_bytes(c, u.fd, file, e);
	add_url_close(&u);
	return r < 0 ? err_wrap(e, "unable to prepare context: %.200s", url) : 0;
}

/* As Docker's command line tells a repository from a file. */
static bool is_git(const char *s)
{
	const size_t len = strcspn(s, "#");

	return str_has_prefix(s, "git://") || str_has_prefix(s, "git@") ||
	       str_has_prefix(s, "ssh://") || str_has_prefix(s, "github.com/") ||
	       (add_url_is(s) && len > 4 && !strncmp(s + len - 4, ".git", 4));
}

int build_context_open(struct build_context *c, const struct build_context_how *how, struct err *e)
{
	const char *operand = how->operand, *file = how->file;
	int r;

	*c = (struct build_context)BUILD_CONTEXT_INIT;
	c->tmp_dirfd = how->tmp_dirfd;
	if (is_git(operand))
		return err_set(
			e, EOPNOTSUPP,
			"%.200s: git repositories are not fetched by csbx: git clone it, then "
			"build the directory",
			operand);
	if (add_url_is(operand) && !how->has_network)
		return err_set(e, EPERM, "%.200s: the build has no network (--network none)",
			       operand);
	r = add_url_is(operand)    ? open_url(c, operand, file, e)
	    : str_eq(operand, "-") ? open_stdin(c, file, e)
				   : open_directory(c, operand, file, how->paths, e);
	if (r >= 0 && !c->dockerfile.len)
		r = err_set(e, EINVAL, "the Dockerfile (%s) cannot be empty",
			    c->name ? c->name : DEFAULT_NAME);
	return r < 0 ? r : 0;
}

void build_context_close(struct build_context *c)
{
	fd_close(&c->root);
	if (c->tmp_name)
		(void)tree_remove(c->tmp_dirfd, c->tmp_name, NULL);
	free(c->tmp_name);
	free(c->path);
	free(c->name);
	strbuf_free(&c->dockerfile);
	ignore_free(&c->ignored);
	strv_free(&c->own);
	*c = (struct build_context)BUILD_CONTEXT_INIT;
}
