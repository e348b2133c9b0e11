/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JUnit's XML as pytest writes it: a suite for each row, a case for each of its tests. A row that
 * has not passed and of which no test says why has a case of its own that does.
 */
#include "cmd/judge/report/markup.h"
#include "cmd/judge/report/rows.h"

struct counts {
	size_t tests, failures, errors, skipped;
};

static bool is_skip(const char *outcome)
{
	return str_eq(outcome, "skipped") || str_eq(outcome, "xfailed");
}

static bool has_bad_test(const struct report_row *row)
{
	for (size_t i = 0; i < row->n_tests; i++) {
		if (str_eq(row->tests[i].outcome, "failed") ||
		    str_eq(row->tests[i].outcome, "error"))
			return true;
	}
	return false;
}

/* A limit, a patch, a line: something else than a test. */
static bool needs_own_case(const struct report_row *row)
{
	return !row->n_tests || row->verdict == REPORT_ERROR ||
	       (row->verdict == REPORT_FAILED && !has_bad_test(row));
}

static struct counts count(const struct report_row *row)
{
	struct counts c = {.tests = row->n_tests};

	for (size_t i = 0; i < row->n_tests; i++) {
		c.failures += str_eq(row->tests[i].outcome, "failed");
		c.errors += str_eq(row->tests[i].outcome, "error");
		c.skipped += is_skip(row->tests[i].outcome);
	}
	if (needs_own_case(row)) {
		c.tests++;
		c.failures += row->verdict == REPORT_FAILED;
		c.errors += row->verdict == REPORT_ERROR;
	}
	return c;
}

static void add_counts(struct strbuf *out, const struct counts *c)
{
	strbuf_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", c->tests,
		    c->failures, c->errors, c->skipped);
}

static void add_time(struct strbuf *out, double s)
{
	strbuf_addf(out, " time=\"%.3f\"", s < 0 ? 0 : s);
}

/* An id is FILE::CLASS::NAME, or MODULE.CLASS.NAME: the last part is the name. */
static void add_names(struct strbuf *out, const char *id)
{
	const char *end = strchrnul(id, '['), *at = NULL;

	for (const char *p = id; p < end; p++) {
		if (p[0] == ':' && p[1] == ':')
			at = p;
	}
	if (!at)
		at = memrchr(id, '.', (size_t)(end - id));
	strbuf_addstr(out, " classname=\"");
	markup_attribute(out, id, at ? (size_t)(at - id) : 0);
	strbuf_addstr(out, "\" name=\"");
	markup_str(out, at ? at + (*at == ':' ? 2 : 1) : id);
	strbuf_addstr(out, "\"");
}

static void add_test(struct strbuf *out, const struct report_test *t)
{
	const char *element = str_eq(t->outcome, "failed")  ? "failure"
			      : str_eq(t->outcome, "error") ? "error"
			      : is_skip(t->outcome)         ? "skipped"
							    : NULL;

	strbuf_addstr(out, "  <testcase");
	add_names(out, t->id);
	add_time(out, t->duration_s);
	if (element)
		strbuf_addf(out, "><%s message=\"%s\"/></testcase>\n", element, t->outcome);
	else
		strbuf_addstr(out, "/>\n");
}

static void add_own_case(struct strbuf *out, const struct report_row *row)
{
	const char *element = row->verdict == REPORT_ERROR ? "error" : "failure";

	strbuf_addstr(out, "  <testcase classname=\"csbx\" name=\"");
	markup_str(out, row->name);
	strbuf_addstr(out, "\"");
	add_time(out, row->wall_s);
	if (row->verdict == REPORT_PASSED) {
		strbuf_addstr(out, "/>\n");
		return;
	}
	strbuf_addf(out, "><%s message=\"", element);
	markup_str(out, row->status);
	strbuf_addstr(out, "\">");
	markup_text(out, strbuf_str(&row->why), row->why.len);
	strbuf_addf(out, "</%s></testcase>\n", element);
}

static void add_suite(struct strbuf *out, const struct report_row *row)
{
	struct counts c = count(row);

	strbuf_addstr(out, " <testsuite name=\"");
	markup_str(out, row->name);
	strbuf_addstr(out, "\"");
	add_counts(out, &c);
	add_time(out, row->wall_s);
	strbuf_addstr(out, ">\n");
	for (size_t i = 0; i < row->n_tests; i++)
		add_test(out, &row->tests[i]);
	if (needs_own_case(row))
		add_own_case(out, row);
	if (row->output.len) {
		strbuf_addstr(out, "  <system-out>");
		markup_text(out, strbuf_str(&row->output), row->output.len);
		strbuf_addstr(out, "</system-out>\n");
	}
	strbuf_addstr(out, " </testsuite>\n");
}

void report_junit(const struct report_rows *rows, struct strbuf *out)
{
	struct counts all = {0};

	for (size_t i = 0; i < rows->n; i++) {
		struct counts c = count(&rows->items[i]);

		all.tests += c.tests;
		all.failures += c.failures;
		all.errors += c.errors;
		all.skipped += c.skipped;
	}
	strbuf_addstr(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites");
	add_counts(out, &all);
	strbuf_addstr(out, ">\n");
	for (size_t i = 0; i < rows->n; i++)
		add_suite(out, &rows->items[i]);
	strbuf_addstr(out, "</testsuites>\n");
}
