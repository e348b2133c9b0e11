/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_DIRECTIVE_H
#define CSBX_CMD_BUILD_DOCKERFILE_DIRECTIVE_H

/* Parser directives: lines "# name=value" before anything else in the file. */

#include <stdbool.h>
#include <stddef.h>

struct dockerfile;
struct err;

/*
 * One line, without its newline: 1 if it is a directive, 0 if directives have ended (which an
 * unknown name does too), -EINVAL for one that is wrong.
 */
int directive_line(struct dockerfile *d, const char *line, size_t len, struct err *e);

#endif
