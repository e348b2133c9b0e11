/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the harness of csbx test, and the verdict on them. */
#include <stdio.h>
#include <string.h>

#include "cmd/judge/test/report.h"
#include "cmd/judge/test/verdict.h"
#include "runtime/base/err.h"
#include "tests/unit/tap.h"

static int add(struct test_report *r, const char *json)
{
	return test_report_add(r, json, strlen(json), NULL);
}

static void phase(struct test_report *r, const char *id, const char *when, const char *outcome,
		  bool xfail)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "{\"t\":\"report\",\"id\":\"%s\",\"alt\":null,\"when\":\"%s\",\"outcome\":\"%s\","
		 "\"xfail\":%s,\"part\":false,\"ms\":1}",
		 id, when, outcome, xfail ? "true" : "false");
	is_int(add(r, text), 0, "%s %s %s", id, when, outcome);
}

static void whole(struct test_report *r, const char *id, const char *call, bool xfail)
{
	phase(r, id, "setup", "passed", false);
	phase(r, id, "call", call, xfail);
	phase(r, id, "teardown", "passed", false);
}

static const char *outcome(const struct test_report *r, const char *id)
{
	const struct test_case *c = test_report_find(r, id);

	return c ? test_outcome_name(test_case_outcome(c)) : "none";
}

static void finish(struct test_report *r, const char *json)
{
	is_int(add(r, json), 0, "the end");
}

static struct test_verdict reach(struct test_report *r, const char *f2p, const char *p2p,
				 bool strict)
{
	struct test_lists lists = {0};
	struct test_verdict v = {0};

	if (f2p)
		strv_add(&lists.ids[LIST_FAIL_TO_PASS], f2p);
	if (p2p)
		strv_add(&lists.ids[LIST_PASS_TO_PASS], p2p);
	is_int(test_verdict_reach(r, &lists, strict, &v, NULL), 0, "a verdict");
	strv_free(&lists.ids[0]);
	strv_free(&lists.ids[1]);
	return v;
}

static bool resolves(struct test_report *r, const char *f2p, const char *p2p, bool strict)
{
	struct test_verdict v = reach(r, f2p, p2p, strict);

	test_verdict_free(&v);
	return v.resolved;
}

static void test_outcomes(void)
{
	struct test_report r = {0};

	whole(&r, "p", "passed", false);
	whole(&r, "f", "failed", false);
	whole(&r, "s", "skipped", false);
	whole(&r, "xf", "skipped", true);
	whole(&r, "xp", "passed", true);
	phase(&r, "e", "setup", "failed", false);
	phase(&r, "e", "teardown", "passed", false);
	phase(&r, "unended", "setup", "passed", false);
	phase(&r, "unended", "call", "passed", false);
	is_str(outcome(&r, "p"), "passed", "passed");
	is_str(outcome(&r, "f"), "failed", "failed");
	is_str(outcome(&r, "s"), "skipped", "skipped");
	is_str(outcome(&r, "xf"), "xfailed", "xfailed");
	is_str(outcome(&r, "xp"), "xpassed", "xpassed");
	is_str(outcome(&r, "e"), "error", "an error of a fixture");
	is_str(outcome(&r, "unended"), "error", "no end of it");
	whole(&r, "f", "passed", false);
	is_str(outcome(&r, "f"), "failed", "said twice: the worse one counts");
	ok(!resolves(&r, "p", NULL, false), "without an end nothing is resolved");
	finish(&r,
	       "{\"t\":\"finish\",\"status\":1,\"collected\":9,\"failed\":2,\"session_failed\":2}");
	ok(resolves(&r, "p", "p", false), "passed");
	ok(resolves(&r, "xf", "xf", false), "an expected failure is good");
	ok(!resolves(&r, "s", NULL, false) && resolves(&r, NULL, "s", false), "skipped");
	ok(!resolves(&r, "xp", NULL, false) && !resolves(&r, NULL, "xp", false), "xpassed");
	ok(!resolves(&r, "nosuch", NULL, false), "missing");
	is_int(add(&r,
		   "{\"t\":\"report\",\"id\":\"nosuch\",\"when\":\"call\",\"outcome\":\"passed\","
		   "\"xfail\":false,\"part\":false,\"ms\":1}"),
	       -EBADMSG, "too late");
	test_report_free(&r);
}

