/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_SAVE_INDEX_H
#define CSBX_IMAGE_SAVE_INDEX_H

/* The documents of a saved archive (save.h): manifests, index.json, manifest.json. */

#include <stdint.h>

#include "image/model/digest.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

struct save_image {
	const struct strv *names; /* canonical */
	struct strv layers;       /* digests of plain tars */
	uint64_t *layer_bytes;
	char config[DIGEST_TEXT_MAX], manifest[DIGEST_TEXT_MAX];
	uint64_t config_bytes, manifest_bytes;
};

int save_image_add_layer(struct save_image *i, const char *digest, uint64_t bytes, struct err *e);
/* The OCI manifest; its digest and size go into i. */
int save_image_manifest(struct save_image *i, struct strbuf *out, struct err *e);
void save_image_free(struct save_image *i);

struct save_index {
	struct json_out index, docker;
	bool begun;
};

int save_index_add(struct save_index *x, const struct save_image *i, struct err *e);
int save_index_format(struct save_index *x, struct strbuf *index, struct strbuf *docker,
		      struct err *e);
void save_index_free(struct save_index *x);

#endif
