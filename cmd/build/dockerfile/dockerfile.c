/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/dockerfile.h"

#include <stdlib.h>

#include "cmd/build/dockerfile/check.h"
#include "cmd/build/dockerfile/flags.h"
#include "cmd/build/dockerfile/heredoc.h"
#include "cmd/build/dockerfile/lines.h"
#include "cmd/build/dockerfile/op.h"
#include "cmd/build/dockerfile/words.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

void instruction_free(struct instruction *i)
{
	free(i->text);
	free(i->rest);
	strv_free(&i->flags);
	strv_free(&i->args);
	for (size_t n = 0; n < i->n_heredocs; n++) {
		free(i->heredocs[n].name);
		free(i->heredocs[n].data);
	}
	free(i->heredocs);
	*i = (struct instruction){0};
}

void dockerfile_free(struct dockerfile *d)
{
	for (size_t n = 0; n < d->n; n++)
		instruction_free(&d->items[n]);
	free(d->items);
	free(d->syntax);
	free(d->check);
	*d = (struct dockerfile){0};
}

/* --- one instruction ------------------------------------------------------------------------ */

static char *trimmed(const char *s)
{
	size_t len = strlen(s);

	while (len && strchr(" \t\v\f\r\n", s[len - 1]))
		len--;
	return strndup(s, len);
}

/* Name, flags and what follows; words come later, when here-documents are known. */
static int split_line(struct instruction *i, struct err *e)
{
	const char *end = words_skip_text(i->text);
	int r = op_find(i->text, (size_t)(end - i->text), &i->op, e);

	if (r < 0)
		return r;
	i->rest = trimmed(words_flags(end, &i->flags));
	if (!i->rest)
		return err_oom(e);
	return strv_check(&i->flags, e);
}

int dockerfile_parse_trigger(const char *text, struct instruction *ret, struct err *e)
{
	const char *s = words_skip_blanks(text);
	int r;

	*ret = (struct instruction){.text = trimmed(s)};
	if (!ret->text)
		return err_oom(e);
	r = split_line(ret, e);
	if (r >= 0)
		r = flags_check(ret, e);
	return r < 0 ? r : instruction_words(ret, '\\', e);
}

/* The text of an ONBUILD is run later, but it has to be an instruction. */
static int check_trigger(const struct instruction *i, struct err *e)
{
	struct instruction trigger = {0};
	int r = dockerfile_parse_trigger(i->args.items[0], &trigger, e);

	instruction_free(&trigger);
	return r;
}

static bool may_have_heredocs(const struct instruction *i)
{
	const char *s = i->rest;

	if (i->op == DOCKERFILE_ONBUILD)
		return !strncasecmp(s, "run", 3) || !strncasecmp(s, "copy", 4) ||
		       !strncasecmp(s, "add", 3);
	return i->op == DOCKERFILE_RUN || i->op == DOCKERFILE_COPY || i->op == DOCKERFILE_ADD;
}

static int read_heredocs(struct line_reader *r, struct instruction *i, struct err *e)
{
	int got =
		may_have_heredocs(i) && strstr(i->rest, "<<") ? heredocs_of_line(i->rest, i, e) : 0;

	for (size_t n = 0; got >= 0 && n < i->n_heredocs; n++)
		got = lines_heredoc(r, &i->heredocs[n], e);
	i->end_line = i->n_heredocs ? r->line : i->end_line;
	return got;
}

static int parse_one(struct line_reader *r, struct logical_line *line, char escape,
		     struct instruction *i, struct err *e)
{
	int got;

	i->line = line->line;
	i->end_line = line->end_line;
	i->text = trimmed(strbuf_str(&line->text));
	if (!i->text)
		return err_oom(e);
	got = split_line(i, e);
	if (got >= 0)
		got = read_heredocs(r, i, e);
	if (got >= 0)
		got = flags_check(i, e);
	if (got >= 0)
		got = instruction_words(i, escape, e);
	if (got >= 0 && i->op == DOCKERFILE_ONBUILD)
		got = check_trigger(i, e);
	return got;
}

/* --- the file ------------------------------------------------------------------------------- */

static struct instruction *add(struct dockerfile *d, struct err *e)
{
	struct instruction *more;

	if (d->n == DOCKERFILE_MAX_INSTRUCTIONS) {
		err_set(e, EFBIG, "more than %u instructions", DOCKERFILE_MAX_INSTRUCTIONS);
		return NULL;
	}
	more = d->n & (d->n - 1) ? d->items
				 : reallocarray(d->items, d->n ? d->n * 2 : 1, sizeof(*more));
	if (!more) {
		err_oom(e);
		return NULL;
	}
	d->items = more;
	more[d->n] = (struct instruction){0};
	return &more[d->n++];
}

static int at_line(struct err *e, unsigned line)
{
	return err_wrap(e, "dockerfile parse error on line %u", line);
}

static int parse_all(struct line_reader *r, struct dockerfile *d, struct logical_line *line,
		     struct dockerfile_place *place, struct err *e)
{
	bool in_stage = false;
	int got;

	while ((got = lines_next(r, line, e)) > 0) {
		struct instruction *i = add(d, e);

		got = i ? parse_one(r, line, d->escape, i, e) : -e->code;
		if (got >= 0) {
			in_stage |= i->op == DOCKERFILE_FROM;
			if (!in_stage && i->op != DOCKERFILE_ARG)
				got = err_set(e, EINVAL, "no build stage in current context");
		}
		*place = (struct dockerfile_place){line->line, i && i->end_line > line->end_line
								       ? i->end_line
								       : line->end_line};
		if (got < 0)
			return at_line(e, line->line);
	}
	if (got < 0) {
		*place = (struct dockerfile_place){r->line, r->line};
		return at_line(e, r->line);
	}
	*place = (struct dockerfile_place){0};
	if (!d->n)
		return err_set(e, EINVAL, "file with no instructions");
	return in_stage ? 0 : err_set(e, EINVAL, "no build stage in current context");
}

int dockerfile_parse(const char *text, size_t len, struct dockerfile *ret,
		     struct dockerfile_place *ret_place, struct err *e)
{
	struct logical_line line = {0};
	struct line_reader r;
	struct err own = ERR_INIT, *why = e ? e : &own;
	int got;

	*ret = (struct dockerfile){0};
	*ret_place = (struct dockerfile_place){0};
	if (len > DOCKERFILE_MAX_BYTES)
		return err_set(e, EFBIG, "the Dockerfile is larger than %u MiB",
			       DOCKERFILE_MAX_BYTES >> 20);
	got = lines_begin(&r, text, len, ret, why);
	if (got < 0) {
		*ret_place = (struct dockerfile_place){r.line, r.line};
		at_line(why, r.line);
	} else {
		got = parse_all(&r, ret, &line, ret_place, why);
	}
	strbuf_free(&line.text);
	if (got < 0)
		dockerfile_free(ret);
	return got;
}
