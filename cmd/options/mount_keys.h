/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_MOUNT_KEYS_H
#define CSBX_CMD_MOUNT_KEYS_H

/*
 * docker's --mount grammar: key=value pairs separated by commas, where a pair that holds a comma
 * is put in double quotes ("" stands for one), as in encoding/csv of its implementation.
 */

#include <stdbool.h>

struct err;
struct mount_spec;

/* True when text begins with one of the keys. */
bool mount_keys_match(const char *text);
int mount_keys_parse(const char *text, struct mount_spec *m, struct err *e);

#endif
