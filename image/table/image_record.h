/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_IMAGE_RECORD_H
#define CSBX_IMAGE_IMAGE_RECORD_H

/*
 * The two kinds of record of the image table, as flat records (base/flat.h): one of an image, and
 * one of a name. Decoding is pure; a record that is damaged is -EBADMSG, one of another version
 * -EPROTO.
 */

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;

#define IMAGE_RECORD_MAGIC 0x31524943u /* "CIR1" */
#define IMAGE_RECORD_VERSION 1u
#define IMAGE_RECORD_VERSION_STACK 2u /* of a stack: older programs must not take it for whole */
#define IMAGE_RECORD_MAX (12u << 20)

#define IMAGE_LOWERS_MAX 7u /* 8 files in all: more become one */

struct image_record {
	const char *id;       /* "sha256:...": digest of the config */
	const char *manifest; /* digest of the manifest, as the blob cache knows it; NULL: none */
	const char *arch, *os, *variant; /* NULL = absent */
	uint64_t size_bytes;             /* of all files in the image */
	uint64_t file_bytes;             /* of the squashfs file; of a stack the topmost */
	uint64_t n_lowers;               /* of a stack: files below it */
	uint64_t created_s;              /* as the config says; 0: it does not */
	uint64_t loaded_ns;              /* when it came here */
	const void *config;              /* JSON, verbatim */
	size_t config_len;
	struct strv layers;    /* digests of the stored layers, "" where there is none */
	struct strv diff_ids;  /* of the layers' tars */
	struct strv chain_ids; /* what docker calls a layer: it and all below */
	void *memory;          /* what the pointers above point into when decoded */
};

int image_record_encode(const struct image_record *r, struct strbuf *out, struct err *e);
/* Takes ownership of buf (malloc'ed), also on error. */
int image_record_decode(struct image_record *ret, void *buf, size_t len, struct err *e);
void image_record_free(struct image_record *r);

#define IMAGE_TAG_MAGIC 0x31544943u /* "CIT1" */
#define IMAGE_TAG_VERSION 1u
#define IMAGE_TAG_MAX 4096u

/* A name: canonical, "docker.io/library/app:latest" or "docker.io/library/app@sha256:...". */
struct image_tag {
	const char *name, *id;
	uint64_t tagged_ns;
	void *memory;
};

int image_tag_encode(const struct image_tag *t, struct strbuf *out, struct err *e);
int image_tag_decode(struct image_tag *ret, void *buf, size_t len, struct err *e);
void image_tag_free(struct image_tag *t);

#endif
