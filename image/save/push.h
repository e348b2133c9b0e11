/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_SAVE_PUSH_H
#define CSBX_IMAGE_SAVE_PUSH_H

/*
 * An image of the table into a registry. Layers that came from a registry go as they came, and an
 * image all of whose layers did so goes with its own manifest and keeps its digest; the others
 * (layers.h) are compressed by gzip or zstd, and the image gets an OCI manifest.
 */

#include "image/registry/registry.h"
#include "image/save/layers.h"

struct image_push {
	const struct image_content *content;
	const struct image_record *record;
	struct registry *registry; /* opened without mirrors, for the name */
	bool by_zstd;              /* what is made anew; else gzip */
	unsigned connections;      /* layers on their way at a time; 0: REGISTRY_CONNECTIONS */
	const char *mount_from;    /* another repository there that may have the layers; or NULL */
	/* Once the layers are known, and after each. NULL: nothing. */
	void (*begun)(void *arg, const struct image_layers *l);
	void (*layer_done)(void *arg, size_t i, enum registry_sent how);
	/* Tells how far layer i is; NULL: the caller does not want to know. */
	void (*progress)(void *arg, size_t i, uint64_t sent_bytes, uint64_t bytes);
	void *arg;
};

int image_push(const struct image_push *p, struct digest *ret_manifest, uint64_t *ret_bytes,
	       struct err *e);

#endif
