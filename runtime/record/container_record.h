/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_RECORD_H
#define CSBX_RUNTIME_CONTAINER_RECORD_H

/*
 * The meaning of a container name, as one flat record (base/flat.h): the image and how it is
 * pinned, and what a start needs to know of the image, so that a start reads this file and nothing
 * of the image.
 *
 * Two kinds. A recipe (`spec` is NULL) says which image; every start is an instance of its own,
 * any number side by side. A container that stays has its specification in the record: it is
 * started, stopped and started again, one instance at a time, under an id of its own whose first
 * NAME_ID_DIGITS digits are the instance's, and writes to a kept layer of its own.
 *
 * A recipe is written as version 2, as csbx has always done (the id and the labels are passed over
 * by older readers); one with a specification as version 3, one whose image is a stack as version
 * 4, which older programs refuse.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

struct err;

#define CONTAINER_RECORD_MAGIC 0x31524343u /* "CCR1" */
#define CONTAINER_RECORD_VERSION_STACK 4u
#define CONTAINER_RECORD_VERSION 3u
#define CONTAINER_RECORD_VERSION_RECIPE 2u
#define CONTAINER_RECORD_BYTES_MAX (8u << 20)

enum image_pin {
	PIN_LINK = 1, /* hard link `image` in the container's directory */
	PIN_CLONE,    /* reflink copy `image` there */
	PIN_PATH,     /* the path as given; must not have changed at start */
};

/* The dialect whose words and defaults made it. */
enum container_dialect { DIALECT_CSBX, DIALECT_DOCKER, DIALECT_ENROOT, DIALECT_MAX };

struct container_record {
	enum rootfs_kind kind;
	enum image_pin pin;
	const char *image;   /* absolute path as given to create */
	struct image_id id;  /* of the pinned file (PIN_CLONE: of the clone) or directory */
	uint64_t created_ns; /* CLOCK_REALTIME */
	const void *meta;    /* image_meta record; NULL for a directory, whose files may change */
	size_t meta_len;
	const char *container_id; /* NAME_CONTAINER_ID_DIGITS hexadecimal digits; NULL: a recipe
				     made by an older csbx */
	enum container_dialect dialect;
	struct strv labels;       /* "key=value" */
	const char *image_ref;    /* the image as it was asked for; NULL: by path */
	const char *image_digest; /* its id, "sha256:..."; NULL: not known */
	const char *owner;        /* "PID:STARTTIME" (owner.h): it goes when that process does */
	bool is_stack;     /* the image has more than one file: `image.0` ... beside `image` */
	bool auto_remove;  /* it goes when its instance has ended */
	bool open_stdin;   /* standard input stays open though no client is attached */
	struct strv notes; /* "key=value": what the dialect that made it wants to show again
			    * (cmd/docker/frame/notes.h); nothing below cmd/ reads them */
	const void *spec;  /* specification (spec/flat.h); NULL: a recipe */
	size_t spec_len;
	void *memory; /* what the pointers above point into when decoded */
};

/* Serialises; the bytes are added to out. */
int container_record_encode(const struct container_record *r, struct strbuf *out, struct err *e);
/* Takes ownership of buf (malloc'ed), also on error. */
int container_record_decode(struct container_record *ret, void *buf, size_t len, struct err *e);
void container_record_free(struct container_record *r);

/* -ENOENT from ERR_NO_CONTAINER: there is no such container. */
int container_missing(struct err *e);

#endif
