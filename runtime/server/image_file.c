/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server/image_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/base/bundle.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/spec/image_id.h"

static uint16_t get16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const unsigned char *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static uint64_t get64(const unsigned char *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

/* Names the kinds of files that people have at hand instead of an image. */
static int refuse_other(const unsigned char *p, size_t len, struct err *e)
{
	if (len >= 4 && !memcmp(p, "sqsh", 4))
		return err_set(e, EINVAL, "a squashfs older than version 4");
	if ((len >= 2 && !memcmp(p, "\x1f\x8b", 2)) ||
	    (len >= 4 && !memcmp(p, "\x28\xb5\x2f\xfd", 4)))
		return err_set(e, EINVAL,
			       "not a squashfs image but compressed data: csbx import first");
	return err_set(e, EINVAL, "not a squashfs image: csbx import makes one");
}

int image_sniff(const void *head, size_t len, uint64_t file_bytes, struct err *e)
{
	const unsigned char *p = head;
	uint64_t used;
	uint32_t block;

	if (len < 4 || memcmp(p, "hsqs", 4))
		return refuse_other(p, len, e);
	if (len < IMAGE_HEAD_BYTES)
		return err_set(e, EINVAL, "a squashfs image cut short: %zu bytes", len);
	block = get32(p + 12);
	used = get64(p + 40);
	if (get16(p + 28) != 4)
		return err_set(e, EINVAL, "squashfs version %u, not 4", get16(p + 28));
	if (block < 4096 || block > 1 << 20 || get16(p + 22) > 20 || block != 1u << get16(p + 22))
		return err_set(e, EINVAL, "a damaged squashfs image: block size %u", block);
	if (get16(p + 20) < 1 || get16(p + 20) > 6)
		return err_set(e, EINVAL, "squashfs with unknown compression %u", get16(p + 20));
	if (used < IMAGE_HEAD_BYTES)
		return err_set(e, EINVAL, "a damaged squashfs image: length %llu",
			       (unsigned long long)used);
	if (used > file_bytes)
		return err_set(e, EINVAL, "a squashfs image cut short: %llu of %llu bytes",
			       (unsigned long long)file_bytes, (unsigned long long)used);
	return 0;
}

static int open_file(int fd, const struct stat *st, struct err *e)
{
	struct bundle_extent where = {0, (uint64_t)st->st_size};
	unsigned char head[IMAGE_HEAD_BYTES];
	struct bundle bundle;
	ssize_t n;

	if (bundle_read(fd, &bundle))
		where = bundle.parts[BUNDLE_IMAGE];
	n = pread(fd, head, sizeof(head), (off_t)where.offset);
	if (n < 0)
		return err_sys(e, "read");
	return image_sniff(head, (size_t)n, where.bytes, e);
}

/* The same directory without the right to list it, as the rest of csbx wants it. */
static int reopen_dir(int fd, struct err *e)
{
	int dir;

	if (!faccessat(fd, "oci-layout", F_OK, AT_SYMLINK_NOFOLLOW))
		return err_set(e, EINVAL,
			       "an OCI image layout: csbx import oci:DIR makes an image of it");
	dir = openat(fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? err_sys(e, "open") : dir;
}

int image_open(const char *path, enum rootfs_kind *ret_kind, struct image_id *ret_id, struct err *e)
{
	_close_ int fd = path_open_input(path, O_RDONLY | O_NONBLOCK, NULL, e);
	struct stat st;
	int r;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	image_id_from_stat(ret_id, &st);
	if (S_ISDIR(st.st_mode)) {
		*ret_kind = ROOTFS_DIRECTORY;
		r = reopen_dir(fd, e);
		return r < 0 ? err_wrap(e, "%s", path) : r;
	}
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "%s: neither a squashfs file nor a directory", path);
	*ret_kind = ROOTFS_SQUASHFS;
	r = open_file(fd, &st, e);
	return r < 0 ? err_wrap(e, "%s", path) : take_fd(&fd);
}
