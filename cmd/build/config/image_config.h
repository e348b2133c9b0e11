/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_CONFIG_IMAGE_CONFIG_H
#define CSBX_CMD_BUILD_CONFIG_IMAGE_CONFIG_H

/*
 * The room cmd/build/config. The configuration of an image that is being built (image-spec
 * config.md, and what docker adds to it).
 *
 * In: that of the base, instructions. Out: that of the image, without layers.
 *
 *	read.c, apply.c, write.c: read from the base's, changed by instructions, written
 *	inline_cache.h	the steps that an image tells, for a build that takes it as a cache
 *
 * Must: be pure.
 * Mustn't: know files.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;
struct expand;
struct instruction;

struct build_config {
	char *arch, *variant, *os, *author;
	char *user, *workdir, *stop_signal, *health; /* health: JSON; NULL = absent */
	struct strv env, cmd, entrypoint, shell, on_build;
	struct strv ports, volumes; /* names */
	struct strv labels;         /* "name=value" */
	struct strv history;        /* JSON objects, oldest first */
	char *inline_cache;         /* JSON (inline_cache.h); not the base's; NULL = absent */
	bool has_cmd, has_entrypoint;
	bool sets_cmd; /* this Dockerfile has a CMD: an ENTRYPOINT behind it leaves it */
};

/* Empty, for this machine. */
int build_config_init(struct build_config *c, struct err *e);
int build_config_read(struct build_config *c, const void *json, size_t len, struct err *e);
int build_config_copy(struct build_config *to, const struct build_config *from, struct err *e);
void build_config_free(struct build_config *c);
#define _build_config_ __attribute__((cleanup(build_config_free)))

/*
 * Makes the changes of an instruction other than FROM, ARG, RUN, COPY and ADD. -EINVAL in docker's
 * words. ret_text: the instruction as history has it, caller frees.
 */
int build_config_apply(struct build_config *c, const struct instruction *i, const struct expand *x,
		       char **ret_text, struct err *e);

/* The absolute path that a relative one means here; caller frees. */
char *build_config_path(const struct build_config *c, const char *path);

/* The words that run a text: SHELL, or /bin/sh -c. */
void build_config_shell(const struct build_config *c, const char *text, struct strv *argv);

int build_config_history(struct build_config *c, const char *created_by, bool is_empty,
			 uint64_t created_ns, struct err *e);

/* The values alone, as JSON: what a later instruction may depend on. */
int build_config_values(const struct build_config *c, struct strbuf *out, struct err *e);

/* Writes the configuration without its layers: image/oci/config_layers.h adds them. */
int build_config_write(const struct build_config *c, uint64_t created_ns, struct strbuf *out,
		       struct err *e);

/* The same with those layers, made now. */
struct config_layers;
int build_config_layers(const struct build_config *c, const struct config_layers *l,
			struct strbuf *out, struct err *e);

#endif
