/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_RECORD_H
#define CSBX_RUNTIME_CONTAINER_RECORD_H

/*
 * What a container name stands for, as one flat record (base/flat.h): the image and how it is
 * pinned, and what a start needs to know of the image, so that a start reads this file and nothing
 * of the image.
 */

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"
#include "runtime/spec.h"

struct err;

#define CONTAINER_RECORD_MAGIC 0x31524343u /* "CCR1" */
#define CONTAINER_RECORD_VERSION 2u
#define CONTAINER_RECORD_BYTES_MAX (8u << 20)

enum image_pin {
	PIN_LINK = 1, /* hard link `image` in the container's directory */
	PIN_CLONE,    /* reflink copy `image` there */
	PIN_PATH,     /* the path as given; must not have changed at start */
};

struct container_record {
	enum rootfs_kind kind;
	enum image_pin pin;
	const char *image;   /* absolute path as given to create */
	struct image_id id;  /* of the pinned file (PIN_CLONE: of the clone) or directory */
	uint64_t created_ns; /* CLOCK_REALTIME */
	const void *meta;    /* image_meta record; NULL for a directory, whose files may change */
	size_t meta_len;
	void *memory; /* what the pointers above point into when decoded */
};

/* Serialises; the bytes are added to out. */
int container_record_encode(const struct container_record *r, struct strbuf *out, struct err *e);
/* Takes ownership of buf (malloc'ed), also on error. */
int container_record_decode(struct container_record *ret, void *buf, size_t len, struct err *e);
void container_record_free(struct container_record *r);

#endif
