/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/field_words.h"

#include <ctype.h>
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

#define NAME_BYTES 128

/* Letters beyond ASCII are two bytes or more, each of which is none of ASCII. */
static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
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

/* Words that no function can have as its name. */
static const char keywords[] =
	" False None True and as assert async await break class continue def del elif else except "
	"finally for from global if import in is lambda nonlocal not or pass raise return try while "
	"with yield ";
static bool is_among(const char *words, const char *name)
{
	_free_ char *word = str_printf(" %s ", name);

	return word && strstr(words, word);
}

/* The name that a line of the code defines, a function or a class; false: none that an import can have. */
static bool defines(const char *line, char name[NAME_BYTES])
{
	static const char blanks[] = " \t";
	const char *start = line;
	size_t skip, n = 0;

	if (!strncmp(line, "async", 5) && strspn(line + 5, blanks))
		line += 5 + strspn(line + 5, blanks);
	skip = !strncmp(line, "def", 3) ? 3 : line == start && !strncmp(line, "class", 5) ? 5 : 0;
	if (skip && !strspn(line + skip, blanks))
		skip = 0;
	skip += skip ? strspn(line + skip, blanks) : 0;
	while (skip && n + 1 < NAME_BYTES && is_word(line[skip + n])) {
		name[n] = line[skip + n];
		n++;
	}
	name[n] = 0;
	return n && !isdigit((unsigned char)*name) && !str_has_prefix(name, "__") &&
	       !is_among(keywords, name);
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

/* The line of the text that defines the function; NULL: none does. */
static const char *line_that_defines(const char *text, const char *function)
{
	char name[NAME_BYTES];

	for (const char *p = text; *p; p = *p ? p + 1 : p) {
		if (defines(p, name) && str_eq(name, function))
			return p;
		p = strchrnul(p, '\n');
	}
	return NULL;
}

/* A name that a line at the top of a prompt binds: a word of an import, of "NAME = ...", of a definition. */
static bool binds_name_of(const char *line, const char *tests)
{
	const size_t n = strcspn(line, "\n"), first = strcspn(line, " \t=:(\n");
	const char *rest = line + first + strspn(line + first, " \t");
	const bool is_import = str_has_prefix(line, "import ") || str_has_prefix(line, "from ");
	char name[NAME_BYTES];

	if (defines(line, name))
		return names(tests, name, strlen(name));
	if (!is_import && *rest != '=' && *rest != ':')
		return false;
	for (const char *p = line; p < line + (is_import ? n : first);) {
		size_t len = 0;

		while (is_word(p[len]))
			len++;
		if (len && len < NAME_BYTES) {
			memcpy(name, p, len);
			name[len] = 0;
			if (!is_among(keywords, name) && names(tests, name, len))
				return true;
		}
		p += len ? len : 1;
	}
	return false;
}

/*
 * Tests of HumanEval may use what the prompt has before the function: what it defines there (poly,
 * encode_shift), imports, and binds. They get that, which is their author's; not what the snippet
 * has by that name.
 */
static int add_prompt(const struct value *line, struct eval_job *job, struct err *e)
{
	const struct value *prompt = member(line, "prompt");
	const char *text = prompt && prompt->kind == VALUE_STR ? prompt->text : "";
	_free_ char *first =
		job->function ? strndup(job->function, strcspn(job->function, ".(")) : NULL;
	const char *end = first && job->has_check ? line_that_defines(text, first) : NULL;
	_strbuf_ struct strbuf check = STRBUF_INIT;
	bool is_named = false;

	for (const char *p = text; end && p < end; p = strchrnul(p, '\n') + 1)
		is_named |= binds_name_of(p, strbuf_str(&job->check));
	if (!is_named)
		return 0;
	strbuf_add(&check, text, (size_t)(end - text));
	strbuf_add(&check, strbuf_str(&job->check), job->check.len);
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
