/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/own_dirs_view.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/child/child.h"
#include "runtime/spec/plan.h"
#include "runtime/spec/spec.h"
#include "runtime/start/own_dirs.h"

struct own_view {
	struct strv own;
	struct plan plan;
	struct child child; /* of a start: what hides looks at no more of it than this fills in */
};

/* A source that is not there may be by the time it is mounted: it only cannot be refused. */
static int add_mount(struct plan *plan, const struct mount_spec *m, struct err *e)
{
	char link[40], real[PATH_MAX];
	struct err why = ERR_INIT;
	_close_ int fd = -1;
	struct op *op;
	ssize_t n;

	if (m->kind != MOUNT_BIND || !m->source)
		return 0;
	fd = path_open_source(m->source, 0, &why);
	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR
			       ? 0
			       : err_set(e, why.code, "mount %s: %s", m->source, why.msg);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real) - 1);
	if (n < 0)
		return err_sys(e, "%s", m->source);
	real[n] = 0;
	op = &plan->ops[plan->n++];
	plan_mount_op(m, op);
	op->real = strdup(real);
	return op->real ? 0 : err_oom(e);
}

static int fill(struct own_view *v, const struct paths *p, const struct mount_spec *mounts,
		size_t n, struct err *e)
{
	int r = own_dirs_list(p, &v->own, e);

	if (r < 0)
		return r;
	v->plan.ops = calloc(n + v->own.n, sizeof(*v->plan.ops));
	if (!v->plan.ops)
		return err_oom(e);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = add_mount(&v->plan, &mounts[i], e);
	for (size_t i = 0; i < v->own.n && n; i++)
		v->plan.ops[v->plan.n++] = (struct op){.kind = OP_HIDE, .src = v->own.items[i]};
	return r < 0 ? r : own_dirs_settle(&v->plan, p, (struct own_dirs_facts){.has_hooks = false}, e);
}

int own_view_open(const struct paths *p, const struct mount_spec *mounts, size_t n,
		  struct own_view **ret, struct err *e)
{
	struct own_view *v = calloc(1, sizeof(*v));
	int r;

	*ret = v;
	if (!v)
		return err_oom(e);
	v->child.plan = &v->plan;
	v->child.clean_proc_fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	r = v->child.clean_proc_fd < 0 ? err_sys(e, "open /proc") : fill(v, p, mounts, n, e);
	if (r < 0)
		own_view_close(ret);
	return r;
}

void own_view_close(struct own_view **view)
{
	struct own_view *v = take_ptr(*view);

	if (!v)
		return;
	fd_close(&v->child.clean_proc_fd);
	if (v->child.cover_fd > 0)
		fd_close(&v->child.cover_fd);
	plan_free(&v->plan);
	strv_free(&v->own);
	free(v);
}

int own_view_hide(void *view, int root, struct err *e)
{
	struct own_view *v = view;

	v->child.root_fd = root;
	return hide_so_far(&v->child, e);
}