static void test_ids(void)
{
	struct test_report r = {0};

	whole(&r, "t.py::f[a b]", "passed", false);
	whole(&r, "t.py::f[a c]", "failed", false);
	whole(&r, "t.py::g[x]", "passed", false);
	whole(&r, "u.py::f", "passed", false);
	finish(&r,
	       "{\"t\":\"finish\",\"status\":1,\"collected\":4,\"failed\":1,\"session_failed\":1}");
	ok(resolves(&r, "t.py::f[a b]", "t.py::g[", false), "a truncated id");
	ok(!resolves(&r, "t.py::f[a", NULL, false), "one of those it stands for failed");
	ok(!resolves(&r, "t.py::f", NULL, false),
	   "an id without parameters is not a truncated one");
	ok(!resolves(&r, "t.py::h[", NULL, false), "stands for none");
	ok(resolves(&r, "u.py", NULL, false) && !resolves(&r, "t.py", NULL, false), "files");
	ok(!resolves(&r, "u", NULL, false), "not a file");
	test_report_free(&r);
}

static void changed(struct test_report *r, const char *path, bool is_new)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "{\"t\":\"changed\",\"path\":\"%s\",\"tests\":false,\"site\":false,"
		 "\"shadow\":false,\"new\":%s}",
		 path, is_new ? "true" : "false");
	is_int(add(r, text), 0, "%s", path);
}

static void test_tampering(void)
{
	static const struct {
		const char *path, *kind;
		bool is_new;
	} files[] = {{"conftest.py", "conftest"},
		     {"a/b/conftest.py", "conftest"},
		     {"setup.cfg", "pytest_config"},
		     {"x/y.pth", "startup"},
		     {"sitecustomize.py", "startup"},
		     {"x.egg-info/entry_points.txt", "entry_points"},
		     {"tests/test_a.py", "test_file"},
		     {"tests/test_a.abi3.so", "test_file", true},
		     {"tests/test_a/__init__.py", "test_file", true},
		     {"tests/__pycache__/test_a.cpython-311.pyc", "test_file", true},
		     {"tests/__init__.py", "test_support", true},
		     {"tests/data/a.json", "test_support"},
		     {"tests/helper.py", "test_support"}};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct test_report r = {0};

		changed(&r, files[i].path, files[i].is_new);
		whole(&r, "tests/test_a.py::t", "passed", false);
		finish(&r, "{\"t\":\"finish\",\"status\":0,\"collected\":1,\"failed\":0,"
			   "\"session_failed\":0}");
		ok(resolves(&r, "tests/test_a.py::t", NULL, false), "resolved");
		is_int((long)r.tamper.n, 1, "and told");
		is_str(r.tamper.items[0].what, files[i].kind, "as %s", files[i].kind);
		ok(!resolves(&r, "tests/test_a.py::t", NULL, true), "strict");
		test_report_free(&r);
	}
}

static void test_what_is_no_tampering(void)
{
	static const char *const files[] = {"a.py", "tests/test_b.py", "tests/b_test.py",
					    "other/tests/helper.py", "tests_of/x.py"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct test_report r = {0};

		changed(&r, files[i], false);
		changed(&r, "tests/new.json", true);
		whole(&r, "tests/test_a.py::t", "passed", false);
		ok(!resolves(&r, "tests/test_a.py::t", NULL, true), "no end");
		is_int((long)r.tamper.n, 0, "%s", files[i]);
		test_report_free(&r);
	}
}

