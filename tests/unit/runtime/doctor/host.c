/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/doctor/host.h"

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

static void test_table(void)
{
	for (int f = 0; f < HOST_FEATURE_MAX; f++) {
		const char *name = host_feature_name((enum host_feature)f);

		ok(name && *name && host_feature_summary((enum host_feature)f), "feature %d: %s", f,
		   name);
		is_int(host_feature_find(name), f, "%s is found by its name", name);
	}
	is_int(host_feature_find("flight"), HOST_FEATURE_MAX, "an unknown feature");
	is_int(host_feature_find(""), HOST_FEATURE_MAX, "an empty name");
}

/* Whatever this machine can do, each probe says something and leaves the process as it was. */
static void test_probes(void)
{
	for (int f = 0; f < HOST_FEATURE_MAX; f++) {
		struct host_fact fact;

		host_probe(NULL, (enum host_feature)f, &fact);
		ok(fact.reason[0], "%s: %s: %s", host_feature_name((enum host_feature)f),
		   fact.ok ? "ok" : "missing", fact.reason);
	}
}

static void test_hints(void)
{
	static const char *const unrelated[] = {"refused for root", "no such process", "arranged",
						"standard output: No space left"};
	_strbuf_ struct strbuf hint = STRBUF_INIT;
	struct host_fact fact;

	for (size_t i = 0; i < sizeof(unrelated) / sizeof(unrelated[0]); i++)
		ok(!host_hint(EPERM, unrelated[i], &hint), "nothing to say to: %s", unrelated[i]);
	ok(!host_hint(EEXIST, "user namespace", &hint), "a code that no machine is to blame for");
	host_probe(NULL, HOST_USERNS, &fact);
	is_int(host_hint(EPERM, "start x: make a user namespace: Operation not permitted", &hint),
	       !fact.ok && fact.remedy[0], "a hint only where the feature is missing");
}

int main(void)
{
	test_table();
	test_probes();
	test_hints();
	return done_testing();
}
