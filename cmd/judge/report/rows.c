/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/report/rows.h"

#include <stdlib.h>

#include "cmd/judge/value/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define OUTPUT_SHOWN 4000u /* bytes of the end of each stream */
#define LINES_SHOWN 50u    /* of the reasons of one row */

const char *report_verdict_name(enum report_verdict v)
{
	static const char *const names[REPORT_VERDICTS] = {"passed", "failed", "error"};

	return names[v];
}

static const struct value *member(const struct value *of, const char *key)
{
	const struct value *v = of && of->kind == VALUE_DICT ? value_member(of, key) : NULL;

	return v && v->kind != VALUE_NONE ? v : NULL;
}

static const char *text_of(const struct value *of, const char *key)
{
	const struct value *v = member(of, key);

	return v && (v->kind == VALUE_STR || v->kind == VALUE_INT) ? v->text : NULL;
}

static double number_of(const struct value *v)
{
	if (!v)
		return -1;
	return v->kind == VALUE_FLOAT ? v->number
	       : v->kind == VALUE_INT ? strtod(v->text, NULL)
				      : -1;
}

/* 1, 0, and -1 where it is neither true nor false. */
static int truth_of(const struct value *of, const char *key)
{
	const struct value *v = member(of, key);

	return v && v->kind == VALUE_BOOL ? v->truth : -1;
}

static enum report_verdict find_verdict(const struct value *record, const char *status)
{
	static const char *const verdicts[] = {"resolved", "all_passed", "success"};

	if (str_eq(status, "bad_line") || str_eq(status, "sandbox_error") ||
	    str_eq(status, "launch_error"))
		return REPORT_ERROR;
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		int truth = truth_of(record, verdicts[i]);

		if (truth >= 0)
			return truth ? REPORT_PASSED : REPORT_FAILED;
	}
	return REPORT_ERROR;
}

/* Only csbx begins a line at its very left: a message of several could be read as several reasons. */
static void add_indented(struct strbuf *out, const char *s)
{
	for (; s && *s; s++) {
		strbuf_addch(out, *s);
		if (*s == '\n')
			strbuf_addstr(out, "    ");
	}
}

static void add_line(struct report_row *row, const char *a, const char *b, const char *c)
{
	add_indented(&row->why, a);
	strbuf_addstr(&row->why, a && b ? ": " : "");
	add_indented(&row->why, b);
	strbuf_addstr(&row->why, c && (a || b) ? ": " : "");
	add_indented(&row->why, c);
	strbuf_addch(&row->why, '\n');
}

/* A member of notes: objects of which two members are shown. */
static void add_notes(struct report_row *row, const struct value *record, const char *key,
		      const char *what, const char *text)
{
	const struct value *list = member(record, key);

	for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->n && i < LINES_SHOWN; i++)
		add_line(row, key, text_of(&list->items[i], what), text_of(&list->items[i], text));
}

static void add_cases(struct report_row *row, const struct value *record)
{
	const struct value *cases = member(record, "cases");
	size_t shown = 0;

	for (size_t i = 0; cases && cases->kind == VALUE_LIST && i < cases->n; i++) {
		const struct value *c = &cases->items[i];

		if (truth_of(c, "passed") != 0 || shown++ >= LINES_SHOWN)
			continue;
		strbuf_addstr(&row->why, "case ");
		add_line(row, text_of(c, "name"), text_of(c, "outcome"), text_of(c, "detail"));
	}
}

static void add_tests(struct report_row *row)
{
	size_t shown = 0;

	for (size_t i = 0; i < row->n_tests; i++) {
		const char *outcome = row->tests[i].outcome;

		if ((str_eq(outcome, "failed") || str_eq(outcome, "error")) &&
		    shown++ < LINES_SHOWN)
			add_line(row, row->tests[i].id, outcome, NULL);
	}
}

static void add_ids(struct report_row *row, const struct value *record, const char *key)
{
	const struct value *list = member(member(record, key), "failure");

	for (size_t i = 0; list && list->kind == VALUE_LIST && i < list->n && i < LINES_SHOWN;
	     i++) {
		if (list->items[i].kind == VALUE_STR)
			add_line(row, key, list->items[i].text, NULL);
	}
}

static void add_stream(struct report_row *row, const struct value *record, const char *key)
{
	const struct value *v = member(record, key);
	const char *encoding = text_of(record, "encoding");
	size_t n;

	if (!v || v->kind != VALUE_STR || !v->n)
		return;
	if (encoding && str_eq(encoding, "base64")) {
		strbuf_addf(&row->output, "%s: not text\n", key);
		return;
	}
	n = v->n < OUTPUT_SHOWN ? v->n : OUTPUT_SHOWN;
	while (n < v->n && n && (v->text[v->n - n] & 0xc0) == 0x80)
		n--; /* not in the middle of a character */
	strbuf_addf(&row->output, "%s%s\n", key, n < v->n ? ", its end" : "");
	strbuf_add(&row->output, v->text + v->n - n, n);
	if (v->text[v->n - 1] != '\n')
		strbuf_addch(&row->output, '\n');
}

