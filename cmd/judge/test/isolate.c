/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/test/isolate.h"

#include <string.h>

#include "cmd/judge/container.h"
#include "cmd/judge/test/input.h"
#include "cmd/judge/test/run.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/spec/result.h"
#include "runtime/spec/spec.h"

/* True when a listed id means the test. */
static bool stands_for(const char *id, const struct test_case *c)
{
	size_t len = strlen(id);

	if (str_eq(c->id, id) || (c->alt && str_eq(c->alt, id)))
		return true;
	if (test_id_is_truncated(id))
		return str_has_prefix(c->id, id) || (c->alt && str_has_prefix(c->alt, id));
	return !strstr(id, "::") && str_has_prefix(c->id, id) && str_has_prefix(c->id + len, "::");
}

/* Takes those of the reported tests that were asked for. */
static int take_cases(struct test_report *into, const struct test_report *from, const char *id,
		      struct err *e)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct test_case *c = &from->cases[i];
		struct test_case *own;

		if (!stands_for(id, c))
			continue;
		own = test_report_case(into, c->id, c->alt);
		if (!own && into->is_full)
			return 0;
		if (!own)
			return err_oom(e);
		own->setup = c->setup > own->setup ? c->setup : own->setup;
		own->call = c->call > own->call ? c->call : own->call;
		own->teardown = c->teardown > own->teardown ? c->teardown : own->teardown;
		own->xfail |= c->xfail;
		own->duration_ms += c->duration_ms;
	}
	return 0;
}

static int take_notes(struct test_notes *into, const struct test_notes *from, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < from->n && r >= 0; i++) {
		r = test_notes_add(into, from->items[i].what, from->items[i].text, e);
		if (r >= 0 && from->items[i].flags && into->n)
			into->items[into->n - 1].flags = from->items[i].flags;
	}
	return r;
}

static int take_text(char **into, const char *from, struct err *e)
{
	if (*into || !from)
		return 0;
	*into = strdup(from);
	return *into ? 0 : err_oom(e);
}

static int take_texts(struct test_report *into, const struct test_report *from, struct err *e)
{
	int r = take_text(&into->runner, from->runner, e);

	if (r >= 0)
		r = take_text(&into->runner_version, from->runner_version, e);
	if (r >= 0)
		r = take_text(&into->python, from->python, e);
	if (r >= 0)
		r = take_text(&into->patch_tool, from->patch_tool, e);
	if (r >= 0)
		r = take_text(&into->error_code, from->error_code, e);
	return r < 0 ? r : take_text(&into->error_message, from->error_message, e);
}

static int take_report(struct test_report *into, const struct test_report *from, const char *id,
		       bool is_first, struct err *e)
{
	int r = take_cases(into, from, id, e);

	if (r >= 0 && is_first)
		r = take_notes(&into->patches, &from->patches, e);
	if (r >= 0)
		r = take_notes(&into->tamper, &from->tamper, e);
	if (r >= 0)
		r = take_notes(&into->collect_errors, &from->collect_errors, e);
	if (r >= 0)
		r = take_texts(into, from, e);
	into->is_finished = from->is_finished && (is_first || into->is_finished);
	into->is_full |= from->is_full;
	into->has_lost |= !test_report_is_whole(from);
	into->status = from->status > into->status ? from->status : into->status;
	into->collected += from->collected;
	into->failed += from->failed;
	into->session_failed += from->session_failed;
	return r;
}

static void keep_result(struct run_result *kept, struct run_result *next, bool is_first)
{
	if (!is_first && kept->status != RUN_EXITED && !result_outranks(next, kept)) {
		run_result_free(next);
		return;
	}
	if (!is_first)
		run_result_free(kept);
	*kept = *next;
	*next = (struct run_result){0};
}

/* One id. 1: no other has to be asked, 0: go on. */
static int run_one(struct test_run *t, const struct test_wish *w, const struct container_spec *spec,
		   const struct paths *paths, const char *id, struct run_result *result,
		   bool is_first, struct err *e)
{
	struct test_run one = TEST_RUN_INIT;
	struct test_wish alone = *w;
	struct container_spec own = *spec;
	struct test_input in = t->input;
	struct run_result ended = {0};
	int fds[2], r;

	alone.lists = (struct test_lists){0};
	alone.isolate = false;
	strv_add(&alone.lists.ids[LIST_FAIL_TO_PASS], id);
	in.wish = &alone;
	in.is_alone = true;
	r = strv_check(&alone.lists.ids[LIST_FAIL_TO_PASS], e);
	if (r >= 0)
		r = test_open(&one, &in, e);
	if (r >= 0) {
		fds[0] = one.channel.guest_fd;
		fds[1] = one.input_fd;
		own.proc.keep_fds = fds;
		r = test_execute(&one, &alone, &own, paths, &ended, e);
	}
	if (r >= 0)
		r = take_report(&t->report, &one.report, id, is_first, e);
	if (r >= 0) {
		r = one.report.error_code ||
		    (one.verdict.has_patches && !one.verdict.patch_applied);
		keep_result(result, &ended, is_first);
	}
	run_result_free(&ended);
	strv_free(&alone.lists.ids[LIST_FAIL_TO_PASS]);
	test_run_done(&one);
	return r;
}

static bool is_earlier(const struct test_lists *lists, int list, size_t at)
{
	for (int l = 0; l <= list; l++) {
		size_t end = l == list ? at : lists->ids[l].n;

		for (size_t i = 0; i < end; i++) {
			if (str_eq(lists->ids[l].items[i], lists->ids[list].items[at]))
				return true;
		}
	}
	return false;
}

int test_isolate_execute(struct test_run *t, const struct test_wish *w,
			 const struct container_spec *spec, const struct paths *paths,
			 struct run_result *result, struct err *e)
{
	bool is_first = true;
	int r = 0;

	for (int list = 0; list < 2; list++) {
		const struct strv *ids = &w->lists.ids[list];

		for (size_t i = 0; i < ids->n && !r; i++) {
			if (is_earlier(&w->lists, list, i))
				continue;
			r = run_one(t, w, spec, paths, ids->items[i], result, is_first, e);
			is_first = false;
		}
	}
	return r < 0 ? r : test_verdict_reach(&t->report, &w->lists, w->strict, &t->verdict, e);
}
