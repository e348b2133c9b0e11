/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_INPUT_FILE_H
#define CSBX_CMD_INPUT_FILE_H

/*
 * Files of the host that csbx reads for a run: a snippet, cases, patches, a repository, standard
 * input. A link that lies where the run's program may write is not followed, as in
 * program_places.h: the program of an earlier run may have left it, to be shown what it leads to.
 */

#include <stddef.h>

struct container_spec;
struct err;
struct strbuf;

/*
 * flags: of open(2), for reading; spec: of the run, with its mounts, or NULL: they are not known.
 * Returns the descriptor.
 */
int input_file_open(const char *path, int flags, const struct container_spec *spec, struct err *e);

/* A regular file, whole; more than max bytes is -EFBIG. Never waits. */
int input_file_read(const char *path, size_t max, const struct container_spec *spec,
		    struct strbuf *out, struct err *e);

/*
 * What is to be mounted, or opened by another program: its path without links, the caller's to free;
 * NULL: see e. Its mount is to have no_links, as a program that runs meanwhile may put one there.
 */
char *input_path(const char *path, const struct container_spec *spec, struct err *e);
/* The same for a directory that can be read. */
char *input_directory_path(const char *path, const struct container_spec *spec, struct err *e);

#endif
