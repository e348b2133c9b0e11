/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/container_changes.h"

#include <fcntl.h>

#include "cmd/image/container_files.h"
#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/life/container_root.h"
#include "runtime/layer/merged_view.h"

/*
 * Opens the files below the layer, as seen from the container's user namespace, which the process
 * enters for good. It looks at one directory where it is; it merges several.
 */
static int open_lower(const struct container_files *f, const struct container_spec *s,
		      struct err *e)
{
	const struct rootfs_spec *root = f->unpacked.root.path ? &f->unpacked.root : &s->rootfs;
	const struct container_root inside = {.root_fd = -1, .userns_fd = f->link.userns_fd};
	struct merged_view below = {.userns_fd = f->link.userns_fd,
				    .root = root,
				    .image_fds = f->link.image_fds,
				    .layer_fd = -1};
	_close_ int fd = -1;
	int r;

	if (root->n_lowers || root->layers.n)
		return merged_view_enter(&below, e);
	fd = root->kind == ROOTFS_DIRECTORY ? open(root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
					    : fcntl(f->link.image_fds[0], F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return err_sys(e, "%s", root->path);
	r = container_root_enter(&inside, e);
	return r < 0 ? r : take_fd(&fd);
}

static int compare(const struct container_files *f, const struct container_spec *s,
		   struct layer_changes *ret, struct err *e)
{
	_close_ int upper = -1, lower = -1;

	if (f->layer.dir < 0)
		return 0;
	/* It enters the container's user namespace, where a closed directory can be read. */
	lower = open_lower(f, s, e);
	if (lower < 0)
		return lower;
	upper = openat(f->layer.dir, "upper", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (upper < 0)
		return errno == ENOENT ? 0 : err_sys(e, "layer");
	return layer_diff(upper, lower, ret, e);
}

int container_changes(struct cmd *c, const char *operand, struct layer_changes *ret, struct err *e)
{
	struct container_files f = CONTAINER_FILES_INIT;
	struct run_opts o;
	int r;

	f.only_looks = true;
	run_opts_init(&o);
	r = container_files_open(c, operand + (*operand == '/'), &o, &f, e);
	if (r == -ENOENT)
		err_set(e, ENOENT, "No such container: %s", operand);
	if (r >= 0)
		r = compare(&f, &o.spec, ret, e);
	container_files_close(&f);
	run_opts_done(&o);
	return r;
}
