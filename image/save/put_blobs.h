/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_PUT_BLOBS_H
#define CSBX_IMAGE_PUT_BLOBS_H

/*
 * Blobs into a registry, several at a time. The first error ends all: the others stop after the
 * piece that they are at. The functions of struct put_blobs are called by one thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/registry/registry.h"

struct err;

struct put_blob {
	struct digest digest;
	uint64_t bytes;
	int fd;
	bool is_stored; /* of the store: its bytes are checked before they are sent */
};

struct put_blobs {
	struct registry *registry;
	const char *mount_from; /* another repository there that may have them; or NULL */
	const struct put_blob *items;
	size_t n;
	unsigned connections;                                      /* 0: REGISTRY_CONNECTIONS */
	void (*done)(void *arg, size_t i, enum registry_sent how); /* NULL: nothing */
	/* Tells how far item i is; NULL: the caller does not want to know. */
	void (*progress)(void *arg, size_t i, uint64_t sent_bytes, uint64_t bytes);
	void *arg;
};

int put_blobs(const struct put_blobs *p, struct err *e);

#endif
