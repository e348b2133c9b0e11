/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_GLOB_H
#define CSBX_CMD_BUILD_DOCKERFILE_GLOB_H

/*
 * Patterns. Those of files are Go's filepath.Match: "*" and "?" do not match "/", "[a-z]" and
 * "[^a-z]", "\" takes what follows as it is; in .dockerignore "**" also matches "/". Those of
 * ${NAME#pattern} have "*" and "?" only, which match anything. The time is bounded by the product
 * of the two lengths.
 */

#include <stdbool.h>
#include <stddef.h>

struct err;

/* -EINVAL ("syntax error in pattern") for a "[" without its end or a "\" at the end. */
int glob_check(const char *pattern, struct err *e);

/* The whole name. A pattern that glob_check() refuses matches nothing. */
bool glob_matches(const char *pattern, const char *name);

/* The same with "**": any number of directories. */
bool glob_matches_path(const char *pattern, const char *path);

/* True when a pattern holds anything but plain characters. */
bool glob_is_pattern(const char *s);

/*
 * The length of the beginning or the end of s that the pattern matches: the longest, or the
 * shortest.
 */
size_t glob_prefix(const char *pattern, const char *s, size_t len, bool longest);
size_t glob_suffix(const char *pattern, const char *s, size_t len, bool longest);

#endif
