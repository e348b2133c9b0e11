/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_JSON_SCAN_H
#define CSBX_IMAGE_JSON_SCAN_H

/*
 * Checks a text against the grammar of RFC 8259 before the tree is built, and notes what a tree
 * of doubles cannot tell any more. Private to strict_json.c. Pure: no state, no recursion.
 */

#include <stddef.h>

#include "runtime/base/str.h"

struct err;

struct json_scan {
	/* One byte a number, in document order: 1 = written as an integer within +-(2^53 - 1). */
	struct strbuf integers;
};

/* 0, or -EBADMSG naming line and column. Objects may still hold a key twice. */
int json_scan(const void *text, size_t len, struct json_scan *ret, struct err *e);
void json_scan_free(struct json_scan *s);

#endif
