/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_BUNDLE_SELF_H
#define CSBX_RUNTIME_BUNDLE_SELF_H

/*
 * The running program as a bundle (base/bundle.h). Its helper programs are run from sealed memfds,
 * and what is known of its image is in it, so nothing of csbx need be installed.
 */

#include "runtime/base/bundle.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

struct err;

struct bundle_self {
	int fd; /* the file, O_RDONLY */
	struct bundle parts;
	struct image_id id; /* of the file */
	int memfds[2];      /* BUNDLE_INIT, BUNDLE_SQUASHD; -1: not made yet */
};
#define BUNDLE_SELF_INIT                       \
	{                                      \
		.fd = -1, .memfds = { -1, -1 } \
	}

/* 1: the running program is a bundle; 0: it is none. -EBADMSG: it was one and has lost its end. */
int bundle_self_open(struct bundle_self *ret, struct err *e);
void bundle_self_close(struct bundle_self *b);

/* "/proc/self/fd/N" of a helper, made when first asked for; caller frees. NULL: none such. */
char *bundle_self_helper(struct bundle_self *b, const char *program);

/* Reads a part, of at most max bytes. */
int bundle_self_read(const struct bundle_self *b, enum bundle_part part, size_t max,
		     struct strbuf *ret, struct err *e);

/* The settings that a bundle carries: a flat record. */
#define BUNDLE_CONFIG_MAGIC 0x31424343u /* "CCB1" */
#define BUNDLE_CONFIG_VERSION 1u
#define BUNDLE_CONFIG_MAX (32u << 20)

enum bundle_config_tag {
	BUNDLE_NAME = 1,    /* str: the image file's name, without .sqsh */
	BUNDLE_ID,          /* str: NAME_ID_DIGITS hexadecimal digits, made with it */
	BUNDLE_DESCRIPTION, /* str */
	BUNDLE_TARGET,      /* str: where --extract puts it */
	BUNDLE_META,        /* bytes: the image's record (image_meta.h) */
	BUNDLE_CRC,         /* u64: crc32 of the image, where one was asked for */
	BUNDLE_FILE,        /* str, repeated: "environ.d/NAME.env", a newline, its content */
};

struct bundle_config {
	const char *name, *id, *description, *target; /* never NULL */
	const void *meta;
	size_t meta_len;
	bool has_crc;
	uint32_t crc;
	struct strv files;
	struct strbuf memory; /* what the pointers point into */
};

int bundle_self_config(const struct bundle_self *b, struct bundle_config *ret, struct err *e);
void bundle_config_free(struct bundle_config *c);
#define _bundle_config_ __attribute__((cleanup(bundle_config_free)))

#endif
