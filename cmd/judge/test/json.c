/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/test/json.h"

#include "cmd/judge/test/run.h"
#include "runtime/base/json/out.h"

static void write_tests(struct json_out *j, const struct test_report *r)
{
	json_key(j, "tests");
	json_begin_object(j);
	for (size_t i = 0; i < r->n; i++)
		json_kstr(j, r->cases[i].id, test_outcome_name(test_case_outcome(&r->cases[i])));
	json_end_object(j);
	json_key(j, "durations_s");
	json_begin_object(j);
	for (size_t i = 0; i < r->n; i++) {
		json_key(j, r->cases[i].id);
		json_milli(j, r->cases[i].duration_ms);
	}
	json_end_object(j);
}

/* Pairs of texts as objects. */
static void write_notes(struct json_out *j, const char *key, const struct test_notes *l,
			const char *what, const char *text)
{
	json_key(j, key);
	json_begin_array(j);
	for (size_t i = 0; i < l->n; i++) {
		json_begin_object(j);
		json_kstr(j, what, l->items[i].what);
		json_kstr(j, text, l->items[i].text);
		json_end_object(j);
	}
	json_end_array(j);
}

static void write_list(struct json_out *j, const char *key, const struct test_verdict *v,
		       enum test_list list)
{
	json_key(j, key);
	json_begin_object(j);
	json_kstrv(j, "success", &v->success[list]);
	json_kstrv(j, "failure", &v->failure[list]);
	json_end_object(j);
}

static void write_patches(struct json_out *j, const struct test_report *r,
			  const struct test_verdict *v)
{
	json_key(j, "patch_applied");
	if (v->has_patches)
		json_bool(j, v->patch_applied);
	else
		json_null(j);
	json_kstr(j, "patch_tool", r->patch_tool);
	json_key(j, "patch_errors");
	json_begin_array(j);
	for (size_t i = 0; i < r->patches.n; i++) {
		if (!r->patches.items[i].text)
			continue;
		json_begin_object(j);
		json_kstr(j, "patch", r->patches.items[i].what);
		json_kstr(j, "message", r->patches.items[i].text);
		json_end_object(j);
	}
	json_end_array(j);
}

void test_json_write(void *run, struct json_out *j)
{
	const struct test_run *t = run;
	const struct test_verdict *v = &t->verdict;

	json_key(j, "resolved");
	if (v->has_lists && !v->is_none)
		json_bool(j, v->resolved);
	else
		json_null(j);
	json_kbool(j, "all_passed", v->all_passed);
	write_patches(j, &t->report, v);
	write_list(j, "fail_to_pass", v, LIST_FAIL_TO_PASS);
	write_list(j, "pass_to_pass", v, LIST_PASS_TO_PASS);
	write_notes(j, "tamper", &t->report.tamper, "kind", "detail");
	write_notes(j, "collection_errors", &t->report.collect_errors, "id", "message");
	json_key(j, "runner");
	json_begin_object(j);
	json_kstr(j, "name", t->report.runner);
	json_kstr(j, "version", t->report.runner_version);
	json_kstr(j, "python", t->report.python);
	json_end_object(j);
	write_tests(j, &t->report);
}
