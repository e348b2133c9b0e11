/* SPDX-License-Identifier: Apache-2.0 */
#include "image/source/source.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "image/oci/fileset.h"
#include "image/oci/layout.h"
#include "image/oci/image.h"
#include "image/oci/platform.h"
#include "image/source/registry.h"
#include "image/source/sniff.h"
#include "image/oci/source_uri.h"
#include "image/bytes/spool.h"
#include "image/store/store.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

/*
 * Opening goes from the outside in: the URI, the file or directory it names (a pipe is spooled),
 * what that is (where the user did not say), the outer tar (a compressed one is spooled), and
 * last the reader for its kind. Descriptors that layers share move into s->fds, so that
 * source_close() is all there is to clean up.
 */
struct opening {
	struct image_source *s;
	const struct source_options *o;
	struct source_uri uri;
	struct platform platform;
	struct image_wish wish;
	int fd; /* what the path names; taken by keep() */
};

static int keep(struct opening *op, struct err *e)
{
	int *fds = reallocarray(op->s->fds, op->s->n_fds + 1, sizeof(*fds));

	if (!fds)
		return err_oom(e);
	op->s->fds = fds;
	fds[op->s->n_fds++] = op->fd;
	return take_fd(&op->fd);
}

static int add_layer(struct opening *op, const struct source_layer *layer, struct err *e)
{
	op->s->layers = calloc(1, sizeof(*layer));
	if (!op->s->layers)
		return err_oom(e);
	op->s->layers[0] = *layer;
	op->s->n_layers = 1;
	return 0;
}

static bool path_exists(const char *path)
{
	return !faccessat(AT_FDCWD, path, F_OK, 0);
}

static bool is_engine(enum source_kind kind)
{
	return kind == SOURCE_DOCKERD || kind == SOURCE_PODMAN;
}

/* Replaces op->fd by a copy that can be read at any place. */
static int spool(struct opening *op, int (*copy)(int fd, int tmp_dirfd, struct err *e),
		 struct err *e)
{
	int fd = copy(op->fd, op->o->tmp_dirfd, e);

	if (fd < 0)
		return fd;
	fd_close(&op->fd);
	op->fd = fd;
	return 0;
}

static int open_given(const char *path, struct err *e)
{
	int fd;

	if (!str_eq(path, "-"))
		return path_open_input(path, O_RDONLY, NULL, e);
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? err_sys(e, "standard input") : fd;
}

/* Opens what the path names, or copies it from an engine; afterwards it is a directory or a regular
 * file. */
static int open_path(struct opening *op, struct err *e)
{
	const char *path = op->uri.path;
	struct stat st;

	if (is_engine(op->uri.kind)) {
		op->fd = engine_save(op->uri.kind == SOURCE_DOCKERD ? ENGINE_DOCKER : ENGINE_PODMAN,
				     path, &op->o->engine, op->o->tmp_dirfd, e);
		return op->fd;
	}
	op->fd = open_given(path, e);
	if (op->fd < 0)
		return op->fd;
	if (fstat(op->fd, &st) < 0)
		return err_sys(e, "%s", str_eq(path, "-") ? "standard input" : path);
	if (S_ISDIR(st.st_mode))
		return 0;
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return spool(op, spool_copy, e);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "%s: neither a file nor a pipe nor a directory",
			       str_eq(path, "-") ? "standard input" : path);
	/* Somebody read the beginning of a redirected file: only the rest of it is meant. */
	if (str_eq(path, "-") && lseek(op->fd, 0, SEEK_CUR) > 0)
		return spool(op, spool_copy, e);
	return 0;
}

static bool wants_directory(enum source_kind kind)
{
	return kind == SOURCE_OCI_LAYOUT || kind == SOURCE_DIRECTORY;
}

/* Decides the kind where it is open, and refuses a file where a directory is needed. */
static int settle_kind(struct opening *op, struct err *e)
{
	struct stat st;
	int r;

	if (fstat(op->fd, &st) < 0)
		return err_sys(e, "stat");
	if (op->uri.kind == SOURCE_SNIFF && S_ISDIR(st.st_mode)) {
		op->uri.kind = sniff_directory(op->fd);
	} else if (op->uri.kind == SOURCE_SNIFF) {
		r = sniff_file(op->fd, e);
		if (r < 0)
			return r;
		op->uri.kind = (enum source_kind)r;
	}
	if (wants_directory(op->uri.kind) && !S_ISDIR(st.st_mode))
		return err_set(
			e, ENOTDIR,
			"%s: not a directory (a file is oci-archive:, docker-archive: or tar:)",
			op->uri.path);
	if (!wants_directory(op->uri.kind) && S_ISDIR(st.st_mode))
		return err_set(
			e, EISDIR,
			"%s: a directory (use oci: for a layout, dir: for a root file system)",
			op->uri.path);
	return 0;
}

static int open_layout(struct opening *op, struct err *e)
{
	_fileset_ struct fileset f = {.fd = -1};
	int fd = keep(op, e);

	if (fd < 0)
		return fd;
	fileset_open_directory(&f, fd);
	return layout_load(&f, &op->uri, &op->wish, op->s, e);
}

static int open_archive(struct opening *op, struct err *e)
{
	_fileset_ struct fileset f = {.fd = -1};
	int r = sniff_plain_tar(op->fd, e);

	if (!r)
		r = spool(op, spool_decompressed, e);
	if (r >= 0)
		r = keep(op, e);
	if (r >= 0)
		r = fileset_open_archive(&f, r, e);
	if (r < 0)
		return r;
	return op->uri.kind == SOURCE_OCI_ARCHIVE
		       ? layout_load(&f, &op->uri, &op->wish, op->s, e)
		       : docker_archive_load(&f, &op->uri, &op->wish, op->s, e);
}

