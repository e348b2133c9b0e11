/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_PIPE_PRIV_H
#define CSBX_CMD_DOCKER_IMAGE_PIPE_PRIV_H

#include <stdbool.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"

struct json;
struct json_out;
struct strv;

struct image_pipe {
	struct docker d;
	const struct json *request;
	char *secret;    /* NULL: none */
	bool has_spoken; /* the first line is out */
	bool is_archive; /* what follows it: only an exit code can say that it broke off */
	struct docker_fault f;
};

/* The first line, unless it is out already; then a line of the answer. -EPIPE. */
int image_pipe_begin(struct image_pipe *x, struct err *e);
int image_pipe_say(struct image_pipe *x, struct json_out *j);

/* A member of the request, NULL: absent or empty. */
const char *image_pipe_text(const struct image_pipe *x, const char *key);
int image_pipe_list(struct image_pipe *x, const char *key, struct strv *ret);

/* "REGISTRY=USER:PASSWORD" of the secret, NULL: it has none. Caller frees. 400. */
int image_pipe_auth(struct image_pipe *x, const char *registry, char **ret);

/* image_pipe_pull.c, image_pipe_push.c, image_pipe_registry.c; each fills x->f */
int image_pipe_pull(struct image_pipe *x);
int image_pipe_push(struct image_pipe *x);
int image_pipe_login(struct image_pipe *x);
int image_pipe_distribution(struct image_pipe *x);

#endif
