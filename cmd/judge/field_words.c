/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/field_words.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "cmd/judge/job.h"
#include "cmd/judge/markdown.h"
#include "cmd/judge/value/value.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

static const struct value *member(const struct value *line, const char *key)
{
	const struct value *v = value_member(line, key);

	return v && v->kind != VALUE_NONE ? v : NULL;
}

static int add_text(const struct value *line, const char *key, struct strbuf *out, struct err *e)
{
	const struct value *v = member(line, key);

	if (v && v->kind != VALUE_STR)
		return err_set(e, EINVAL, "%s: must be a text", key);
	if (v)
		strbuf_add(out, v->text, v->n);
	return 0;
}

/* A text a line. */
static int add_lines(const struct value *line, const char *key, struct strbuf *out, struct err *e)
{
	const struct value *v = member(line, key);

	if (v && v->kind != VALUE_LIST)
		return err_set(e, EINVAL, "%s: must be an array of texts", key);
	for (size_t i = 0; v && i < v->n; i++) {
		if (v->items[i].kind != VALUE_STR)
			return err_set(e, EINVAL, "%s: must be an array of texts", key);
		strbuf_add(out, v->items[i].text, v->items[i].n);
		strbuf_addch(out, '\n');
	}
	return 0;
}

/* The prompt is the beginning of the program; without a sample its own solution is the rest. */
static int take_code(const struct value *line, struct eval_job *job, struct err *e)
{
	const char *rest = member(line, "completion") ? "completion" : "canonical_solution";
	_strbuf_ struct strbuf answer = STRBUF_INIT;
	int r;

	if (!member(line, rest))
		return 0;
	job->has_code = true;
	strbuf_reset(&job->code);
	r = add_text(line, "prompt", &job->code, e);
	if (r >= 0)
		r = add_text(line, rest, &answer, e);
	if (r >= 0 && job->is_markdown)
		markdown_take_code(job->lang, &answer);
	if (job->is_markdown && job->code.len && job->code.data[job->code.len - 1] != '\n')
		strbuf_addch(&job->code, '\n');
	strbuf_add(&job->code, strbuf_str(&answer), answer.len);
	return r < 0 ? r : strbuf_check(&answer, e);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* As a word of its own. */
static bool names(const char *text, const char *name, size_t len)
{
	for (const char *p = text; (p = strstr(p, name)); p++) {
		if ((p == text || !is_word(p[-1])) && !is_word(p[len]))
			return true;
	}
	return false;
}

/* Functions and classes of the code that the tests name: an import for each. */
static void add_imports(const char *code, const char *tests, struct strbuf *out)
{
	for (const char *p = code; *p; p = *p ? p + 1 : p) {
		size_t skip = !strncmp(p, "def ", 4)          ? 4
			      : !strncmp(p, "class ", 6)      ? 6
			      : !strncmp(p, "async def ", 10) ? 10
							      : 0;
		char name[128];
		size_t n = 0;

		for (const char *w = p + skip; skip && is_word(w[n]) && n + 1 < sizeof(name); n++)
			name[n] = w[n];
		name[n] = 0;
		if (n && names(tests, name, n))
			strbuf_addf(out, "from solution import %s\n", name);
		p = strchrnul(p, '\n');
	}
}

/* Statements that assert, and what they need before them. */
static int take_test_list(const struct value *line, struct eval_job *job, struct err *e)
{
	_strbuf_ struct strbuf tests = STRBUF_INIT;
	int r = add_lines(line, "test_list", &tests, e);

	strbuf_reset(&job->check);
	if (r >= 0)
		r = add_lines(line, "test_imports", &job->check, e);
	add_imports(strbuf_str(&job->code), strbuf_str(&tests), &job->check);
	if (r >= 0)
		r = add_text(line, "test_setup_code", &job->check, e);
	strbuf_addf(&job->check, "\n%s", strbuf_str(&tests));
	job->has_check = job->takes_names = true;
	return r < 0 ? r : strbuf_check(&job->check, e);
}

int field_words_take(const struct value *line, struct eval_job *job, struct err *e)
{
	int r = job->has_code ? 0 : take_code(line, job, e);

	if (r >= 0 && member(line, "test_list") && !job->has_check)
		r = take_test_list(line, job, e);
	return r < 0 ? r : strbuf_check(&job->code, e);
}
