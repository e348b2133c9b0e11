/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_PLATFORM_H
#define CSBX_IMAGE_PLATFORM_H

/*
 * Platforms in Go's names, as image indexes and configs spell them (image-spec image-index.md,
 * "platform"): os "linux", architecture "amd64" "arm64" "arm" ..., variant "v7". Only linux can
 * be asked for. A missing variant means the lowest one: amd64 v1, arm64 v8, arm v7.
 */

#include <stddef.h>

struct err;
struct oci_descriptor;
struct strbuf;

struct platform {
	char os[16], arch[16], variant[16]; /* variant "" = the architecture's lowest */
};

/*
 * The platform that the user asks for: arch (uname's or Go's name) and platform
 * (os/arch[/variant]), each may be NULL; both must agree when both are given. Neither: the machine
 * this runs on.
 */
int platform_wanted(const char *arch, const char *platform, struct platform *ret, struct err *e);

/* uname's or Go's name of a machine to Go's; "armv7l" and such set the variant too. */
int platform_from_arch(const char *arch, struct platform *ret, struct err *e);

/*
 * Ranks how well an offer serves: -1 not at all, else higher is better: the wanted variant, then
 * lower ones. NULL or "" in the offer's os or arch means unknown and serves with rank 0.
 */
int platform_rank(const struct platform *want, const char *os, const char *arch,
		  const char *variant);

/*
 * The index of the best of n descriptors; the first of equals. Entries for unknown/unknown
 * (attestations) never serve. -ENOENT with the list of what is offered.
 */
int platform_choose(const struct platform *want, const struct oci_descriptor *d, size_t n,
		    size_t *ret, struct err *e);

/* "linux/arm/v7". */
void platform_format(struct strbuf *b, const char *os, const char *arch, const char *variant);

#endif
