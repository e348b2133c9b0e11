/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_IGNORE_H
#define CSBX_CMD_BUILD_DOCKERFILE_IGNORE_H

/*
 * .dockerignore (docker's reference, "Dockerignore files"): a pattern a line, "#" comments, "!"
 * takes back; the last that matches decides. A pattern that matches a directory matches all below
 * it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/str.h"

struct err;

#define IGNORE_MAX_BYTES (1u << 20)
#define IGNORE_MAX_PATTERNS 10000u

struct ignore {
	struct strv patterns; /* cleaned; a "!" in front takes back */
	bool takes_back;      /* any does: look below ignored directories, too */
};

/* -EINVAL: `illegal exclusion pattern: "!"`, or a pattern that is wrong. */
int ignore_parse(const char *text, size_t len, struct ignore *ret, struct err *e);
/* One pattern, as --exclude has it. */
int ignore_add(struct ignore *g, const char *pattern, struct err *e);
void ignore_free(struct ignore *g);
#define _ignore_ __attribute__((cleanup(ignore_free)))

/* path: relative, without "." or ".." in it. */
bool ignore_has(const struct ignore *g, const char *path);

#endif
