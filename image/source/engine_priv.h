/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_ENGINE_PRIV_H
#define CSBX_IMAGE_ENGINE_PRIV_H

/* Shared by engine.c (which way), engine_socket.c, engine_cli.c and engine_json.c. */

#include <stdbool.h>
#include <stddef.h>

#include "image/source/engine.h"

/* The name of an engine, and of its program. */
const char *engine_name(enum engine_kind kind);

/* "sha256:HEX" or HEX, which podman writes: the id of one image, whatever tags it has. */
bool engine_is_id(const char *text);

/* As engine_save(), over the socket at path. */
int engine_save_by_socket(enum engine_kind kind, const char *name, const char *path,
			  const struct engine_options *o, int tmp_dirfd, struct err *e);

/* As engine_save(), by `docker save` or `podman save`. For when there is no socket. */
int engine_save_by_program(enum engine_kind kind, const char *name, const struct spool_watch *watch,
			   int tmp_dirfd, struct err *e);

/* Id of the answer to an inspection; caller frees. */
int engine_parse_id(const char *text, size_t len, char **ret, struct err *e);
/* The message of an answer that is no success; NULL when it has none. Caller frees. */
char *engine_parse_message(const char *text, size_t len);

#endif
