/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_ENROOT_EXPAND_H
#define CSBX_ENROOT_EXPAND_H

/*
 * $NAME and ${NAME} in files of the host, as envsubst(1) replaces them: by the value in a list of
 * NAME=VALUE, by nothing where the list has none. All else, also ${NAME:-x}, stays as it is.
 * Never used on what an image brings.
 */

#include <stddef.h>

struct strbuf;

void expand_variables(const char *text, size_t len, char *const *env, struct strbuf *out);

/* The value of a variable in a list, NULL when it is not set. */
const char *env_list_get(char *const *env, const char *name, size_t len);

#endif
