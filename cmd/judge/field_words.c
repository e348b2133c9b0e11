/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/field_words.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "cmd/judge/job.h"
#include "cmd/judge/markdown.h"
#include "cmd/judge/value/compare.h"
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

/* Words that no import can have, and names that Python has without one: exceptions are in value/compare.h. */
static const char keywords[] =
	" False None True and as assert async await break class continue def del elif else except "
	"finally for from global if import in is lambda nonlocal not or pass raise return try while "
	"with yield ";
static const char built_in[] =
	" abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod "
	"compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter "
	"float format frozenset getattr globals hasattr hash help hex id input int isinstance "
	"issubclass iter len license list locals map max memoryview min next object oct open ord pow "
	"print property quit range repr reversed round set setattr slice sorted staticmethod str sum "
	"super tuple type vars zip Ellipsis NotImplemented ";

static bool is_among(const char *words, const char *name)
{
	_free_ char *word = str_printf(" %s ", name);

	return word && strstr(words, word);
}

static bool is_built_in(const char *name)
{
	return is_among(built_in, name) || exception_is_built_in(name);
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
 * The name at p that is called there, and that the code has as a word: it may be bound at the code's top in another way than
 * by a line that defines it (a lambda, an import, below an `if`). false: there is none.
 */
static bool called_name(const char *text, const char *p, const char *code, char name[NAME_BYTES])
{
	size_t n = 0;

	if (p != text && (is_word(p[-1]) || p[-1] == '.'))
		return false;
	while (n + 1 < NAME_BYTES && is_word(p[n]) && (unsigned char)p[n] < 0x80) {
		name[n] = p[n];
		n++;
	}
	name[n] = 0;
	return n && !isdigit((unsigned char)*name) && !str_has_prefix(name, "__") &&
	       p[n + strspn(p + n, " \t")] == '(' && !is_among(keywords, name) &&
	       !is_built_in(name) && names(code, name, n);
}

/* An import for each of those, which comes about where the code's top has it. */
static unsigned add_called(const char *code, const char *tests, const char *known,
			   struct strbuf *out)
{
	char name[NAME_BYTES];
	unsigned n = 0;

	for (const char *p = tests; *p; p++) {
		if (!called_name(tests, p, code, name) || names(known, name, strlen(name)) ||
		    names(strbuf_str(out), name, strlen(name)))
			continue;
		strbuf_addf(out,
			    "try:\n    from solution import %s\nexcept ImportError:\n    pass\n",
			    name);
		n++;
	}
	return n;
}

/* "from math import *" */
static bool takes_all_names(const char *imports)
{
	for (const char *p = imports; (p = strstr(p, "import")); p++) {
		if (p[6 + strspn(p + 6, " \t")] == '*')
			return true;
	}
	return false;
}

/*
 * Functions and classes of the code that the tests name: an import for each. The code is judged, so it has no say in what
 * the tests have already: their own imports, and what Python has (a set() of its own would be asked whether set(f(x)) is
 * set(y)). A built-in name is imported where it is the only one: then it is the function that is to be judged. Tests that
 * import all names of a module do not say which: those come behind the code's, but for the only one.
 */
static bool add_imports(const char *code, const char *tests, struct strbuf *out, unsigned *ret_n)
{
	_strbuf_ struct strbuf imports = STRBUF_INIT, called = STRBUF_INIT, own = STRBUF_INIT;
	char name[NAME_BYTES], hidden[NAME_BYTES] = "";
	bool is_unclear = false;
	unsigned n = 0, n_called;
	bool is_behind;

	for (const char *p = code; *p; p = *p ? p + 1 : p) {
		if (defines(p, name) && names(tests, name, strlen(name)) &&
		    !names(strbuf_str(out), name, strlen(name))) {
			if (!is_built_in(name)) {
				n += !names(strbuf_str(&imports), name, strlen(name));
				strbuf_addf(&imports, "from solution import %s\n", name);
			} else {
				is_unclear = is_unclear || (*hidden && !str_eq(hidden, name));
				memcpy(hidden, name, sizeof(hidden));
			}
		}
		p = strchrnul(p, '\n');
	}
	if (!imports.len && *hidden && !is_unclear)
		strbuf_addf(&imports, "from solution import %s\n", hidden);
	strbuf_addf(&own, "%s%s", strbuf_str(out), strbuf_str(&imports));
	n_called = add_called(code, tests, strbuf_str(&own), &called);
	strbuf_reset(&own);
	strbuf_addstr(&own, strbuf_str(out));
	strbuf_reset(out);
	is_behind = n_called == 1 && !imports.len;
	strbuf_addstr(out, is_behind ? "" : strbuf_str(&called));
	is_unclear = n > 1 && takes_all_names(strbuf_str(&own));
	strbuf_addf(out, "%s%s%s", is_unclear ? strbuf_str(&imports) : "", strbuf_str(&own),
		    is_unclear ? "" : strbuf_str(&imports));
	strbuf_addstr(out, is_behind ? strbuf_str(&called) : "");
	*ret_n = n + n_called;
	return imports.len || called.len;
}

/* "Node(" or "Node.": objects are made of it. */
static bool is_used(const char *text, const char *name, const char *how)
{
	_free_ char *use = str_printf("%s%s", name, how);

	for (const char *p = text; use && (p = strstr(p, use)); p++) {
		if (p == text || (!is_word(p[-1]) && p[-1] != '.'))
			return true;
	}
	return false;
}

/*
 * Tests that make objects of a class of the code, to call its functions with them: csbx carries values, and knows nothing
 * of such objects. It is no fault of the code. A function that is to be judged is none of these, whatever the code makes
 * of it: those are named in small letters, or are the only one that the tests name.
 */
static int check_classes(const char *code, const char *tests, const char *imports, unsigned n,
			 struct err *e)
{
	char name[NAME_BYTES];

	for (const char *p = code; *p; p = *p ? p + 1 : p) {
		if (!strncmp(p, "class ", 6) && defines(p, name) && isupper((unsigned char)*name) &&
		    names(imports, name, strlen(name)) &&
		    ((n > 1 && is_used(tests, name, "(")) || is_used(tests, name, "().")))
			return err_set(e, EINVAL,
				       "test_list: it makes objects of %s, a class of the code, "
				       "which cannot be judged",
				       name);
		p = strchrnul(p, '\n');
	}
	return 0;
}

/* Statements that assert, and what they need before them. */
static int take_test_list(const struct value *line, struct eval_job *job, struct err *e)
{
	_strbuf_ struct strbuf tests = STRBUF_INIT, setup = STRBUF_INIT, all = STRBUF_INIT;
	int r = add_lines(line, "test_list", &tests, e);
	unsigned n = 0;

	strbuf_reset(&job->check);
	if (r >= 0)
		r = add_lines(line, "test_imports", &job->check, e);
	if (r >= 0)
		r = add_text(line, "test_setup_code", &setup, e);
	strbuf_addf(&all, "%s\n%s", strbuf_str(&setup), strbuf_str(&tests));
	job->lacks_names = !add_imports(strbuf_str(&job->code), strbuf_str(&all), &job->check, &n);
	if (r >= 0)
		r = check_classes(strbuf_str(&job->code), strbuf_str(&all), strbuf_str(&job->check),
				  n, e);
	strbuf_addf(&job->check, "%s\n%s", strbuf_str(&setup), strbuf_str(&tests));
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

/*
 * Tests of HumanEval may call what the prompt defines before the function (poly, encode_shift). They get that, which is
 * their author's; not what the snippet has by that name.
 */
static int add_prompt(const struct value *line, struct eval_job *job, struct err *e)
{
	const struct value *prompt = member(line, "prompt");
	const char *text = prompt && prompt->kind == VALUE_STR ? prompt->text : "";
	const char *end =
		job->function && job->has_check ? line_that_defines(text, job->function) : NULL;
	_strbuf_ struct strbuf check = STRBUF_INIT;
	char name[NAME_BYTES];
	bool is_named = false;

	for (const char *p = text; end && p < end; p = strchrnul(p, '\n') + 1)
		is_named |= defines(p, name) && names(strbuf_str(&job->check), name, strlen(name));
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
