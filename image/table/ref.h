/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_REF_H
#define CSBX_IMAGE_REF_H

/*
 * Names of images in registries. The grammar is enroot's, [USER@][REGISTRY#]IMAGE[:TAG][@DIGEST],
 * with the parts as the distribution reference grammar defines them:
 *
 * - REGISTRY# always names the registry; without it the first component of IMAGE does when it is
 *   "localhost" or holds a "." or ":"; else the registry is Docker Hub;
 * - docker.io, index.docker.io and registry-1.docker.io are the same registry, where an IMAGE of
 *   one component is in library/;
 * - TAG defaults to "latest"; with a DIGEST the tag says nothing.
 */

#include <stdbool.h>

#include "image/table/ref_part.h"
#include "image/model/source.h"

struct err;

#define REF_HUB "registry-1.docker.io"

struct image_ref {
	char *user;       /* NULL: none */
	char *registry;   /* HOST[:PORT] */
	char *repository; /* with library/ where that applies */
	char *tag;        /* never NULL; "latest" when none was written */
	struct digest digest;
};

/* text without "docker://". -EINVAL names the part at fault. */
int image_ref_parse(const char *text, struct image_ref *ret, struct err *e);
void image_ref_free(struct image_ref *r);
#define _image_ref_ __attribute__((cleanup(image_ref_free)))

/*
 * enroot's default output without ".sqsh": "nvidia+cuda+12.4", "ubuntu+sha256:..."; NULL: ENOMEM.
 */
char *image_ref_output_name(const struct image_ref *r);

/* True when two texts name the same repository and tag: "busybox",
 * "docker.io/library/busybox:latest". */
bool image_ref_same(const char *a, const char *b);

#endif
