/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_CRC32_H
#define CSBX_BASE_CRC32_H

/*
 * CRC-32 as gzip and zip have it (RFC 1952, 8), against accidents, not against people. Begin with
 * 0; the result of one piece is the beginning of the next.
 */

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_add(uint32_t crc, const void *buf, size_t len);

#endif
