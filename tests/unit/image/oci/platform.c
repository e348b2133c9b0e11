/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/platform.h"

#include "image/oci/json.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

#define LIST "application/vnd.docker.distribution.manifest.list.v2+json"

static void test_wanted(void)
{
	static const struct {
		const char *arch, *platform, *want; /* NULL: refused */
	} tests[] = {
		{"x86_64", NULL, "linux/amd64"},
		{"amd64", NULL, "linux/amd64"},
		{"aarch64", NULL, "linux/arm64"},
		{"armv7l", NULL, "linux/arm/v7"},
		{"ppc64le", NULL, "linux/ppc64le"},
		{NULL, "linux/arm64", "linux/arm64"},
		{NULL, "linux/arm/v6", "linux/arm/v6"},
		{NULL, "linux/x86_64", "linux/amd64"},
		{"arm64", "linux/arm64/v8", "linux/arm64/v8"},
		{"amd64", "linux/arm64", NULL},
		{"vax", NULL, NULL},
		{"", NULL, NULL},
		{NULL, "windows/amd64", NULL},
		{NULL, "linux", NULL},
		{NULL, "linux/", NULL},
		{NULL, "/amd64", NULL},
		{NULL, "linux/amd64/", NULL},
		{NULL, "linux/arm/v7/x", NULL},
		{NULL, "linux/amd64/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL},
	};

	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		const char *arch = tests[i].arch ? tests[i].arch : "-";
		const char *platform = tests[i].platform ? tests[i].platform : "-";
		_strbuf_ struct strbuf b = STRBUF_INIT;
		struct err e = ERR_INIT;
		struct platform p;
		int r = platform_wanted(tests[i].arch, tests[i].platform, &p, &e);

		if (!tests[i].want) {
			ok(r < 0 && *e.msg, "refuses %s %s: %s", arch, platform, e.msg);
			continue;
		}
		if (!ok(!r, "accepts %s %s", arch, platform))
			continue;
		platform_format(&b, p.os, p.arch, p.variant);
		is_str(strbuf_str(&b), tests[i].want, "and means");
	}
	{
		struct platform p;

		ok(!platform_wanted(NULL, NULL, &p, NULL) && str_eq(p.os, "linux"), "this machine");
	}
}

struct offer {
	const char *os, *arch, *variant;
	bool attestation;
};

#define OFFERS_MAX 5

static void test_choose(void)
{
	static const struct {
		const char *platform, *what;
		size_t n;
		struct offer offers[OFFERS_MAX];
		int want; /* -1: none */
	} tests[] = {
		{"linux/amd64",
		 "os counts, not only the architecture",
		 3,
		 {{"windows", "amd64"}, {"linux", "arm64"}, {"linux", "amd64"}},
		 2},
		{"linux/amd64", "first of equals", 2, {{"linux", "amd64"}, {"linux", "amd64"}}, 0},
		{"linux/amd64",
		 "attestations are no images",
		 3,
		 {{"unknown", "unknown"}, {"linux", "amd64", NULL, true}, {"linux", "amd64"}},
		 2},
		{"linux/amd64",
		 "no higher level",
		 2,
		 {{"linux", "amd64", "v3"}, {"linux", "amd64", "v2"}},
		 -1},
		{"linux/amd64",
		 "v1 is no variant",
		 2,
		 {{"linux", "amd64", "v3"}, {"linux", "amd64", "v1"}},
		 1},
		{"linux/amd64/v3",
		 "the highest not above",
		 3,
		 {{"linux", "amd64"}, {"linux", "amd64", "v4"}, {"linux", "amd64", "v2"}},
		 2},
		{"linux/amd64/v3",
		 "exact wins",
		 2,
		 {{"linux", "amd64", "v2"}, {"linux", "amd64", "v3"}},
		 1},
		{"linux/arm64", "v8 is the default", 1, {{"linux", "arm64", "v8"}}, 0},
		{"linux/arm64", "v8.2 is above", 1, {{"linux", "arm64", "v8.2"}}, -1},
		{"linux/arm/v7",
		 "lower serves",
		 3,
		 {{"linux", "arm", "v5"}, {"linux", "arm", "v6"}, {"linux", "arm64"}},
		 1},
		{"linux/arm/v6", "higher does not", 1, {{"linux", "arm", "v7"}}, -1},
		{"linux/arm/v7", "no variant is v7", 1, {{"linux", "arm"}}, 0},
		{"linux/amd64", "an entry that says nothing serves", 1, {{NULL, NULL, NULL}}, 0},
		{"linux/amd64", "but only last", 2, {{NULL, NULL, NULL}, {"linux", "amd64"}}, 1},
		{"linux/amd64",
		 "odd variants do not serve",
		 1,
		 {{"linux", "amd64", "haswell"}},
		 -1},
		{"linux/amd64", "nothing offered", 1, {{"unknown", "unknown"}}, -1},
	};

	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct oci_descriptor d[OFFERS_MAX];
		struct err e = ERR_INIT;
		struct platform want;
		size_t got = 0, n = 0;
		int r;

		memset(d, 0, sizeof(d));
		for (; n < tests[i].n; n++) {
			const struct offer *o = &tests[i].offers[n];

			d[n].media_type = (char *)LIST;
			d[n].os = (char *)o->os;
			d[n].arch = (char *)o->arch;
			d[n].variant = (char *)o->variant;
			d[n].attestation = o->attestation;
		}
		platform_wanted(NULL, tests[i].platform, &want, NULL);
		r = platform_choose(&want, d, n, &got, &e);
		is_int(r ? -1 : (int)got, tests[i].want, "%s: %s", tests[i].platform,
		       tests[i].what);
	}
}

static void test_message(void)
{
	struct oci_descriptor d[] = {
		{.media_type = (char *)LIST,
		 .os = (char *)"linux",
		 .arch = (char *)"arm",
		 .variant = (char *)"v7"},
		{.media_type = (char *)LIST, .os = (char *)"unknown", .arch = (char *)"unknown"},
		{.media_type = (char *)LIST, .os = (char *)"\033[2J", .arch = (char *)"x"},
	};
	struct err e = ERR_INIT;
	struct platform want;
	size_t i;

	platform_wanted("amd64", NULL, &want, NULL);
	is_int(platform_choose(&want, d, 3, &i, &e), -ENOENT, "none fits");
	is_str(e.msg, "no image for linux/amd64; offered: linux/arm/v7, \\x1b[2J/x",
	       "lists what is offered");
	is_int(platform_choose(&want, d, 0, &i, &e), -ENOENT, "an empty index");
	is_str(e.msg, "the index lists no image", "says so");
}

int main(void)
{
	test_wanted();
	test_choose();
	test_message();
	return done_testing();
}
