/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/heredoc.h"

#include <ctype.h>
#include <stdlib.h>

#include "cmd/build/dockerfile/dockerfile.h"
#include "runtime/base/err.h"

#define HEREDOCS_MAX 100

/* The length of the word at s: quotes and a backslash keep blanks in it. */
static size_t word_length(const char *s)
{
	const char *p = s;
	char quote = 0;

	for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
		if (*p == '\\' && p[1] && quote != '\'')
			p++;
		else if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? 0 : *p;
	}
	return (size_t)(p - s);
}

/* The name without its quotes; false where it has none or quotes do not match. */
static bool unquote(const char *s, size_t len, struct dockerfile_heredoc *ret)
{
	_strbuf_ struct strbuf name = STRBUF_INIT;
	char quote = 0;

	ret->expand = true;
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '<')
			return false;
		if (s[i] == '\\' && quote != '\'' && i + 1 < len) {
			strbuf_addch(&name, s[++i]);
			ret->expand = false;
		} else if (quote ? s[i] == quote : s[i] == '\'' || s[i] == '"') {
			quote = quote ? 0 : s[i];
			ret->expand = false;
		} else {
			strbuf_addch(&name, s[i]);
		}
	}
	if (quote || !name.len)
		return false;
	ret->name = strbuf_take(&name);
	return ret->name;
}

bool heredoc_word(const char *word, size_t len, struct dockerfile_heredoc *ret)
{
	size_t at = 0;

	*ret = (struct dockerfile_heredoc){0};
	while (at < len && isdigit((unsigned char)word[at]))
		at++;
	if (len - at < 3 || word[at] != '<' || word[at + 1] != '<')
		return false;
	at += 2;
	if (word[at] == '-') {
		ret->chomp = true;
		at++;
	}
	return unquote(word + at, len - at, ret);
}

int heredocs_of_line(const char *line, struct instruction *i, struct err *e)
{
	while (*line) {
		struct dockerfile_heredoc found, *more;
		size_t len;

		while (isspace((unsigned char)*line))
			line++;
		len = word_length(line);
		if (heredoc_word(line, len, &found)) {
			more = i->n_heredocs < HEREDOCS_MAX
				       ? reallocarray(i->heredocs, i->n_heredocs + 1, sizeof(*more))
				       : NULL;
			if (!more) {
				free(found.name);
				return err_set(e, EFBIG, "the line begins too many here-documents");
			}
			i->heredocs = more;
			more[i->n_heredocs++] = found;
		}
		line += len;
	}
	return 0;
}
