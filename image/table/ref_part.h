/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_REF_PART_H
#define CSBX_IMAGE_REF_PART_H

/*
 * The parts of an image's name by the grammar of distribution references
 * (github.com/distribution/reference, reference.go): pure, libc only.
 */

#include <stdbool.h>

#define REF_REPOSITORY_MAX 255
#define REF_TAG_MAX 128

/* Components of lower-case letters and digits, joined by ".", "_", "__" or dashes; with "/". */
bool ref_repository_ok(const char *s);
bool ref_tag_ok(const char *s);
/* HOST[:PORT] or [IPv6][:PORT] */
bool ref_registry_ok(const char *s);

#endif
