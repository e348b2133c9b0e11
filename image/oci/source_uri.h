/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_SOURCE_URI_H
#define CSBX_IMAGE_SOURCE_URI_H

/*
 * The words that a user may write as the source of an import:
 *
 *	oci:DIR oci-archive:FILE docker-archive:FILE	[SELECTION]
 *	tar:FILE dir:DIR PATH -				FILE may be "-", the standard input
 *	dockerd://IMAGE podman://IMAGE			what these engines hold
 *
 * SELECTION picks one of several images: ":REF" or ":NAME:TAG" by name, "@sha256:HEX" by digest,
 * "@N" by place (":@N" as other tools write it is understood too). Paths may hold colons: the
 * longest beginning that exists is the path.
 */

#include <stdbool.h>
#include <stddef.h>

#include "image/model/source.h"

struct err;

enum source_kind {
	SOURCE_SNIFF, /* a bare path or the standard input: the content decides */
	SOURCE_OCI_LAYOUT,
	SOURCE_OCI_ARCHIVE,
	SOURCE_DOCKER_ARCHIVE,
	SOURCE_TAR,
	SOURCE_DIRECTORY, /* a rootfs, or skopeo's dir: form */
	SOURCE_DOCKERD,
	SOURCE_PODMAN,
};

enum source_select { SELECT_ANY, SELECT_REF, SELECT_DIGEST, SELECT_PLACE };

struct source_uri {
	enum source_kind kind;
	char *path; /* "-" = the standard input; an engine's: the image's name */
	enum source_select select;
	char *ref;
	struct digest digest;
	size_t place;
};

/* exists tells whether a path is there. */
int source_uri_parse(const char *text, bool (*exists)(const char *path), struct source_uri *ret,
		     struct err *e);
void source_uri_free(struct source_uri *u);
#define _source_uri_ __attribute__((cleanup(source_uri_free)))

/*
 * The default name of what is made of it: the last component of the path without ".tar" and the
 * like, "+" and what was selected; a selected NAME:TAG names it alone, by enroot's rule.
 * An engine's image is named as it was written, with "+" for ":" and "/", as enroot does.
 * base stands for a path that has no name of its own (".", "/"). NULL: ENOMEM.
 */
char *source_uri_name(const struct source_uri *u, const char *base);

#endif
