/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/crc32.h"
#include "tests/unit/tap.h"

int main(void)
{
	static const char text[] = "The quick brown fox jumps over the lazy dog";
	size_t len = sizeof(text) - 1;

	is_int(crc32_add(0, "", 0), 0, "nothing");
	is_int(crc32_add(0, "123456789", 9), 0xcbf43926u, "the check value");
	is_int(crc32_add(0, text, len), 0x414fa339u, "a longer text");
	for (size_t i = 0; i <= len; i++)
		is_int(crc32_add(crc32_add(0, text, i), text + i, len - i), 0x414fa339u,
		       "in two pieces, %zu", i);
	return done_testing();
}