static void explain(struct report_row *row, const struct value *record)
{
	const struct value *error = member(record, "error"),
			   *summary = member(record, "error_summary");

	if (error)
		add_line(row, text_of(error, "stage"), text_of(error, "message"), NULL);
	if (summary)
		add_line(row, text_of(summary, "type"), text_of(summary, "message"), NULL);
	add_cases(row, record);
	add_ids(row, record, "fail_to_pass");
	add_ids(row, record, "pass_to_pass");
	add_tests(row);
	add_notes(row, record, "patch_errors", "patch", "message");
	add_notes(row, record, "collection_errors", "id", "message");
	add_notes(row, record, "tamper", "kind", "detail");
	add_stream(row, record, "stdout");
	add_stream(row, record, "stderr");
}

static int take_tests(struct report_row *row, const struct value *record, struct err *e)
{
	const struct value *tests = member(record, "tests"), *times = member(record, "durations_s");

	if (!tests || tests->kind != VALUE_DICT || !tests->n)
		return 0;
	row->tests = calloc(tests->n / 2, sizeof(*row->tests));
	if (!row->tests)
		return err_oom(e);
	for (size_t i = 0; i < tests->n; i += 2) {
		struct report_test *t = &row->tests[row->n_tests++];

		t->id = str_printf("%s", tests->items[i].text);
		t->outcome = str_printf("%s", tests->items[i + 1].kind == VALUE_STR
						      ? tests->items[i + 1].text
						      : "error");
		if (!t->id || !t->outcome)
			return err_oom(e);
		t->duration_s = number_of(member(times, t->id));
	}
	return 0;
}

static void row_free(struct report_row *row)
{
	free(row->name);
	free(row->status);
	for (size_t i = 0; i < row->n_tests; i++) {
		free(row->tests[i].id);
		free(row->tests[i].outcome);
	}
	free(row->tests);
	strbuf_free(&row->why);
	strbuf_free(&row->output);
}

/* Lines that share an id are told apart. */
static char *name_of(const char *id, uint64_t occurrence)
{
	return occurrence > 1 ? str_printf("%s (%llu)", id, (unsigned long long)occurrence)
			      : str_printf("%s", id);
}

static int make_row(struct report_row *row, const struct value *record, const char *name,
		    struct err *e)
{
	const char *status = text_of(record, "status");
	const char *id = text_of(record, "id"), *line = text_of(record, "line");
	const char *instance = text_of(record, "instance");
	double occurrence = number_of(member(record, "occurrence"));
	int r;

	*row = (struct report_row){.wall_s = number_of(member(record, "wall_s")),
				   .memory_bytes = number_of(member(record, "memory_peak_bytes"))};
	row->status = str_printf("%s", status ? status : "");
	row->has_id = id && !name;
	row->occurrence = occurrence > 1 ? (uint64_t)occurrence : 1;
	row->name = name   ? str_printf("%s", name)
		    : id   ? name_of(id, row->occurrence)
		    : line ? str_printf("line %s", line)
			   : str_printf("%s", instance ? instance : "");
	if (!row->status || !row->name)
		return err_oom(e);
	row->verdict = find_verdict(record, row->status);
	r = take_tests(row, record, e);
	if (r >= 0 && row->verdict != REPORT_PASSED)
		explain(row, record);
	return r < 0 || strbuf_check(&row->why, e) < 0 ? -ENOMEM : strbuf_check(&row->output, e);
}

static int order(const void *a, const void *b)
{
	const struct report_row *const *x = a, *const *y = b;
	int r = strcmp((*x)->name, (*y)->name);

	if (!r)
		r = (*x)->occurrence < (*y)->occurrence ? -1 : (*x)->occurrence > (*y)->occurrence;
	return r ? r : *x < *y ? -1 : *x > *y;
}

int report_rows_settle(struct report_rows *rows, struct err *e)
{
	_free_ struct report_row **sorted = calloc(rows->n + 1, sizeof(*sorted));
	size_t n = 0, kept = 0;

	if (!sorted)
		return err_oom(e);
	for (size_t i = 0; i < rows->n; i++) {
		if (rows->items[i].has_id)
			sorted[n++] = &rows->items[i];
	}
	qsort(sorted, n, sizeof(*sorted), order);
	for (size_t i = n; i-- > 1;) { /* from behind: the name of the next one is still there */
		if (!str_eq(sorted[i - 1]->name, sorted[i]->name) ||
		    sorted[i - 1]->occurrence != sorted[i]->occurrence)
			continue;
		row_free(sorted[i - 1]);
		sorted[i - 1]->name = NULL;
		sorted[i - 1] = sorted[i];
	}
	for (size_t i = 0; i < rows->n; i++) {
		if (rows->items[i].name)
			rows->items[kept++] = rows->items[i];
	}
	rows->n = kept;
	return 0;
}

int report_rows_add(struct report_rows *rows, const struct value *record, const char *name,
		    struct err *e)
{
	int r;

	if (rows->n == rows->cap) {
		size_t cap = rows->cap ? 2 * rows->cap : 64;
		struct report_row *items = reallocarray(rows->items, cap, sizeof(*items));

		if (!items)
			return err_oom(e);
		rows->items = items;
		rows->cap = cap;
	}
	r = make_row(&rows->items[rows->n], record, name, e);
	if (r < 0)
		row_free(&rows->items[rows->n]);
	else
		rows->n++;
	return r;
}

void report_rows_free(struct report_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		row_free(&rows->items[i]);
	free(rows->items);
	*rows = (struct report_rows){0};
}
