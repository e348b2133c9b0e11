/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host directories, files and nodes that the plan mounts. A source is opened twice: by the
 * supervisor, as the user, before anything happens, and here by path again, because a descriptor
 * of the caller's mount namespace cannot be cloned in another one (open_tree: EINVAL). Device and
 * inode must agree: a source that was swapped in between is refused.
 *
 * All are cloned before the base lies over "/" (rootfs.c): ".." and a relative link that lead up
 * to "/" would end on top of it, in the base, and a clone of "/" would carry the base along. So
 * each is a descriptor until its turn, and there may be more than the caller's soft limit allows.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/child/child.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/spec/plan.h"

#define OTHER_FILES 256 /* ours, and what the caller has left open */

static bool has_source(const struct op *op)
{
	return !op->skip && plan_op_has_source(op);
}

static int clone_source(const struct op *op, struct err *e)
{
	bool recursive = (op->kind == OP_BIND && !(op->flags & OP_SINGLE)) || op->kind == OP_COPY;
	_close_ int fd = mount_clone(AT_FDCWD, op->src, recursive, e);
	struct stat st;

	if (fd == -EMFILE)
		return err_set(e, EMFILE,
			       "more mounts than files may be open: raise the limit "
			       "(ulimit -n)");
	if (fd == -EINVAL && op->kind == OP_BIND && !recursive)
		return err_set(e, EINVAL,
			       "%s: mounts lie below it, and the kernel gives them to an ordinary "
			       "user only with what they cover: mount it with them (rbind)",
			       op->src);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", op->src);
	if (st.st_dev != op->dev || st.st_ino != op->ino)
		return err_set(e, ESTALE, "%s: replaced while the container was starting", op->src);
	return take_fd(&fd);
}

/* The directory that a volume lies in, which no program reaches: see copy_up.c. -1: there is none. */
static int open_above(const struct op *op)
{
	const char *slash = op->flags & OP_COPY_UP ? strrchr(op->src, '/') : NULL;
	char path[PATH_MAX];
	_close_ int fd = -1;
	struct stat st;

	if (!slash || !str_eq(slash, "/_data") || (size_t)(slash - op->src) >= sizeof(path))
		return -1;
	memcpy(path, op->src, (size_t)(slash - op->src));
	path[slash - op->src] = 0;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstatat(fd, slash + 1, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    st.st_dev != op->dev || st.st_ino != op->ino)
		return -1;
	return take_fd(&fd);
}

static void raise_limit(struct child *c, size_t n)
{
	struct rlimit raised;

	if (c->had_to_raise || getrlimit(RLIMIT_NOFILE, &c->nofile) < 0 ||
	    c->nofile.rlim_cur > n + OTHER_FILES)
		return;
	raised = c->nofile;
	raised.rlim_cur = raised.rlim_max;
	c->had_to_raise = setrlimit(RLIMIT_NOFILE, &raised) == 0;
}

void sources_restore_limit(const struct child *c)
{
	if (c->had_to_raise)
		(void)setrlimit(RLIMIT_NOFILE, &c->nofile);
}

bool sources_prepare(struct child *c)
{
	c->source_fds = malloc(2 * c->plan->n * sizeof(*c->source_fds));
	for (size_t i = 0; c->source_fds && i < 2 * c->plan->n; i++)
		c->source_fds[i] = -1;
	return c->source_fds;
}

void sources_close(struct child *c)
{
	for (size_t i = 0; c->source_fds && i < 2 * c->plan->n; i++)
		fd_close(&c->source_fds[i]);
	free(c->source_fds);
	c->source_fds = NULL;
}

int sources_clone(struct child *c, struct err *e)
{
	size_t n = c->plan->n;

	raise_limit(c, n);
	if (!c->source_fds && !sources_prepare(c))
		return err_oom(e);
	for (size_t i = 0; i < n; i++) {
		const struct op *op = &c->plan->ops[i];
		int fd;

		if (!has_source(op))
			continue;
		fd = clone_source(op, e);
		if (fd < 0)
			return op->dst ? err_wrap(e, "mount %s", op->dst) : fd;
		c->source_fds[i] = fd;
		c->source_fds[n + i] = open_above(op);
	}
	return 0;
}

int source_take(struct child *c, const struct op *op)
{
	return take_fd(&c->source_fds[op - c->plan->ops]);
}

int source_take_above(struct child *c, const struct op *op)
{
	return take_fd(&c->source_fds[c->plan->n + (size_t)(op - c->plan->ops)]);
}
