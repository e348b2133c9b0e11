/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SUBID_H
#define CSBX_RUNTIME_SUBID_H

/*
 * Subordinate id ranges, subuid(5) and subgid(5): lines "owner:start:count", where owner is a
 * login name or a number.
 */

#include <stddef.h>
#include <stdint.h>

#define SUBID_RANGES_MAX 16
#define SUBID_FILE_MAX (4u << 20)

struct subid_range {
	uint32_t start, count;
};

struct subid_list {
	size_t n;
	struct subid_range items[SUBID_RANGES_MAX];
};

/*
 * Collects the ranges of one owner, in file order. Pure. Malformed lines, empty ranges, ranges
 * past the last id or with host id 0 or the owner's own id in them are passed over: newuidmap
 * would refuse them, or they would alias somebody. name may be NULL (match by number only).
 */
void subid_parse(const char *buf, size_t len, const char *name, uint32_t id,
		 struct subid_list *ret);

/*
 * The first `count` ids from `from` on that no line of the text gives to a user; 0: there are none.
 * Pure. Two files: the answer for one is where to begin in the other.
 */
uint32_t subid_find_free(const char *buf, size_t len, uint32_t from, uint32_t count);

/*
 * Login name of uid in passwd(5) text, or NULL: points into buf, *ret_len bytes, no NUL. Pure.
 */
const char *subid_login_name(const char *buf, size_t len, uint32_t uid, size_t *ret_len);

#endif
