/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/layer/lower.h"

#include <stdio.h>
#include <string.h>

/* "up/upper:" or "seeds:", every other name with two digits and a colon, "lower" and a NUL. */
_Static_assert(9 + (LOWERS_MAX - 1) * 3 + 6 <= LOWER_LIST_BYTES, "fsconfig(2) takes the list");

void lower_name(unsigned i, char ret[LOWER_NAME_BYTES])
{
	if (i)
		snprintf(ret, LOWER_NAME_BYTES, "%x", i & 0xff);
	else
		memcpy(ret, "lower", sizeof("lower"));
}

void lower_list(unsigned n, const char *above, char ret[LOWER_LIST_BYTES])
{
	char *at = ret + snprintf(ret, LOWER_LIST_BYTES, "%s", above);

	while (--n)
		at += snprintf(at, (size_t)(ret + LOWER_LIST_BYTES - at), "%x:", n);
	memcpy(at, "lower", sizeof("lower"));
}
