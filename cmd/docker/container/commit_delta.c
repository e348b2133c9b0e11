/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A process of its own enters the container's user namespace, in which the layer's files have the
 * owners that the container sees, and makes the image there.
 */
#include "cmd/docker/container/commit_delta.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/image/container_files.h"
#include "cmd/image/delta_image.h"
#include "cmd/image/settings.h"
#include "cmd/options/run_opts.h"
#include "image/import/import.h"
#include "image/model/source.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_root.h"
#include "runtime/record/container_find.h"

struct delta {
	struct docker *d;
	const struct commit_delta *c;
	struct delta_below below;
	struct container_files files;
	struct run_opts run;
	struct image_settings settings;
	pid_t caller;
};

static int not_here(const char *why, struct err *e)
{
	return err_set(e, EOPNOTSUPP, "%s", why);
}

/* --- what there is -------------------------------------------------------------------------- */

static int find_files(struct delta *x, struct err *e)
{
	const char *id = x->c->container->record.image_digest;
	const struct rootfs_spec *root = &x->run.spec.rootfs;
	int r;

	if (!x->c->container->record.spec || !id || !image_id_hex(id))
		return not_here("not made of an image of the table", e);
	x->files.only_looks = true;
	r = container_files_open(&x->d->cmd, x->c->container->name, &x->run, &x->files, e);
	if (r < 0)
		return r;
	if (x->files.layer.dir < 0 || root->layers.n)
		return not_here("no layer over an image", e);
	return delta_below_find(x->c->dirfd, id, root, &x->below, e);
}

/* --- in the container's user namespace ------------------------------------------------------ */

static int open_upper(const struct delta *x, struct err *e)
{
	int fd = openat(x->files.layer.dir, "upper",
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? err_sys(e, "layer") : fd;
}

static int configure(void *arg, struct image_source *src, struct err *e)
{
	const struct delta *x = arg;

	return tar_image_config(x->c->image, x->c->config, &x->below.record.diff_ids, src, e);
}

static int enter(const struct delta *x, struct err *e)
{
	const struct container_root inside = {.root_fd = -1, .userns_fd = x->files.link.userns_fd};
	int r = container_root_enter(&inside, e);

	return r < 0 ? r : container_root_die_with(x->caller, e);
}

static int make_image(struct delta *x, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	const struct import_options o = output_opts_import(&x->settings.output);
	_free_ char *ref = str_printf("commit:%s", x->c->container->name);
	_strv_ struct strv names = STRV_INIT;
	_close_ int upper = -1;
	int r = ref ? enter(x, e) : err_oom(e);

	if (r >= 0)
		r = upper = open_upper(x, e);
	if (x->c->image->name)
		strv_add(&names, x->c->image->name);
	if (r >= 0)
		r = strv_check(&names, e);
	if (r < 0)
		return r;

	const struct delta_image image = {
		.dirfd = x->c->dirfd,
		.ref = ref,
		.below = &x->below,
		.uppers = {.fds = {upper}, .n = 1},
		.names = &names,
		.options = &o,
		.configure = configure,
		.arg = x,
	};

	return delta_image_add(&image, ret_id, e);
}

/* --- all of it ------------------------------------------------------------------------------ */

struct answer {
	struct err err;
	char id[IMAGE_ID_BYTES];
};

static int make_apart(struct delta *x, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	struct answer a = {.err = ERR_INIT};
	_close_ int rd = -1, wr = -1;
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	rd = fds[0];
	wr = fds[1];
	x->caller = getpid();
	pid = fork();
	if (!pid) {
		(void)make_image(x, a.id, &a.err);
		_exit(write(wr, &a, sizeof(a)) != (ssize_t)sizeof(a));
	}
	if (pid < 0)
		return err_sys(e, "fork");
	fd_close(&wr);
	do {
		n = read(rd, &a, sizeof(a));
	} while (n < 0 && errno == EINTR);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n != (ssize_t)sizeof(a))
		return err_set(e, EIO, "who made the image died");
	if (a.err.code && e)
		*e = a.err;
	memcpy(ret_id, a.id, IMAGE_ID_BYTES);
	return -a.err.code;
}

int commit_delta(struct docker *d, const struct commit_delta *c, char ret_id[IMAGE_ID_BYTES],
		 struct err *e)
{
	struct delta x = {.d = d, .c = c, .files = CONTAINER_FILES_INIT};
	int r;

	run_opts_init(&x.run);
	r = image_settings_read(&d->cmd, &x.settings, e);
	if (r >= 0)
		r = find_files(&x, e);
	if (r >= 0)
		r = make_apart(&x, ret_id, e);
	container_files_close(&x.files);
	delta_below_free(&x.below);
	image_settings_done(&x.settings);
	run_opts_done(&x.run);
	return r;
}
