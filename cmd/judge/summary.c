/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/summary.h"

#include "cmd/frame/cmd.h"
#include "cmd/judge/cases.h"
#include "cmd/judge/job.h"
#include "cmd/judge/judge.h"
#include "cmd/frame/table.h"
#include "runtime/base/str.h"

#define NS_PER_MS 1000000u

static void print_cases(const struct eval_cases *cases, struct strbuf *out)
{
	static const char *const heading[] = {"CASE", "RESULT", "MS", "DETAIL"};
	_table_ struct table t = {0};
	size_t passed = 0;

	table_init(&t, heading, sizeof(heading) / sizeof(heading[0]));
	for (size_t i = 0; i < cases->n; i++) {
		const struct eval_case *c = &cases->items[i];

		passed += c->outcome == EVAL_PASSED;
		table_add(&t, c->name);
		table_add(&t, eval_outcome_name(c->outcome));
		table_addf(&t, "%llu", (unsigned long long)(c->duration_ns / NS_PER_MS));
		table_add(&t, c->outcome == EVAL_PASSED ? NULL : strbuf_str(&c->detail));
	}
	table_format(&t, out);
	strbuf_addf(out, "%zu of %zu passed, score %.3g\n", passed, cases->n,
		    eval_cases_score(cases));
}

static void print_check(const struct eval_check *c, struct strbuf *out)
{
	_strbuf_ struct strbuf why = STRBUF_INIT;

	if (c->error.type)
		strbuf_addf(&why, ": %s%s%s", c->error.type,
			    c->error.message && *c->error.message ? ": " : "",
			    c->error.message ? c->error.message : "");
	else if (c->error.message)
		strbuf_addf(&why, ": %s", c->error.message);
	strbuf_addstr(out, c->passed ? "the check passed" : "the check failed");
	strbuf_add_escaped(out, strbuf_str(&why), why.len);
	strbuf_addch(out, '\n');
}

/* An exit code above 0 that is csbx's, where the program's own was 0 or nothing was run. */
static void tell_why(const struct eval_verdict *v)
{
	const struct run_result *r = &v->ended.result;
	bool has_left = r->status == RUN_EXITED && !r->exit_code && !v->completed;

	for (size_t i = 0; i < v->feedback.n && r->status == RUN_POLICY_VIOLATION; i++)
		cmd_warn("eval: %s", v->feedback.items[i]);
	if (has_left && v->feedback.n && eval_exit_code(v))
		cmd_warn("eval: %s", v->feedback.items[0]);
}

void eval_summary_print(const struct eval_verdict *v)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (v->check.is_there)
		print_check(&v->check, &out);
	else if (v->job->cases.n)
		print_cases(&v->job->cases, &out);
	if (out.len)
		(void)cmd_print(&out);
	tell_why(v);
}
