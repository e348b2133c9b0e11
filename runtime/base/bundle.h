/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_BUNDLE_H
#define CSBX_BASE_BUNDLE_H

/*
 * A bundle: csbx, its helper programs and an image in one executable file, which starts the image
 * where no csbx is installed. No part of it is unpacked: csbx reads the parts where they lie.
 *
 *	csbx (ELF) | csbx-init | csbx-squashd | configuration (a flat record) | image | trailer
 *
 * The trailer is the last BUNDLE_TRAILER_BYTES of the file: 16 bytes of magic, then offset and
 * length of each part in the order of enum bundle_part as little-endian 64-bit numbers, zeros. The
 * image's offset is a multiple of BUNDLE_ALIGN. A reader of images takes a bundle for one, too.
 */

#include <stdbool.h>
#include <stdint.h>

#define BUNDLE_TRAILER_BYTES 128
#define BUNDLE_ALIGN 4096u

enum bundle_part { BUNDLE_INIT, BUNDLE_SQUASHD, BUNDLE_CONFIG, BUNDLE_IMAGE, BUNDLE_PARTS };

struct bundle_extent {
	uint64_t offset, bytes;
};

struct bundle {
	struct bundle_extent parts[BUNDLE_PARTS];
};

/* Pure; false: that is no trailer of a bundle, or one whose parts are not in the file. */
bool bundle_parse(const unsigned char trailer[BUNDLE_TRAILER_BYTES], uint64_t file_bytes,
		  struct bundle *ret);
void bundle_format(const struct bundle *b, unsigned char ret_trailer[BUNDLE_TRAILER_BYTES]);

/*
 * Reads the trailer of an open file, by lseek(2) and pread(2) alone. False: no bundle, or it cannot
 * be read.
 */
bool bundle_read(int fd, struct bundle *ret);

#endif
