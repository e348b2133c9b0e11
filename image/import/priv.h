/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_IMPORT_PRIV_H
#define CSBX_IMAGE_IMPORT_PRIV_H

/* Shared by import.c (the order of things), index.c (pass 1), data.c (pass 2). */

#include "image/import/import.h"
#include "image/layer/layer.h"
#include "image/layer/index.h"
#include "image/import/metadata.h"
#include "image/squash/tree.h"
#include "runtime/base/str.h"

struct import {
	const struct image_source *src;
	struct import_options options;
	struct layer_index *layers; /* one for each layer of src */
	struct tree tree;
	struct metadata metadata;
	_Atomic uint64_t read_bytes;
	uint64_t total_bytes;
};

/* The options that layer_reader_open() gets in either pass. */
struct layer_options import_layer_options(struct import *im, bool hash_plain);

void import_report(struct import *im, enum import_phase phase);

/* "layer 2 of 5 (sha256:...)": in front of what went wrong with one. */
int import_wrap_layer(const struct import *im, size_t layer, struct err *e);

/* Pass 1: fills im->layers, everything verified. */
int import_index(struct import *im, struct err *e);

/* Pass 2: all visible content into s. */
int import_data(struct import *im, struct squash *s, struct err *e);

/* The record behind the file system (base/image_trailer.h). */
int import_trailer(const struct import *im, struct strbuf *out, struct err *e);

#endif
