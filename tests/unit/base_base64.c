/* SPDX-License-Identifier: Apache-2.0 */
/* The test vectors of RFC 4648, section 10. */
#include "runtime/base/base64.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

int main(void)
{
	static const char *const vectors[][2] = {
		{"", ""},	   {"f", "Zg=="},	{"fo", "Zm8="},	       {"foo", "Zm9v"},
		{"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}, {"\xff\xfe\xfd", "//79"},
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;

		base64_encode(vectors[i][0], strlen(vectors[i][0]), &out);
		is_str(strbuf_str(&out), vectors[i][1], "vector %zu", i);
	}
	return done_testing();
}
