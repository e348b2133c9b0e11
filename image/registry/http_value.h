/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_HTTP_VALUE_H
#define CSBX_IMAGE_HTTP_VALUE_H

/* Values of header fields (RFC 9110): pure functions over foreign text. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "bytes FIRST-LAST/TOTAL" (14.4). total is UINT64_MAX for "*". */
struct content_range {
	uint64_t first, last, total;
};

/* 0 or -EBADMSG. first <= last < total holds in what is returned. */
int content_range_parse(const char *value, struct content_range *ret);

/* Seconds or an HTTP date (10.2.3), as milliseconds from now_s; a past date is 0. -EBADMSG. */
int retry_after_parse(const char *value, int64_t now_s, uint64_t *ret_ms);

/* "application/json; charset=utf-8" -> "application/json" in lower case; false: too long. */
bool media_type_parse(const char *value, char *ret, size_t cap);

#endif
