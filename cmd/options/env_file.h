/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENV_FILE_H
#define CSBX_CMD_ENV_FILE_H

/*
 * Files of environment variables: one NAME=VALUE or NAME a line, value taken as it stands;
 * empty lines and those that begin with '#' are passed over. A byte order mark and CR LF line
 * ends are understood. Errors give the line.
 */

#include <stddef.h>

struct err;
struct strv;

#define ENV_FILE_BYTES_MAX (1u << 20)

/* Pure. */
int env_file_parse(const char *buf, size_t len, struct strv *out, struct err *e);
/* Regular files of at most ENV_FILE_BYTES_MAX; never waits. */
int env_file_read(const char *path, struct strv *out, struct err *e);

/* Checks NAME or NAME=VALUE as given by --env. */
int env_check_assignment(const char *text, struct err *e);

#endif
