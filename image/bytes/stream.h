/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_STREAM_H
#define CSBX_IMAGE_STREAM_H

/*
 * The room image/bytes. Bytes of a blob, in and out.
 *
 * In: a descriptor. Out: decompressed bytes with digests; a file that is whole or not there.
 *
 *	stream.h, decoder.h	reading; ahead.h: in a thread of its own
 *	spool.h			what can be read once becomes a file
 *	output.h		a file that appears when it is whole
 *	linkmap.h		hard links
 *
 * Must: bound what comes out of what goes in.
 * Mustn't: trust a media type.
 */

/*
 * The bytes of a blob, decompressed. A stream reads a range of a file by pread(2), recognises
 * gzip, zstd and plain data by their first bytes (media types are not trusted; docker and
 * containerd do the same), and hashes both what is stored and what comes out, so the digests are
 * those of the very bytes that were used.
 *
 * Guards: the output stops at max_bytes; past the first GiB it may not exceed 4096 times the
 * input (a layer of zeros gives 1030:1 in gzip, but up to 32000:1 in zstd); zstd windows are
 * limited to 128 MiB; xz, bzip2 and lz4 are named and refused.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "image/model/digest.h"

struct err;

/*
 * The values that a reader shares with its watcher, from another thread or a signal handler. All
 * pointers may be NULL.
 */
struct stream_watch {
	_Atomic uint64_t *read_bytes; /* stored bytes read are added to it */
	const _Atomic int *cancel;    /* becomes non-zero: the next read is -ECANCELED */
};

/* Bytes that are not all there yet. */
struct stream_arrival {
	/* Until there are more than `at` of them: how many; -errno when no more will come. */
	int (*wait)(void *arg, uint64_t at, uint64_t *ret_there, struct err *e); /* NULL: all are */
	void *arg;
};

struct stream_config {
	int fd; /* stays the caller's */
	uint64_t offset, length;
	const char *stored_alg; /* hash of the stored bytes: "sha256", "sha512"; NULL: none */
	const char *plain_alg;  /* hash of the decompressed bytes, likewise */
	uint64_t max_bytes;     /* of output; 0: no limit */
	struct stream_watch watch;
	struct stream_arrival arrival;
};

struct stream_result {
	struct digest stored, plain; /* not set where no hash was asked for */
	uint64_t stored_bytes, plain_bytes;
};

struct stream;

int stream_open(struct stream **ret, const struct stream_config *c, struct err *e);

/* The next piece of output, valid until the next call. Its length, 0 at the end, -errno. */
ssize_t stream_read(struct stream *s, const void **ret_data, struct err *e);

/* Adds to the count; -ECANCELED when that was asked for. For all readers of image data. */
int stream_watch_tick(const struct stream_watch *w, uint64_t bytes, struct err *e);

/* Reads what is left and gives the digests and sizes. */
int stream_finish(struct stream *s, struct stream_result *ret, struct err *e);

void stream_close(struct stream **s);
#define _stream_ __attribute__((cleanup(stream_close)))

#endif