static int open_directory(struct opening *op, struct err *e)
{
	struct source_layer layer = {.kind = LAYER_DIRECTORY, .size_bytes = UINT64_MAX};
	_fileset_ struct fileset f = {.fd = -1};
	bool skopeo = sniff_skopeo_dir(op->fd);

	if (!skopeo && sniff_directory(op->fd) == SOURCE_OCI_LAYOUT)
		return err_set(e, EINVAL, "%s: an OCI layout, not a root file system (use oci:%s)",
			       op->uri.path, op->uri.path);
	layer.fd = keep(op, e);
	if (layer.fd < 0)
		return layer.fd;
	if (!skopeo)
		return add_layer(op, &layer, e);
	fileset_open_directory(&f, layer.fd);
	return skopeo_dir_load(&f, &op->wish, op->s, e);
}

static int open_rootfs_tar(struct opening *op, struct err *e)
{
	struct source_layer layer = {.kind = LAYER_TAR, .size_bytes = UINT64_MAX};
	struct stat st;

	layer.fd = keep(op, e);
	if (layer.fd < 0)
		return layer.fd;
	if (fstat(layer.fd, &st) < 0)
		return err_sys(e, "stat");
	if (!st.st_size)
		return err_set(e, EINVAL, "%s: empty", op->uri.path);
	layer.length = (uint64_t)st.st_size;
	return add_layer(op, &layer, e);
}

static int open_kind(struct opening *op, struct err *e)
{
	switch (op->uri.kind) {
	case SOURCE_OCI_LAYOUT:
		return open_layout(op, e);
	case SOURCE_OCI_ARCHIVE:
	case SOURCE_DOCKER_ARCHIVE:
	case SOURCE_DOCKERD:
	case SOURCE_PODMAN:
		return open_archive(op, e);
	case SOURCE_DIRECTORY:
		return open_directory(op, e);
	case SOURCE_SNIFF:
	case SOURCE_TAR:
		break;
	}
	return open_rootfs_tar(op, e);
}

/* A path such as "." has no name of its own: the kernel knows what the directory is called. */
static int set_names(struct opening *op, const char *uri, struct err *e)
{
	char link[64], target[PATH_MAX];
	const char *base = "rootfs", *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", op->fd);
	n = str_eq(op->uri.path, "-") ? -1 : readlink(link, target, sizeof(target) - 1);
	if (n > 0) {
		target[n] = 0;
		slash = strrchr(target, '/');
		if (slash && slash[1])
			base = slash + 1;
	}
	op->s->ref = strdup(uri);
	op->s->name = source_uri_name(&op->uri, base);
	return op->s->ref && op->s->name ? 0 : err_oom(e);
}

char *source_name_unopened(const char *uri)
{
	return registry_source_is(uri, path_exists) ? registry_source_name(uri) : NULL;
}

int source_open(struct image_source *s, const char *uri, const struct source_options *o,
		struct err *e)
{
	struct opening op = {.s = s, .o = o, .fd = -1};
	int r;

	*s = (struct image_source){0};
	op.wish = (struct image_wish){.platform = &op.platform, .explicit = o->arch || o->platform};
	r = platform_wanted(o->arch, o->platform, &op.platform, e);
	if (r >= 0 && registry_source_is(uri, path_exists)) {
		r = registry_source_load(uri, o, &op.wish, s, e);
		if (r < 0)
			source_close(s);
		return r;
	}
	if (r >= 0)
		r = source_uri_parse(uri, path_exists, &op.uri, e);
	if (r >= 0)
		r = open_path(&op, e);
	if (r >= 0)
		r = set_names(&op, uri, e);
	if (r >= 0)
		r = settle_kind(&op, e);
	if (r >= 0)
		r = open_kind(&op, e);
	fd_close(&op.fd);
	source_uri_free(&op.uri);
	if (r < 0) {
		source_close(s);
		return r;
	}
	return 0;
}

bool source_needs_store(const char *uri)
{
	return registry_source_is(uri, path_exists);
}

int source_digest(const char *uri, const struct source_options *o, struct digest *ret,
		  struct err *e)
{
	struct image_source s = {0};
	struct platform platform;
	struct image_wish wish = {.platform = &platform, .explicit = o->arch || o->platform};
	int r = platform_wanted(o->arch, o->platform, &platform, e);

	if (r >= 0 && registry_source_is(uri, path_exists))
		return registry_source_digest(uri, o, &wish, ret, e);
	if (r >= 0)
		r = source_open(&s, uri, o, e);
	if (r < 0)
		return r;
	*ret = s.manifest_digest;
	source_close(&s);
	return ret->alg[0] ? 0 : err_set(e, ENODATA, "it has no manifest, so no digest names it");
}

size_t source_drop_damaged(struct image_source *s)
{
	size_t dropped = 0;

	for (size_t i = 0; s->store && i < s->n_layers; i++) {
		const struct source_layer *l = &s->layers[i];

		if (l->kind != LAYER_TAR || store_check_blob(l->fd, &l->digest, NULL))
			continue;
		store_drop_blob(s->store, &l->digest);
		dropped++;
	}
	return dropped;
}

void source_close(struct image_source *s)
{
	for (size_t i = 0; i < s->n_layers; i++) {
		if (s->layers[i].owns_fd)
			fd_close(&s->layers[i].fd);
	}
	for (size_t i = 0; i < s->n_fds; i++)
		fd_close(&s->fds[i]);
	free(s->layers);
	free(s->fds);
	free(s->ref);
	free(s->name);
	strbuf_free(&s->config);
	strbuf_free(&s->manifest);
	strv_free(&s->below);
	*s = (struct image_source){0};
}
