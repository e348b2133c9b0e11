/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENV_FILE_H
#define CSBX_CMD_ENV_FILE_H

/*
 * Files of environment variables: one NAME=VALUE or NAME a line, value taken as it stands;
 * empty lines and those that begin with '#' are passed over. A byte order mark and CR LF line
 * ends are understood. Errors give the line.
 */

#include <stddef.h>

struct container_spec;
struct err;
struct strv;

#define ENV_FILE_BYTES_MAX (1u << 20)

/* Pure. */
int env_file_parse(const char *buf, size_t len, struct strv *out, struct err *e);
/* Regular files of at most ENV_FILE_BYTES_MAX; never waits. spec: as of input_file_open(). */
int env_file_read(const char *path, const struct container_spec *spec, struct strv *out,
		  struct err *e);

/* Notes a file that is to be read between the variables that are there and those to come. */
int env_file_note(struct strv *files, const struct strv *env, const char *path, struct err *e);
/* Reads the files that were noted into their places, once all mounts of the run are known. */
int env_files_take(struct strv *files, const struct container_spec *spec, struct strv *env,
		   struct err *e);

/* Checks NAME or NAME=VALUE as given by --env. */
int env_check_assignment(const char *text, struct err *e);

#endif
