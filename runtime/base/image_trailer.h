/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_IMAGE_TRAILER_H
#define CSBX_BASE_IMAGE_TRAILER_H

/*
 * The origin of an image: one flat record (base/flat.h) behind the file system, at bytes_used of
 * the squashfs super block rounded up to 4096. The kernel and every other reader of squashfs ignore
 * what lies there, and the file system itself depends on the image's content alone. Written by
 * image/, read by runtime/; to both readers and users it is a claim, not a proof.
 */

#define IMAGE_TRAILER_MAGIC 0x31545343u /* "CST1" */
#define IMAGE_TRAILER_VERSION 2u
#define IMAGE_TRAILER_MAX (8u << 20) /* bytes of the whole record */

enum image_trailer_tag {
	TRAILER_REF = 1,         /* str: the URI as the user wrote it */
	TRAILER_MANIFEST_DIGEST, /* str, as are all digests */
	TRAILER_CONFIG_DIGEST,
	TRAILER_MANIFEST,     /* bytes: the manifest, verbatim */
	TRAILER_LAYER_DIGEST, /* str, repeated: stored bytes of each layer; "": there are none */
	TRAILER_DIFF_ID,      /* str, repeated, in step: the layer's tar */
	TRAILER_TOOL,         /* str: "csbx 0.1.0" */
	TRAILER_WRITER,       /* str: compressor and level, "zstd:3" */
	TRAILER_LOWER,        /* u64, repeated, of a stack's topmost file: the length of each file
			       * below, the lowest first. Beside FILE they are FILE.0, FILE.1 ... */
};

#endif
