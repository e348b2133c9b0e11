/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the command line: any text parses or does not, and never outside its limits. */
#include "runtime/base/num.h"

#include <string.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[256];
	unsigned mode;
	uint64_t v;

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	if (!num_parse_u64(text, 1000, &v))
		FUZZ_ASSERT(v <= 1000);
	if (!num_parse_bytes(text, &v))
		FUZZ_ASSERT(v <= INT64_MAX);
	if (!num_parse_duration(text, &v))
		FUZZ_ASSERT(v <= UINT64_C(366) * 24 * 3600 * 1000);
	if (!num_parse_milli(text, 1000000, &v))
		FUZZ_ASSERT(v <= 1000000);
	if (!num_parse_mode(text, &mode))
		FUZZ_ASSERT(mode <= 07777);
	return 0;
}
