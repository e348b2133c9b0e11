/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_USER_FILES_H
#define CSBX_RUNTIME_USER_FILES_H

/*
 * /etc/passwd and /etc/group of a tree that the container's programs can write: opened without
 * following links, never waited for, and only so much of them is read.
 */

#include <stdbool.h>

struct strbuf;

/* root: directory of the tree. False when there is no such regular file. */
bool user_file_read(int root, const char *path, struct strbuf *out);

/* The same of what a kept layer has; layer: its directory. */
bool user_file_read_layer(const char *layer, const char *path, struct strbuf *out);

#endif