/* unittest's ids name modules, relative to any directory. */
static void test_dotted_ids(void)
{
	static const struct {
		const char *path, *id;
		bool is_told;
	} rows[] = {
		{"tests/test_a.py", "tests.test_a.T.test", true},
		{"tests/test_a.py", "test_a.T.test", true},
		{"x/tests/test_a.py", "tests.test_a.T.test", true},
		{"tests/test_a.py", "test (tests.test_a.T)", true},
		{"tests/test_a.py", "tests.test_a", true},
		{"tests/test_a/__init__.py", "tests.test_a.T.test", true},
		{"tests/__init__.py", "tests.test_a.T.test", true},
		{"tests/data.json", "tests.test_a.T.test", true},
		{"tests/test_a.py", "tests.test_ab.T.test", false},
		{"tests/test_ab.py", "tests.test_a.T.test", false},
		{"a.py", "tests.test_a.T.test", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct test_report r = {0};

		changed(&r, rows[i].path, false);
		resolves(&r, rows[i].id, NULL, false);
		is_int((long)r.tamper.n, rows[i].is_told, "%s of %s", rows[i].path, rows[i].id);
		test_report_free(&r);
	}
}

static void test_malformed(void)
{
	static const char *const bad[] = {"",
					  "x",
					  "[]",
					  "{}",
					  "{\"t\":1}",
					  "{\"t\":\"nosuch\"}",
					  "{\"t\":\"hello\"}",
					  "{\"t\":\"hello\",\"python\":3}",
					  "{\"t\":\"hello\",\"t\":\"hello\",\"python\":\"3\"}",
					  "{\"t\":\"report\",\"id\":\"a\",\"when\":\"call\","
					  "\"outcome\":\"passed\",\"xfail\":0,"
					  "\"part\":false,\"ms\":1}",
					  "{\"t\":\"report\",\"id\":\"a\",\"when\":\"later\","
					  "\"outcome\":\"passed\",\"xfail\":false,"
					  "\"part\":false,\"ms\":1}",
					  "{\"t\":\"report\",\"id\":\"a\",\"when\":\"call\","
					  "\"outcome\":\"good\",\"xfail\":false,"
					  "\"part\":false,\"ms\":1}",
					  "{\"t\":\"report\",\"id\":\"a\",\"when\":\"call\","
					  "\"outcome\":\"passed\",\"xfail\":false,"
					  "\"part\":false,\"ms\":-1}",
					  "{\"t\":\"finish\",\"status\":0}",
					  "{\"t\":\"changed\",\"path\":\"x\"}"};
	struct test_report r = {0};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(add(&r, bad[i]) < 0, "refused: %s", bad[i]);
	is_int(add(&r, "{\"t\":\"session\",\"runner\":\"pytest\",\"version\":\"7\"}"), 0,
	       "a session");
	ok(add(&r, "{\"t\":\"patch\",\"name\":\"p\",\"tests\":false,\"applied\":true}") < 0,
	   "a patch after code ran");
	ok(add(&r, "{\"t\":\"changed\",\"path\":\"p\",\"tests\":true,\"site\":false,"
		   "\"shadow\":false,\"new\":false}") < 0,
	   "a changed file after code ran");
	test_report_free(&r);
}

static bool passes(const char *record, const char *end)
{
	struct test_report r = {0};
	struct test_verdict v;
	bool is_good;

	whole(&r, "a", "passed", false);
	if (record)
		(void)add(&r, record);
	finish(&r, end);
	v = reach(&r, "a", NULL, false);
	is_good = v.resolved;
	ok(v.resolved == v.all_passed, "all tests, and the listed one");
	test_verdict_free(&v);
	test_report_free(&r);
	return is_good;
}

static void test_what_is_not_whole(void)
{
	static const char end[] = "{\"t\":\"finish\",\"status\":1,\"collected\":2,"
				  "\"failed\":0,\"session_failed\":0}";

	ok(passes(NULL, end), "all that came is kept");
	ok(!passes("{\"t\":\"report\"}", end), "a report that makes no sense");
	ok(!passes("{\"t\":\"oversize\"}", end), "one that is too large");
	ok(!passes(NULL, "{\"t\":\"finish\",\"status\":1,\"collected\":2,"
			 "\"failed\":1,\"session_failed\":1}"),
	   "a failure that no report tells");
}

static void test_many(void)
{
	struct test_report r = {0};
	char id[64];
	size_t missing = 0;

	for (int i = 0; i < 20000; i++) {
		snprintf(id, sizeof(id), "t.py::test_%d", i);
		if (!test_report_case(&r, id, NULL))
			missing++;
	}
	for (int i = 0; i < 20000; i++) {
		snprintf(id, sizeof(id), "t.py::test_%d", i);
		missing +=
			!test_report_find(&r, id) || strcmp(test_report_find(&r, id)->id, id) != 0;
	}
	is_int((long)missing, 0, "all are found again");
	is_int((long)r.n, 20000, "once each");
	test_report_free(&r);
}

int main(void)
{
	test_outcomes();
	test_ids();
	test_tampering();
	test_what_is_no_tampering();
	test_dotted_ids();
	test_malformed();
	test_what_is_not_whole();
	test_many();
	return done_testing();
}
