/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/test/verdict.h"

#include <string.h>

#include "cmd/judge/test/report.h"
#include "cmd/judge/test/tamper.h"
#include "runtime/base/err.h"

bool test_id_is_truncated(const char *id)
{
	return strchr(id, '[') && !str_has_suffix(id, "]");
}

static bool is_good(enum test_outcome o, enum test_list list)
{
	return o == TEST_PASSED || o == TEST_XFAILED ||
	       (o == TEST_SKIPPED && list == LIST_PASS_TO_PASS);
}

static bool prefix_is_good(const struct test_report *r, const char *id, enum test_list list)
{
	bool any = false;

	for (size_t i = 0; i < r->n; i++) {
		if (!str_has_prefix(r->cases[i].id, id) &&
		    !(r->cases[i].alt && str_has_prefix(r->cases[i].alt, id)))
			continue;
		if (!is_good(test_case_outcome(&r->cases[i]), list))
			return false;
		any = true;
	}
	return any;
}

static bool is_in_file(const struct test_case *c, const char *file)
{
	return str_has_prefix(c->id, file) && str_has_prefix(c->id + strlen(file), "::");
}

/* An id without "::" is a file: it passes with all of its tests, and with all of it collected. */
static bool file_is_good(const struct test_report *r, const char *id, enum test_list list)
{
	bool any = false;

	for (size_t i = 0; i < r->n; i++) {
		if (!is_in_file(&r->cases[i], id))
			continue;
		if (!is_good(test_case_outcome(&r->cases[i]), list))
			return false;
		any = true;
	}
	for (size_t i = 0; i < r->collect_errors.n; i++) {
		if (str_has_prefix(r->collect_errors.items[i].what, id))
			return false;
	}
	return any;
}

static bool id_is_good(const struct test_report *r, const char *id, enum test_list list)
{
	const struct test_case *c = test_report_find(r, id);

	if (c)
		return is_good(test_case_outcome(c), list);
	if (test_id_is_truncated(id))
		return prefix_is_good(r, id, list);
	return !strstr(id, "::") && file_is_good(r, id, list);
}

static void judge_list(const struct test_report *r, const struct strv *ids, enum test_list list,
		       struct test_verdict *v)
{
	for (size_t i = 0; i < ids->n; i++) {
		const char *id = ids->items[i];

		strv_add(id_is_good(r, id, list) ? &v->success[list] : &v->failure[list], id);
	}
}

static bool is_bad(enum test_outcome o)
{
	return o == TEST_FAILED || o == TEST_ERROR || o == TEST_MISSING;
}

static void judge_all(const struct test_report *r, struct test_verdict *v)
{
	v->all_passed =
		v->completed && r->n && !r->collect_errors.n && test_report_is_whole(r);
	for (size_t i = 0; i < r->n && v->all_passed; i++)
		v->all_passed = !is_bad(test_case_outcome(&r->cases[i]));
}

static void judge_patches(const struct test_report *r, struct test_verdict *v)
{
	v->has_patches = r->patches.n > 0;
	v->patch_applied = v->has_patches;
	for (size_t i = 0; i < r->patches.n; i++)
		v->patch_applied = v->patch_applied && (r->patches.items[i].flags & PATCH_APPLIED);
}

/* pytest's exit codes: 0 all passed, 1 some failed, 5 none were collected; all else is no end. */
static bool has_ended(const struct test_report *r)
{
	return r->is_finished && (r->status <= 1 || r->status == 5) && !r->error_code;
}

int test_verdict_reach(struct test_report *report, const struct test_lists *lists, bool strict,
		       struct test_verdict *v, struct err *e)
{
	int r = test_tamper_look(report, lists, e);

	if (r < 0)
		return r;
	*v = (struct test_verdict){.completed = has_ended(report)};
	judge_patches(report, v);
	for (int list = 0; list < 2; list++) {
		v->has_lists |= lists->ids[list].n > 0;
		judge_list(report, &lists->ids[list], list, v);
	}
	judge_all(report, v);
	v->resolved = v->has_lists && v->completed && test_report_is_whole(report) &&
		      (!v->has_patches || v->patch_applied) && !v->failure[0].n &&
		      !v->failure[1].n && !(strict && report->tamper.n);
	if (strict && report->tamper.n)
		v->all_passed = false;
	for (int list = 0; list < 2; list++) {
		if (strv_check(&v->success[list], e) < 0 || strv_check(&v->failure[list], e) < 0)
			return -ENOMEM;
	}
	return 0;
}

void test_verdict_free(struct test_verdict *v)
{
	for (int list = 0; list < 2; list++) {
		strv_free(&v->success[list]);
		strv_free(&v->failure[list]);
	}
}
