/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_PROMPT_H
#define CSBX_CMD_IMAGE_PROMPT_H

/* Questions to the user, on the terminal the command was started from, wherever stdin leads. */

#include <stdbool.h>

struct err;

/* The line that was typed, which the caller frees; -ENXIO without a terminal, -EINVAL: empty. */
int prompt_line(const char *question, bool secret, char **ret, struct err *e);

/* A secret from stdin: all of it but one newline at its end; at most 64 KiB. */
int prompt_stdin(char **ret, struct err *e);

#endif
