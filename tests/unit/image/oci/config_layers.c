/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/config_layers.h"
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
		/* Unknown members stay as they were, numbers to the letter. */
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

/* Finds the steps that have a layer afterwards. */
static void test_kept(void)
{
	static const struct {
		const char *steps; /* '1': it had a layer */
		size_t n_joined, n_kept;
		bool has_rest;
		const char *want;
	} tests[] = {
		{"1011", 0, 1, true, "1001"},  {"1011", 0, 1, false, "1000"},
		{"1011", 0, 2, true, "1011"},  {"1111", 2, 4, false, "0111"},
		{"0101", 1, 2, false, "0101"}, {"11", 5, 5, false, "01"},
		{"111", 0, 0, true, "001"},    {"000", 0, 0, true, "000"},
		{"1", 3, 3, true, "1"},
	};
	_strv_ struct strv diff_ids = STRV_INIT;

	strv_add(&diff_ids, "sha256:1");
	strv_add(&diff_ids, "sha256:2");
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		const struct config_layers l = {&diff_ids, tests[i].n_joined, tests[i].n_kept,
						tests[i].has_rest};
		_strbuf_ struct strbuf in = STRBUF_INIT, want = STRBUF_INIT, out = STRBUF_INIT;
		struct err e = ERR_INIT;

		strbuf_addstr(&in, "{\"history\":[");
		strbuf_addstr(&want, "{\"history\":[");
		for (size_t k = 0; tests[i].steps[k]; k++) {
			strbuf_addstr(&in, k ? "," : "");
			strbuf_addstr(&want, k ? "," : "");
			strbuf_addstr(&in,
				      tests[i].steps[k] == '1' ? "{}" : "{\"empty_layer\":true}");
			strbuf_addstr(&want,
				      tests[i].want[k] == '1' ? "{}" : "{\"empty_layer\":true}");
		}
		strbuf_addstr(&in, "],\"rootfs\":{}}");
		strbuf_addstr(&want, "],\"rootfs\":{\"diff_ids\":[\"sha256:1\",\"sha256:2\"],"
				     "\"type\":\"layers\"}}");
		is_int(config_with_layers(strbuf_str(&in), in.len, &l, &out, &e), 0, "%s", e.msg);
		is_str(strbuf_str(&out), strbuf_str(&want), "%s: %zu joined, %zu kept%s",
		       tests[i].steps, tests[i].n_joined, tests[i].n_kept,
		       tests[i].has_rest ? ", the rest one" : "");
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
	test_kept();
	test_bad();
	return done_testing();
}
