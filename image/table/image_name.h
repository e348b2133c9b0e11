/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_IMAGE_NAME_H
#define CSBX_IMAGE_IMAGE_NAME_H

/*
 * Names of images as docker's command line reads them (github.com/distribution/reference,
 * normalize.go): "app" is docker.io/library/app:latest. Pure, libc only. The grammar of import's
 * URIs, which is enroot's, is another (ref.h).
 */

#include <stdbool.h>
#include <stddef.h>

struct err;

#define IMAGE_NAME_MAX 512 /* bytes of any name we keep, with its NUL */
#define IMAGE_ID_HEX 64

struct image_name {
	char *domain, *path; /* "docker.io", "library/app" */
	char *tag, *digest;  /* as written, NULL: none; digest: "sha256:..." */
};

/* -EINVAL with docker's own sentence. */
int image_name_parse(const char *text, struct image_name *ret, struct err *e);
void image_name_free(struct image_name *n);
#define _image_name_ __attribute__((cleanup(image_name_free)))

/* domain/path@digest, or domain/path:tag with "latest" for none. NULL: ENOMEM. Caller frees. */
char *image_name_canonical(const struct image_name *n);

/* The part of a canonical name (or domain/path) that docker shows: "app:latest", "me/app:1". */
const char *image_name_familiar(const char *canonical);

/* Bytes of the familiar or canonical name before ":tag" or "@digest". */
size_t image_name_repository_len(const char *name);

/* "sha256:" and 64 hexadecimal digits, or the 64 digits alone: the digits, else NULL. */
const char *image_id_hex(const char *text);

#endif
