/* SPDX-License-Identifier: Apache-2.0 */
#include "image/save/image_save.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

#define ROOTFS "\"rootfs\":{\"diff_ids\":[\"sha256:1\"],\"type\":\"layers\"}}"

static void test_good(void)
{
	static const struct {
		const char *in, *want;
	} tests[] = {
		{"{}", "{" ROOTFS},
		{"{\"rootfs\":{\"diff_ids\":[\"a\",\"b\"]},\"os\":\"linux\"}",
		 "{\"os\":\"linux\"," ROOTFS},
		{"{\"history\":[{\"a\":1},{\"b\":2},{\"empty_layer\":true,\"c\":3}]}",
		 "{\"history\":[{\"a\":1,\"empty_layer\":true},{\"b\":2},{\"c\":3,\"empty_layer\":"
		 "true}]," ROOTFS},
		{"{\"history\":[{\"empty_layer\":false}]}", "{\"history\":[{}]," ROOTFS},
		{"{\"history\":[{\"empty_layer\":true}]}",
		 "{\"history\":[{\"empty_layer\":true}]," ROOTFS},
		{"{\"history\":[null,5,{}]}", "{\"history\":[null,5,{}]," ROOTFS},
		{"{\"history\":null}", "{\"history\":null," ROOTFS},
		/* What is not known stays what it was, numbers to the letter. */
		{"{\"x\":[9007199254740993,1.50,-0,1e999,true,null,\"\\u00e9\\\"\",{}]}",
		 "{\"x\":[9007199254740993,1.50,-0,1e999,true,null,\"\xc3\xa9\\\"\",{}]," ROOTFS},
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;
		struct err e = ERR_INIT;

		is_int(squashed_config(tests[i].in, strlen(tests[i].in), "sha256:1", &out, &e), 0,
		       "%s: %s", tests[i].in, e.msg);
		is_str(strbuf_str(&out), tests[i].want, "as one layer");
	}
}

static void test_bad(void)
{
	static const char *const bad[] = {"", "[]", "{", "{\"a\":1,\"a\":2}", "{} x", "{\"a\":01}"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;
		struct err e = ERR_INIT;

		is_int(squashed_config(bad[i], strlen(bad[i]), "sha256:1", &out, &e), -EBADMSG,
		       "refused: %s", bad[i]);
		ok(!out.len && strstr(e.msg, "image's configuration"), "says of what: %s", e.msg);
	}
}

int main(void)
{
	test_good();
	test_bad();
	return done_testing();
}
