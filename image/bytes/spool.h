/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_SPOOL_H
#define CSBX_IMAGE_SPOOL_H

/*
 * An import reads its source twice and at any place, which pipes and compressed archives do not
 * allow: they are copied to a file without a name, which the kernel removes whatever happens.
 */

#include <stddef.h>
#include <stdint.h>

struct err;

#define SPOOL_MAX_BYTES (UINT64_C(128) << 30)

/* For a view of how far it is; written may be NULL. */
struct spool_watch {
	void (*written)(void *arg, uint64_t bytes);
	void *arg;
};

/* Such a file that is filled piece by piece. */
struct spool {
	int fd; /* -1: none; to be taken when it is complete */
	uint64_t bytes;
	struct spool_watch watch;
};
#define SPOOL_INIT       \
	{                \
		.fd = -1 \
	}
int spool_open(struct spool *s, int tmp_dirfd, struct err *e);
int spool_write(struct spool *s, const void *data, size_t len, struct err *e);
void spool_close(struct spool *s);
#define _spool_ __attribute__((cleanup(spool_close)))

/* Copies all that fd gives. The new file's descriptor, or -errno. */
int spool_copy(int fd, int tmp_dirfd, struct err *e);

/* The same, watched. */
int spool_copy_watched(int fd, int tmp_dirfd, const struct spool_watch *w, struct err *e);

/* The same for the decompressed content of a regular file. */
int spool_decompressed(int fd, int tmp_dirfd, struct err *e);

#endif
