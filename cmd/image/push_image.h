/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_PUSH_IMAGE_H
#define CSBX_CMD_IMAGE_PUSH_IMAGE_H

/* Sending an image of the table to a registry: csbx push, docker push and the Engine API. */

#include <stdbool.h>
#include <stdint.h>

#include "image/model/digest.h"
#include "image/registry/registry.h"
#include "image/save/layers.h"

struct cmd;
struct err;
struct image_item;
struct registry_opts;

struct push_image {
	struct cmd *cmd;
	struct registry_opts *registry;
	const struct image_item *item;
	const char *to; /* canonical name with a tag */
	bool by_zstd;   /* layers that are made anew, instead of gzip */
	/* As those of struct image_push (image/save/push.h). */
	void (*begun)(void *arg, const struct image_layers *l);
	void (*layer_done)(void *arg, size_t i, enum registry_sent how);
	void (*progress)(void *arg, size_t i, uint64_t sent_bytes, uint64_t bytes);
	void *arg;
};

int push_image(const struct push_image *p, struct digest *ret_manifest, uint64_t *ret_bytes,
	       struct err *e);

/* The name of a layer while it is sent: of its diff_id, or of its place where there is none yet. */
#define PUSH_LAYER_NAME_BYTES 24
void push_layer_name(const struct image_layers *l, size_t i, char ret[PUSH_LAYER_NAME_BYTES]);

#endif
