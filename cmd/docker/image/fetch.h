/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_FETCH_H
#define CSBX_CMD_DOCKER_IMAGE_FETCH_H

/* Pulling an image, for docker's command line and for the Engine API. */

#include <stdbool.h>

struct cmd;
struct docker_fault;
struct image_name;
struct image_source;
struct pull_text;
struct transfer;

struct image_pull {
	struct cmd *cmd;
	const struct image_name *name;
	const char *canonical; /* of name */
	const char *platform;  /* NULL: this machine's */
	const char *auth;      /* "REGISTRY=USER:PASSWORD", asked before all others; NULL: none */
	bool quiet;            /* nothing is drawn on a terminal */
	/* When the layers are there, and when the image has its name. */
	void (*begin)(void *arg, const struct pull_text *t, const struct image_source *src);
	void (*end)(void *arg, const struct pull_text *t, const struct image_source *src);
	/* Some times a second while they come; NULL: nothing. */
	void (*progress)(void *arg, const struct transfer *t);
	void *arg; /* of all three */
};

/* 404: no such image, or it is not for us to have, in docker's words; 500 else. */
int image_pull(const struct image_pull *how, struct docker_fault *f);

#endif
