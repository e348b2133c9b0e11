/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_NAME_H
#define CSBX_RUNTIME_NAME_H

/*
 * Names of containers and ids of instances (docs/cli.md 2). A valid name is one path component
 * that never starts with a dot or a dash, so it is safe as a directory name as it stands.
 */

#include <stdbool.h>

struct err;

#define NAME_BYTES_MAX 128
#define NAME_ID_DIGITS 12

/* [a-zA-Z0-9][a-zA-Z0-9_.+-]{0,127} */
bool name_is_valid(const char *name);
int name_check(const char *name, struct err *e); /* 0, or -EINVAL that says what is allowed */

/* Twelve lower-case hexadecimal digits. */
bool name_is_id(const char *s);
int name_new_id(char ret_id[NAME_ID_DIGITS + 1], struct err *e);

/* A container's id, 64 such digits; it begins with the id of its instance. */
#define NAME_CONTAINER_ID_DIGITS 64
bool name_is_container_id(const char *s);
int name_new_container_id(const char *instance_id, char ret_id[NAME_CONTAINER_ID_DIGITS + 1],
			  struct err *e);

/* An operand with a slash or ending in ".sqsh" is a path, anything else a container's name. */
enum operand_kind { OPERAND_NAME, OPERAND_PATH };
enum operand_kind operand_kind(const char *operand);

/* The name create gives when none is asked: the last component without ".sqsh". Caller frees. */
int name_from_image(const char *path, char **ret, struct err *e);

#endif
