/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_NUM_H
#define CSBX_BASE_NUM_H

/* Strict number parsing: the whole string, no sign, no blanks, no locale. 0 or -EINVAL/-ERANGE. */

#include <stdint.h>

int num_parse_u64(const char *s, uint64_t max, uint64_t *ret);

/* "64m", "1g", "512k", "1.5g", "1048576", "64mb", "64MiB": bytes, powers of 1024. */
int num_parse_bytes(const char *s, uint64_t *ret_bytes);

/* "5", "0.5", "250ms", "2s", "3m", "1h", "30d": milliseconds; a bare number is seconds. */
int num_parse_duration(const char *s, uint64_t *ret_ms);

/* "1", "0.5", "1.25": thousandths; at most three decimals, more are cut. */
int num_parse_milli(const char *s, uint64_t max_milli, uint64_t *ret_milli);

/* Octal mode bits, 0..07777. */
int num_parse_mode(const char *s, unsigned *ret_mode);

#endif
