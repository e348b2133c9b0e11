/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/markdown.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define FENCE_MIN 3u
#define INDENT_MAX 3u

/* The names that a block's first word has for a language. */
static const char *const names[EVAL_LANGS][6] = {
	[EVAL_PYTHON] = {"python", "py", "python3", "python2", NULL},
	[EVAL_BASH] = {"bash", "sh", "shell", "zsh", NULL},
	[EVAL_NODE] = {"javascript", "js", "node", "mjs", NULL},
	[EVAL_C] = {"c", "h", NULL},
};

struct fence {
	char mark;
	size_t n, indent;
	const char *word; /* of the opening one */
	size_t word_len;
};

static size_t line_length(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? (size_t)(nl - p) : (size_t)(end - p);
}

/* A blank of the end of a line; \r of files from Windows too. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* True for a line that may open or close a block. */
static bool read_fence(const char *line, size_t len, struct fence *ret)
{
	size_t i = 0, first;

	while (i < len && line[i] == ' ')
		i++;
	*ret = (struct fence){.indent = i};
	if (i > INDENT_MAX || i == len || (line[i] != '`' && line[i] != '~'))
		return false;
	ret->mark = line[i];
	for (first = i; i < len && line[i] == ret->mark; i++)
		;
	ret->n = i - first;
	while (i < len && is_blank(line[i]))
		i++;
	ret->word = line + i;
	while (i < len && !is_blank(line[i]))
		i++;
	ret->word_len = (size_t)(line + i - ret->word);
	/* "```x``` in a sentence" opens nothing. */
	return ret->n >= FENCE_MIN &&
	       (ret->mark != '`' || !memchr(ret->word, '`', (size_t)(line + len - ret->word)));
}

static bool closes(const struct fence *open, const char *line, size_t len)
{
	struct fence f;

	return read_fence(line, len, &f) && f.mark == open->mark && f.n >= open->n && !f.word_len;
}

/* "python", "{.python", "python:file.py", "Python3": the letters count. */
static bool is_of(const struct fence *f, enum eval_lang lang)
{
	const char *word = f->word;
	size_t len = f->word_len, n = 0;

	while (len && (*word == '{' || *word == '.')) {
		word++;
		len--;
	}
	while (n < len && !strchr(":,}{=", word[n]))
		n++;
	for (size_t i = 0; names[lang][i]; i++) {
		if (strlen(names[lang][i]) == n && !strncasecmp(word, names[lang][i], n))
			return true;
	}
	return false;
}

/* The content of a block without the indentation of its fence; returns what follows. */
static const char *read_block(const struct fence *open, const char *p, const char *end,
			      struct strbuf *out)
{
	while (p < end) {
		size_t len = line_length(p, end), skip = 0;
		const char *next = p + len + (p + len < end);

		if (closes(open, p, len))
			return next;
		while (skip < open->indent && skip < len && p[skip] == ' ')
			skip++;
		strbuf_add(out, p + skip, (size_t)(next - p) - skip);
		p = next;
	}
	return end;
}

void markdown_take_code(enum eval_lang lang, struct strbuf *text)
{
	const char *p = strbuf_str(text), *end = p + text->len;
	_strbuf_ struct strbuf block = STRBUF_INIT, unmarked = STRBUF_INIT;
	bool has_unmarked = false, has_own = false;

	while (p < end && !has_own) {
		size_t len = line_length(p, end);
		const char *next = p + len + (p + len < end);
		struct fence open;

		if (!read_fence(p, len, &open)) {
			p = next;
			continue;
		}
		strbuf_reset(&block);
		p = read_block(&open, next, end, &block);
		has_own = is_of(&open, lang);
		if (has_own || open.word_len || has_unmarked)
			continue;
		has_unmarked = true;
		strbuf_add(&unmarked, strbuf_str(&block), block.len);
	}
	if (has_own || has_unmarked) {
		struct strbuf *found = has_own ? &block : &unmarked, before = *text;

		*text = *found;
		*found = before;
	}
}
