/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cgroup/parent.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/cgroup/scope.h"
#include "runtime/settings/paths.h"

static bool holds_processes(int fd)
{
	char text[16];

	return cgroup_read(fd, "cgroup.procs", text, sizeof(text)) < 0 || *text;
}

/* The group that we come from is below it: the common ancestor is this group itself. */
static bool is_usable(const char *path, struct cgroup_parent *ret)
{
	_close_ int fd = cgroup_open(path, NULL);

	if (fd < 0 || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0 ||
	    faccessat(fd, "cgroup.procs", W_OK, AT_EACCESS) < 0 || holds_processes(fd))
		return false;
	ret->offers = cgroup_read_controllers(fd, "cgroup.subtree_control");
	ret->path = str_printf("%s", path);
	ret->fd = take_fd(&fd);
	return ret->path;
}

/* The nearest that offers all that is needed, else the one that offers most of it. */
static void find_ancestor(char *dir, size_t floor_len, unsigned need, struct cgroup_parent *best)
{
	while ((best->offers & need) != need) {
		struct cgroup_parent p = CGROUP_PARENT_INIT;
		char *slash;

		if (is_usable(dir, &p) &&
		    __builtin_popcount(p.offers & need) > __builtin_popcount(best->offers & need)) {
			cgroup_parent_close(best);
			*best = p;
			best->rule = CGROUP_RULE_ANCESTOR;
		} else {
			cgroup_parent_close(&p);
		}
		slash = strrchr(dir, '/');
		if (!slash || (size_t)(slash - dir) < floor_len)
			return;
		*slash = 0;
	}
}

/* True when the group fd is, or lies below, the directory path. */
static bool is_below(int fd, const char *path)
{
	_close_ int at = openat(fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat top, st;
	dev_t dev = 0;

	if (stat(path, &top) < 0)
		return false;
	while (at >= 0 && fstat(at, &st) == 0 && (!dev || st.st_dev == dev)) {
		int up;

		if (st.st_dev == top.st_dev && st.st_ino == top.st_ino)
			return true;
		dev = st.st_dev;
		up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		fd_close(&at);
		at = up;
	}
	return false;
}

/* A batch job's processes stay in its group, whatever is configured. */
static int check_in_job(const struct cgroup_parent *p, struct err *e)
{
	_free_ char *dir = NULL;
	size_t floor_len;

	if (!cgroup_batch_job() || cgroup_own_directory(&dir, &floor_len, NULL) < 0)
		return 0;
	dir[floor_len] = 0;
	return is_below(p->fd, dir)
		       ? 0
		       : err_set(e, EPERM, "%s: outside of the batch job's %s", p->path, dir);
}

static int open_named(const char *path, unsigned need, struct cgroup_parent *ret, struct err *e)
{
	int r = cgroup_parent_open(path, need, ret, e);

	if (r >= 0)
		r = check_in_job(ret, e);
	ret->rule = CGROUP_RULE_NAMED;
	return r < 0 ? err_wrap(e, "CSBX_CGROUP_PARENT") : 0;
}

/* Takes the place of an ancestor that offers less. */
static void try_scope(const struct paths *p, const char *id, unsigned need,
		      struct cgroup_parent *best, struct err *e)
{
	struct cgroup_parent scope = CGROUP_PARENT_INIT;
	int r = cgroup_scope_enter(p, id, need, &scope, e);

	if (r >= 0 && (best->fd < 0 || __builtin_popcount(scope.offers & need) >
					       __builtin_popcount(best->offers & need))) {
		cgroup_parent_close(best);
		*best = scope;
	} else {
		cgroup_parent_close(&scope);
	}
}

int cgroup_parent_find(const struct paths *p, unsigned need, const char *scope_id,
		       struct cgroup_parent *ret, struct err *e)
{
	_free_ char *dir = NULL;
	size_t floor_len;
	int r;

	*ret = (struct cgroup_parent)CGROUP_PARENT_INIT;
	if (p->cgroup_parent) {
		if (str_eq(p->cgroup_parent, "none"))
			return err_set(e, ENOENT, "CSBX_CGROUP_PARENT is none");
		return open_named(p->cgroup_parent, need, ret, e);
	}
	r = cgroup_own_directory(&dir, &floor_len, e);
	if (r < 0)
		return r;
	find_ancestor(dir, floor_len, need, ret);
	if ((ret->offers & need) == need)
		return 0;
	if (scope_id && !cgroup_batch_job())
		try_scope(p, scope_id, need, ret, e);
	else
		err_set(e, EACCES, "no group above our own is delegated to us");
	return ret->fd >= 0 ? 0 : -EACCES;
}
