/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/field_words.h"

#include <errno.h>
#include <string.h>

#include "cmd/judge/job.h"
#include "cmd/judge/markdown.h"
#include "cmd/judge/value/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
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

/*
 * MBPP has a sentence for its prompt, and no beginning of the program: no line of it begins as one of
 * Python does that could be completed.
 */
static bool is_sentence(const struct value *line)
{
	static const char *const begins[] = {"def ", "class ", "import ", "from ", "async ", "@"};
	const struct value *prompt = member(line, "prompt");
	const char *at = prompt && prompt->kind == VALUE_STR ? prompt->text : NULL;

	if (!member(line, "test_list"))
		return false;
	while (at) {
		for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
			if (!strncmp(at, begins[i], strlen(begins[i])))
				return false;
		}
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return true;
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
	r = is_sentence(line) ? 0 : add_text(line, "prompt", &job->code, e);
	if (r >= 0)
		r = add_text(line, rest, &answer, e);
	if (r >= 0 && job->is_markdown)
		markdown_take_code(job->lang, &answer);
	if (job->is_markdown && job->code.len && job->code.data[job->code.len - 1] != '\n')
		strbuf_addch(&job->code, '\n');
	strbuf_add(&job->code, strbuf_str(&answer), answer.len);
	return r < 0 ? r : strbuf_check(&answer, e);
}

/*
 * Statements that assert, and what they need before them. They have their names from the code where
 * neither Python nor their own imports have them (brought.py), as far as they do not bind them.
 */
static int take_test_list(const struct value *line, struct eval_job *job, struct err *e)
{
	static const char bring[] = "__import__('solution').__bring__(globals())\n";
	_strbuf_ struct strbuf tests = STRBUF_INIT, setup = STRBUF_INIT;
	int r = add_lines(line, "test_list", &tests, e);

	strbuf_reset(&job->check);
	if (r >= 0)
		r = add_lines(line, "test_imports", &job->check, e);
	if (r >= 0)
		r = add_text(line, "test_setup_code", &setup, e);
	strbuf_addf(&job->check, "%s%s\n%s%s", bring, strbuf_str(&setup), setup.len ? bring : "",
		    strbuf_str(&tests));
	job->has_check = job->takes_names = true;
	return r < 0 ? r : strbuf_check(&job->check, e);
}

/* As Python writes bytes. */
static void add_bytes(const char *text, size_t n, struct strbuf *out)
{
	strbuf_addstr(out, "b'");
	for (size_t i = 0; i < n; i++) {
		const unsigned char c = (unsigned char)text[i];

		if (c >= ' ' && c < 0x7f && c != '\'' && c != '\\')
			strbuf_addch(out, (char)c);
		else
			strbuf_addf(out, "\\x%02x", c);
	}
	strbuf_addch(out, '\'');
}

/* What the beginning of a text imports of the future, which nothing may stand before. */
static size_t future_bytes(const char *text)
{
	size_t n = 0;

	while (str_has_prefix(text + n, "from __future__ "))
		n = (size_t)(strchrnul(text + n, '\n') - text) + (strchr(text + n, '\n') != NULL);
	return n;
}

/*
 * Tests of HumanEval may use what the prompt has before the function: what it defines there (poly,
 * encode_shift), imports, and binds (brought.py).
 */
static int add_prompt(const struct value *line, struct eval_job *job, struct err *e)
{
	const struct value *prompt = member(line, "prompt");
	_strbuf_ struct strbuf check = STRBUF_INIT;
	size_t future;

	if (!job->function || !job->has_check || !prompt || prompt->kind != VALUE_STR)
		return 0;
	future = future_bytes(strbuf_str(&job->check));
	strbuf_add(&check, job->check.data, future);
	strbuf_addstr(&check, "__import__('solution').__prompt__(globals(), ");
	add_bytes(prompt->text, prompt->n, &check);
	/* Lines keep their numbers where the first one is empty, as there. */
	strbuf_addf(&check, ")%s%s", job->check.data[future] == '\n' ? "" : "\n",
		    job->check.data + future);
	strbuf_reset(&job->check);
	strbuf_add(&job->check, strbuf_str(&check), check.len);
	return strbuf_check(&check, e);
}

int field_words_take(const struct value *line, struct eval_job *job, struct err *e)
{
	int r = job->has_code ? 0 : take_code(line, job, e);

	if (r >= 0 && member(line, "test_list") && !job->has_check)
		r = take_test_list(line, job, e);
	else if (r >= 0)
		r = add_prompt(line, job, e);
	return r < 0 ? r : strbuf_check(&job->code, e);
}
