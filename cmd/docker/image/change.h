/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_CHANGE_H
#define CSBX_CMD_DOCKER_IMAGE_CHANGE_H

/*
 * --change of `docker import` and `docker commit`: Dockerfile instructions that change an image's
 * configuration (docker's reference, "import": CMD ENTRYPOINT ENV EXPOSE LABEL ONBUILD USER VOLUME
 * WORKDIR), and the configuration of an image that is one tar.
 */

#include <stdint.h>

#include "runtime/base/str.h"

struct err;

struct image_change {
	struct strv env, cmd, entrypoint, ports, volumes, on_build;
	struct strv labels; /* "name=value" */
	char *user, *workdir, *stop_signal;
	bool has_cmd, has_entrypoint;
};

/* One instruction. -EINVAL in docker's words. */
int image_change_parse(struct image_change *c, const char *text, struct err *e);
void image_change_free(struct image_change *c);

/* The config of an image of one layer, or of one over others. */
struct image_change_base {
	const char *arch, *variant, *os, *diff_id, *comment;
	const struct strv *below; /* diff_ids of what lies below; NULL: nothing */
	const void
		*old_config; /* of the image it was made from, whose history goes on; NULL: none */
	size_t old_config_len;
	const char *author, *created_by; /* NULL: not said */
	uint64_t created_ns;
};
int image_change_config(const struct image_change *c, const struct image_change_base *base,
			struct strbuf *out, struct err *e);

#endif
