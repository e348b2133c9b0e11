/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/stat.h>

#include "image/bytes/spool.h"
#include "image/bytes/stream.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

int spool_decompressed(int fd, int tmp_dirfd, struct err *e)
{
	struct stream_config config = {.fd = fd, .max_bytes = SPOOL_MAX_BYTES};
	_stream_ struct stream *stream = NULL;
	_spool_ struct spool out = SPOOL_INIT;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat");
	config.length = (uint64_t)st.st_size;
	r = stream_open(&stream, &config, e);
	if (r < 0)
		return r;
	r = spool_open(&out, tmp_dirfd, e);
	while (r >= 0) {
		const void *data;
		ssize_t n = stream_read(stream, &data, e);

		if (n < 0)
			return (int)n;
		if (!n)
			return take_fd(&out.fd);
		r = spool_write(&out, data, (size_t)n, e);
	}
	return r;
}
