/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/child/hook_mounts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/child/child.h"
#include "runtime/spec/fstab.h"
#include "runtime/spec/plan.h"

/* A source that is not there, or closed to the user, is nothing to mount where that may be. */
static int find_source(struct op *op, struct err *e)
{
	struct err why = ERR_INIT;
	_close_ int fd = -1;
	struct stat st;

	if (op->kind != OP_BIND)
		return 0;
	fd = path_open_source(op->src, 0, &why);
	if (fd < 0 || fstat(fd, &st) < 0) {
		if (!(op->flags & OP_OPTIONAL))
			return fd < 0 ? err_set(e, why.code, "%s", why.msg)
				      : err_sys(e, "%s", op->src);
		op->skip = true;
		return 0;
	}
	op->dev = st.st_dev;
	op->ino = st.st_ino;
	if (op->flags & OP_DEVICES && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)))
		op->kind = OP_DEVICE;
	return 0;
}

static int run_op(struct child *c, struct op *op, struct err *e)
{
	switch (op->kind) {
	case OP_BIND:
		return mount_bind(c, op, e);
	case OP_DEVICE:
		return mount_device(c, op, e);
	case OP_TMPFS:
		return mount_tmpfs(c, op, e);
	default:
		return mount_self(c, op, e);
	}
}

/* One operation as a plan of its own: a source is cloned as those of the plan were. */
static int make(struct child *c, struct op *op, struct err *e)
{
	const struct plan *outer = c->plan, one = {.ops = op, .n = 1};
	int *outer_fds = c->source_fds, r = find_source(op, e);

	if (r < 0 || op->skip)
		return r;
	c->plan = &one;
	r = sources_clone(c, e);
	if (r >= 0)
		r = run_op(c, op, e);
	free(c->source_fds);
	c->plan = outer;
	c->source_fds = outer_fds;
	return r;
}

static int make_line(struct child *c, const struct fstab_entry *x, struct err *e)
{
	_free_ char *absolute = NULL;
	const char *cwd = c->spec->hooks.cwd;
	struct op op;

	if (x->kind != FSTAB_MOUNT)
		return err_set(e, EINVAL, "a hook can only add mounts");
	if (x->is_kernel)
		return err_set(e, EINVAL, "a file system of that type cannot be mounted");
	plan_mount_op(&x->mount, &op);
	if (op.kind == OP_BIND && *op.src != '/') {
		absolute = str_printf("%s/%s", cwd ? cwd : "", op.src);
		if (!absolute)
			return err_oom(e);
		op.src = absolute;
	}
	return make(c, &op, e);
}

int hook_mounts_make(struct child *c, const char *text, size_t len, const char *root, struct err *e)
{
	for (unsigned number = 1; len; number++) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;
		struct fstab_entry x;
		int r = fstab_parse_line(text, n, root, &x, e);

		if (r > 0) {
			r = make_line(c, &x, e);
			if (r < 0 && x.mount.optional)
				r = 0;
			fstab_entry_free(&x);
		}
		if (r < 0)
			return err_wrap(e, "line %u", number);
		n += end != NULL;
		text += n;
		len -= n;
	}
	return 0;
}
