/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_OCI_JSON_H
#define CSBX_IMAGE_OCI_JSON_H

/*
 * Indexes and manifests as plain structs: OCI's (image-spec image-index.md, manifest.md), and
 * docker's manifest list and manifest version 2 schema 2, which have the same members. Pure
 * functions of (text, len). Every digest they return has been through digest_parse().
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/model/source.h"

struct err;

#define OCI_LAYERS_MAX 512 /* docker stops at 127 */
#define OCI_INDEX_MAX 10000

enum oci_kind { OCI_INDEX, OCI_MANIFEST };

struct oci_descriptor {
	char *media_type; /* NULL = absent, as every string here */
	struct digest digest;
	uint64_t size_bytes;
	char *os, *arch, *variant;
	char *ref_name, *image_name; /* annotations: org.opencontainers.image.ref.name,
					io.containerd.image.name */
	bool attestation;            /* BuildKit's statement about another entry: not an image */
	bool foreign;                /* `urls` name places outside the registry */
};

/* An index has entries, a manifest has config and layers. */
struct oci_document {
	enum oci_kind kind;
	struct oci_descriptor *entries; /* manifests of an index, layers of a manifest */
	size_t n;
	struct oci_descriptor config;
};

/*
 * media_type is what the document was referred to by, NULL when nothing said. It, the document's
 * own mediaType and its members must all tell the same: a document that is a manifest to one
 * reader and an index to the next is refused (CVE-2021-41190). So are by name: schema 1,
 * artifacts, encrypted layers and layers of unknown types.
 */
int oci_document_parse(const void *text, size_t len, const char *media_type,
		       struct oci_document *ret, struct err *e);
void oci_document_free(struct oci_document *d);
#define _oci_document_ __attribute__((cleanup(oci_document_free)))

/* OCI_INDEX or OCI_MANIFEST for the media types of images, -1 for all others and NULL. */
int oci_kind_of(const char *media_type);

#define OCI_MEDIA_INDEX "application/vnd.oci.image.index.v1+json"
#define OCI_MEDIA_MANIFEST "application/vnd.oci.image.manifest.v1+json"

/* The oci-layout file (image-spec image-layout.md); only version 1 is understood. */
int oci_layout_check(const void *text, size_t len, struct err *e);

#endif
