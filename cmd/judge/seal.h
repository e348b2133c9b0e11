/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_JUDGE_SEAL_H
#define CSBX_CMD_JUDGE_SEAL_H

#include <stddef.h>
#include <stdint.h>

/*
 * The seal proves that the writer of a record has the key: BLAKE2s (RFC 7693) with a key over the
 * record's number and the record, 16 bytes as 32 hex digits. A program that reads a sealed record
 * learns nothing that seals another.
 */
#define SEAL_DIGITS 32u
#define SEAL_KEY_BYTES 32u

void seal_make(const char key[SEAL_KEY_BYTES], uint64_t number, const char *record, size_t len,
	       char digits[SEAL_DIGITS]);

#endif
