/* SPDX-License-Identifier: Apache-2.0 */
#include "image/source/tar.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "image/model/digest.h"
#include "image/source/sniff.h"
#include "image/source/source.h"
#include "image/bytes/spool.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define CHUNK (256u << 10)

int tar_plain_file(int fd, int tmp_dirfd, struct err *e)
{
	_close_ int copy = -1;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat");
	if (S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0) {
		copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		if (copy < 0)
			return err_sys(e, "archive");
	} else {
		r = copy = spool_copy(fd, tmp_dirfd, e);
		if (r < 0)
			return r;
	}
	r = sniff_plain_tar(copy, e);
	if (r < 0)
		return r;
	return r ? take_fd(&copy) : spool_decompressed(copy, tmp_dirfd, e);
}

int tar_hash(int fd, uint64_t bytes, struct digest *ret, struct err *e)
{
	_digest_ctx_ struct digest_ctx hash = DIGEST_CTX_INIT;
	_free_ char *buf = malloc(CHUNK);
	int r = buf ? digest_init(&hash, "sha256", e) : err_oom(e);

	for (uint64_t at = 0; r >= 0 && at < bytes;) {
		size_t n = bytes - at < CHUNK ? (size_t)(bytes - at) : CHUNK;

		r = io_pread_exact(fd, buf, n, at, e);
		digest_update(&hash, buf, n);
		at += n;
	}
	return r < 0 ? r : digest_final(&hash, ret, e);
}

int tar_source_open(struct image_source *s, int fd, int tmp_dirfd, struct err *e)
{
	struct source_layer layer = {.kind = LAYER_TAR, .owns_fd = true};
	struct stat st;
	int r = layer.fd = tar_plain_file(fd, tmp_dirfd, e);

	*s = (struct image_source){0};
	if (r < 0)
		return r;
	if (fstat(layer.fd, &st) < 0)
		r = err_sys(e, "stat");
	else if (!st.st_size)
		r = err_set(e, EINVAL, "the archive is empty");
	else
		r = tar_hash(layer.fd, (uint64_t)st.st_size, &layer.diff_id, e);
	if (r >= 0 && !(s->layers = calloc(1, sizeof(*s->layers))))
		r = err_oom(e);
	if (r < 0) {
		fd_close(&layer.fd);
		return r;
	}
	layer.length = layer.size_bytes = (uint64_t)st.st_size;
	layer.digest = layer.diff_id;
	s->layers[s->n_layers++] = layer;
	s->ref = strdup("docker import");
	s->name = strdup("image");
	if (s->ref && s->name)
		return 0;
	source_close(s);
	return err_oom(e);
}
