/* SPDX-License-Identifier: Apache-2.0 */
/* Seals of records: the answers are hashlib.blake2s's of Python. */
#include "cmd/judge/seal.h"

#include <string.h>

#include "tests/unit/tap.h"

static const char key[] = "0123456789abcdef0123456789abcdef";

static void check(uint64_t number, size_t len, const char *expected)
{
	static char record[65000];
	char digits[SEAL_DIGITS];

	memset(record, 'r', sizeof(record));
	seal_make(key, number, record, len, digits);
	ok(memcmp(digits, expected, SEAL_DIGITS) == 0, "record %llu of %zu bytes",
	   (unsigned long long)number, len);
}

int main(void)
{
	check(0, 0, "a45b3e55254f5c9ed7a5a8b0ee7b96d9");
	check(1, 56, "b8ad3f336e1caa13ac2d2fbb86dc9e5c"); /* a whole block */
	check(2, 57, "ad86b759d6167d837a2b09bceb9d78db");
	check(3, 120, "175e2e2f744168e9c6b0f1e9035dc9b8");
	check(UINT64_C(99999999999), 65000, "c50917b546c4279dfa855c1bb80dfe83");
	return done_testing();
}
