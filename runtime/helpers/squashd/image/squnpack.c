/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libsquashfuse's function for zstd makes a context for each block. Each context costs 160 KiB of
 * memory that the kernel has to clear, and a CPUID, which leaves a virtual machine each time:
 * together a fifth of a block's time. Here the context stays. The functions of the other
 * decompressors need little.
 */
#include "runtime/helpers/squashd/image/squnpack.h"

/* The library's config.h is that of its own build and redefines feature macros: keep it out. */
#define SQFS_CONFIG_H
#define HAVE_LINUX_TYPES_LE16 1
#include <squashfuse/decompress.h>
#include <squashfuse/squashfs_fs.h>

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "runtime/helpers/squashd/image/sqsuper.h"

struct squnpack {
	ZSTD_DCtx *zstd; /* or the function for another compression */
	sqfs_decompressor other;
};

int squnpack_new(unsigned compression, struct squnpack **ret)
{
	struct squnpack *u = calloc(1, sizeof(*u));
	int r = 0;

	if (!u)
		return -ENOMEM;
	if (compression == ZSTD_COMPRESSION) {
		u->zstd = ZSTD_createDCtx();
		r = u->zstd ? 0 : -ENOMEM;
	} else {
		u->other = sqfs_decompressor_get((sqfs_compression_type)compression);
		r = u->other ? 0 : -ENOTSUP;
	}
	if (r < 0) {
		squnpack_free(u);
		return r;
	}
	*ret = u;
	return 0;
}

void squnpack_free(struct squnpack *u)
{
	if (u)
		ZSTD_freeDCtx(u->zstd);
	free(u);
}

/*
 * A block is one frame. The library would read several, and those of zstd before 0.8 with decoders
 * of that time, which is not maintained any more; the kernel does neither. 0: there is none.
 */
static size_t frame_bytes(const void *in, size_t in_bytes)
{
	size_t n = 0;

	if (in_bytes >= 4 && sqget(in, 4) == ZSTD_MAGICNUMBER)
		n = ZSTD_findFrameCompressedSize(in, in_bytes);
	return ZSTD_isError(n) ? 0 : n;
}

static int unpack_zstd(ZSTD_DCtx *zstd, const void *in, size_t in_bytes, void *out,
		       size_t *out_bytes)
{
	size_t frame = frame_bytes(in, in_bytes), n;

	if (!frame)
		return -EIO;
	n = ZSTD_decompressDCtx(zstd, out, *out_bytes, in, frame);
	if (ZSTD_isError(n))
		return -EIO;
	*out_bytes = n;
	return 0;
}

int squnpack_block(struct squnpack *u, const void *in, size_t in_bytes, void *out,
		   size_t *out_bytes)
{
	if (u->zstd)
		return unpack_zstd(u->zstd, in, in_bytes, out, out_bytes);
	return u->other((void *)in, in_bytes, out, out_bytes) == SQFS_OK ? 0 : -EIO;
}
