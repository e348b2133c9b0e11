/* SPDX-License-Identifier: Apache-2.0 */
/* The test vectors of RFC 4648, section 10. */
#include "runtime/base/base64.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

int main(void)
{
	static const char *const vectors[][2] = {
		{"", ""},
		{"f", "Zg=="},
		{"fo", "Zm8="},
		{"foo", "Zm9v"},
		{"foob", "Zm9vYg=="},
		{"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"},
		{"\xff\xfe\xfd", "//79"},
	};

	static const char *const bad[] = {
		"Z", "Zg", "Zg=", "Zg==Zg==", "Zh==", "Zm9=", "Z===", "====", "Zm 9", "Zm-_"};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;

		base64_encode(vectors[i][0], strlen(vectors[i][0]), &out);
		is_str(strbuf_str(&out), vectors[i][1], "vector %zu", i);
		strbuf_reset(&out);
		is_int(base64_decode(vectors[i][1], strlen(vectors[i][1]), &out), 0, "decodes");
		is_str(strbuf_str(&out), vectors[i][0], "vector %zu back", i);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;

		is_int(base64_decode(bad[i], strlen(bad[i]), &out), -EBADMSG, "refused: %s",
		       bad[i]);
	}
	return done_testing();
}
