/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process of its own enters the container's user namespace, in which the layer's files have the
 * owners that the container sees, and makes the image there. The layer is read twice: as the tar
 * that its diff_id is the digest of, and into the squashfs.
 */
#include "cmd/docker/container/commit_delta.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/image/container_files.h"
#include "cmd/image/image_add.h"
#include "cmd/image/settings.h"
#include "cmd/options/run_opts.h"
#include "image/bytes/spool.h"
#include "image/import/import.h"
#include "image/layer/tar.h"
#include "image/model/source.h"
#include "image/pack/tar_out.h"
#include "image/pack/tree_pack.h"
#include "image/source/tar_source.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_root.h"
#include "runtime/record/container_find.h"

struct delta {
	struct docker *d;
	const struct commit_delta *c;
	struct image_record below; /* the image's */
	struct container_files files;
	struct run_opts run;
	struct image_settings settings;
	uint64_t lower_bytes[SPEC_STACK_MAX];
	const char *lower_paths[SPEC_STACK_MAX];
	unsigned n_lowers;
	pid_t caller;
};

static int not_here(const char *why, struct err *e)
{
	return err_set(e, EOPNOTSUPP, "%s", why);
}

/* --- what there is -------------------------------------------------------------------------- */

static int find_below(struct delta *x, struct err *e)
{
	const char *id = x->c->container->record.image_digest;

	if (!x->c->container->record.spec || !id || !image_id_hex(id))
		return not_here("not made of an image of the table", e);
	if (image_table_read(x->c->dirfd, id, &x->below, NULL) < 0)
		return not_here("its image is gone", e);
	return 0;
}

static int find_files(struct delta *x, struct err *e)
{
	struct rootfs_spec *root = &x->run.spec.rootfs;
	int r;

	x->files.only_looks = true;
	r = container_files_open(&x->d->cmd, x->c->container->name, &x->run, &x->files, e);
	if (r < 0)
		return r;
	if (x->files.layer.dir < 0 || root->kind != ROOTFS_SQUASHFS || root->layers.n)
		return not_here("no layer over an image", e);
	if (root->n_lowers + 1 >= SPEC_STACK_MAX)
		return not_here("the stack is as high as one may be", e);
	for (size_t i = 0; i <= root->n_lowers; i++) {
		const struct rootfs_part part = rootfs_part_at(root, i);

		x->lower_bytes[i] = part.id.size_bytes;
		x->lower_paths[i] = i < root->n_lowers ? root->lowers[i].path : root->path;
	}
	x->n_lowers = (unsigned)root->n_lowers + 1;
	return 0;
}

/* --- in the container's user namespace ------------------------------------------------------ */

static int open_upper(const struct delta *x, struct err *e)
{
	int fd = openat(x->files.layer.dir, "upper",
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? err_sys(e, "layer") : fd;
}

static int hash_layer(const struct delta *x, int upper, struct digest *ret, struct err *e)
{
	_spool_ struct spool spool = SPOOL_INIT;
	struct tar_out out;
	off_t bytes;
	int r = spool_open(&spool, x->c->dirfd, e);

	if (r < 0)
		return r;
	tar_out_init(&out, spool.fd);
	r = tree_pack(upper, "", TREE_DEVICES_WHITEOUTS, &out, e);
	if (r >= 0)
		r = tar_out_end(&out, e);
	tar_out_free(&out);
	bytes = r < 0 ? 0 : lseek(spool.fd, 0, SEEK_END);
	return r < 0 ? r : tar_hash(spool.fd, (uint64_t)bytes, ret, e);
}

static int open_source(const struct delta *x, struct image_source *src, struct err *e)
{
	_close_ int upper = open_upper(x, e);
	int r;

	*src = (struct image_source){.is_our_image = true};
	if (upper < 0)
		return upper;
	src->layers = calloc(1, sizeof(*src->layers));
	src->ref = str_printf("commit:%s", x->c->container->name);
	if (!src->layers || !src->ref)
		return err_set(e, ENOMEM, "out of memory");
	src->layers[0] = (struct source_layer){
		.kind = LAYER_DIRECTORY, .size_bytes = UINT64_MAX, .fd = -1, .owns_fd = true};
	src->n_layers = 1;
	r = hash_layer(x, upper, &src->layers[0].diff_id, e);
	src->layers[0].fd = take_fd(&upper);
	return r < 0 ? r : tar_image_config(x->c->image, x->c->config, &x->below.diff_ids, src, e);
}

static int make_image(struct delta *x, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	const struct container_root inside = {.root_fd = -1, .userns_fd = x->files.link.userns_fd};
	struct import_options o = output_opts_import(&x->settings.output);
	_strv_ struct strv names = STRV_INIT;
	const struct image_add_names n = {
		.names = &names, .options = &o, .lower_paths = x->lower_paths,
		.lower_size_bytes = x->below.size_bytes};
	struct image_source src;
	int r = container_root_enter(&inside, e);

	if (r < 0)
		return r;
	r = container_root_die_with(x->caller, e);
	if (r < 0)
		return r;
	o.lower_bytes = x->lower_bytes;
	o.n_lowers = x->n_lowers;
	if (x->c->image->name)
		strv_add(&names, x->c->image->name);
	r = strv_check(&names, e);
	if (r >= 0)
		r = open_source(x, &src, e);
	else
		src = (struct image_source){0};
	if (r >= 0)
		r = image_add_named(x->c->dirfd, &src, &n, ret_id, NULL, e);
	source_close(&src);
	return r;
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
		r = find_below(&x, e);
	if (r >= 0)
		r = find_files(&x, e);
	if (r >= 0)
		r = make_apart(&x, ret_id, e);
	container_files_close(&x.files);
	image_record_free(&x.below);
	image_settings_done(&x.settings);
	run_opts_done(&x.run);
	return r;
}
