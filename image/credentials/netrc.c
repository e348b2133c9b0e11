/* SPDX-License-Identifier: Apache-2.0 */
#include "image/credentials/credentials.h"

#include <stdlib.h>
#include <strings.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/*
 * netrc(5) as enroot's users write it: words apart by blanks, "machine HOST login USER password
 * PASSWORD", "#" begins a comment at the beginning of a line. A word may be in double quotes.
 */
struct words {
	const char *p, *end;
	unsigned line;
};

static void skip_blanks(struct words *w)
{
	bool line_start = w->line == 0;

	if (line_start)
		w->line = 1;
	while (w->p < w->end) {
		if (*w->p == '\n') {
			w->line++;
			line_start = true;
		} else if (*w->p == '#' && line_start) {
			while (w->p < w->end && *w->p != '\n')
				w->p++;
			continue;
		} else if (!strchr(" \t\r", *w->p)) {
			return;
		}
		w->p++;
	}
}

/* The next word, NULL at the end or when memory is out. */
static char *next_word(struct words *w)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	bool quoted, command;

	skip_blanks(w);
	if (w->p == w->end)
		return NULL;
	quoted = *w->p == '"';
	command = *w->p == '$' && w->p + 1 < w->end && w->p[1] == '('; /* up to the line's end */
	for (w->p += quoted; w->p < w->end; w->p++) {
		if (quoted ? *w->p == '"' : strchr(command ? "\n" : " \t\r\n", *w->p) != NULL)
			break;
		if (quoted && *w->p == '\\' && w->p + 1 < w->end)
			w->p++;
		strbuf_addch(&out, *w->p);
	}
	if (quoted && w->p < w->end)
		w->p++;
	return out.len ? strbuf_take(&out) : strdup("");
}

/*
 * enroot evaluates a password that begins with "$" in a shell; here only a variable is looked up.
 */
static int expand(char **password, unsigned line, struct err *e)
{
	const char *p = *password, *value;
	_free_ char *name = NULL;
	size_t n;

	if (!p || *p != '$')
		return 0;
	if (p[1] == '(')
		return err_set(e, EBADMSG,
			       "line %u: a command as password is not run; use a credential "
			       "helper (credHelpers in ~/.config/containers/auth.json)",
			       line);
	p += 1 + (p[1] == '{');
	n = strcspn(p, "}");
	name = strndup(p, n);
	value = name ? secure_getenv(name) : NULL;
	if (!value)
		return err_set(e, EBADMSG, "line %u: the password is a variable that is not set",
			       line);
	free(*password);
	*password = strdup(value);
	return *password ? 0 : err_oom(e);
}

struct entry {
	char *host; /* NULL: of "default", or there is none yet */
	struct credentials c;
	bool begun;
	unsigned line;
};

static void entry_reset(struct entry *n)
{
	free(n->host);
	credentials_free(&n->c);
	*n = (struct entry){0};
}

static bool entry_fits(const struct entry *n, const char *host, const char *user)
{
	if (!n->begun || (n->host && strcasecmp(n->host, host)))
		return false;
	return n->c.user && n->c.password && (!user || str_eq(user, n->c.user));
}

/* A word and what belongs to it. 1 when an entry begins with it. */
static int take_word(struct words *w, const char *word, struct entry *n, struct err *e)
{
	char **at = NULL;

	if (str_eq(word, "login"))
		at = &n->c.user;
	else if (str_eq(word, "password"))
		at = &n->c.password;
	else if (str_eq(word, "machine"))
		at = &n->host;
	else if (!str_eq(word, "account") && !str_eq(word, "default"))
		return err_set(e, EBADMSG, "line %u: not machine, login or password", w->line);
	if (str_eq(word, "account"))
		free(next_word(w));
	if (!at)
		return 0;
	free(*at);
	*at = next_word(w);
	return *at ? 0 : err_set(e, EBADMSG, "line %u: ends behind '%s'", w->line, word);
}

int credentials_from_netrc(const char *text, size_t len, const char *host, const char *user,
			   struct credentials *ret, struct err *e)
{
	struct words w = {text, text + len, 0};
	struct entry n = {0};
	int r = 0;

	if (memchr(text, 0, len))
		return err_set(e, EBADMSG, "not a text file");
	while (r >= 0) {
		_free_ char *word = next_word(&w);
		bool begins = word && (str_eq(word, "machine") || str_eq(word, "default"));

		if (!word || begins) {
			if (entry_fits(&n, host, user))
				break;
			entry_reset(&n);
			n.line = w.line;
			n.begun = begins;
		}
		if (!word)
			break;
		r = take_word(&w, word, &n, e);
	}
	if (r >= 0 && entry_fits(&n, host, user)) {
		r = expand(&n.c.password, n.line, e);
		if (r >= 0) {
			*ret = n.c;
			n.c = (struct credentials){0};
			r = 1;
		}
	}
	entry_reset(&n);
	return r;
}
