/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Pipelines, commands, operands and constants. The recursion of parentheses is bounded by
 * TEMPLATE_DEPTH_MAX. This file and template_parse.c call each other: the grammar does, for an
 * operand may be a pipeline in parentheses.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/docker/show/template_parse.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/* The text written from a position to here, without blanks at its end. */
static int note_text(struct parser *p, struct node *n, size_t end)
{
	while (end > n->pos && strchr(" \t\r\n", p->t->text[end - 1]))
		end--;
	n->text = strndup(p->t->text + n->pos, end - n->pos);
	return n->text ? 0 : err_code(p->e, ENOMEM, "template");
}

/* The beginning of the next token. */
static size_t here(struct parser *p)
{
	return parser_peek(p).pos;
}

static bool knows_variable(const struct parser *p, const char *name, size_t len)
{
	if (len == 1)
		return true;
	for (unsigned i = 0; i < p->n_variables; i++) {
		if (strlen(p->variables[i]) == len && !memcmp(p->variables[i], name, len))
			return true;
	}
	return false;
}

/*
 * --- constants -----------------------------------------------------------------------------------
 */

static int unquote_one(const char **s, struct strbuf *out)
{
	static const char from[] = "abfnrtv\\\"", to[] = "\a\b\f\n\r\t\v\\\"";
	const char *found = strchr(from, (*s)[1]);
	unsigned value;

	if (found && (*s)[1]) {
		strbuf_addch(out, to[found - from]);
		*s += 2;
		return 0;
	}
	if ((*s)[1] == 'x' && isxdigit((unsigned char)(*s)[2]) &&
	    isxdigit((unsigned char)(*s)[3]) && sscanf(*s + 2, "%2x", &value) == 1 && value) {
		strbuf_addch(out, (char)value);
		*s += 4;
		return 0;
	}
	return -EINVAL;
}

static int parse_string(struct parser *p, struct token t, struct node *n)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_free_ char *copy = strndup(t.text + 1, t.len - 2);
	const char *s = copy;

	while (s && *s) {
		if (*s != '\\' || *t.text == '`')
			strbuf_addch(&out, *s++);
		else if (unquote_one(&s, &out) < 0)
			return parser_bad(p, "invalid syntax");
	}
	n->constant = docker_value_new(DOCKER_VALUE_STR);
	if (!n->constant || !copy || strbuf_check(&out, p->e) < 0)
		return err_code(p->e, ENOMEM, "template");
	n->constant->text = strdup(strbuf_str(&out));
	return n->constant->text ? 0 : err_code(p->e, ENOMEM, "template");
}

static int parse_number(struct parser *p, struct token t, struct node *n)
{
	char text[32], *end;

	if (t.len >= sizeof(text))
		return parser_bad(p, "bad number syntax: \"%.20s\"", t.text);
	memcpy(text, t.text, t.len);
	text[t.len] = 0;
	errno = 0;
	n->constant = docker_value_new(DOCKER_VALUE_INT);
	if (!n->constant)
		return err_code(p->e, ENOMEM, "template");
	n->constant->number = strtoll(text, &end, 0);
	return *end || errno ? parser_bad(p, "bad number syntax: \"%s\"", text) : 0;
}

static int parse_constant(struct parser *p, struct token t, struct node **ret)
{
	struct node *n = parser_node(p, t.kind == TOKEN_NIL ? NODE_NIL : NODE_CONSTANT, t.pos);

	*ret = n;
	if (!n)
		return -EINVAL;
	n->text = strndup(t.text, t.len);
	if (t.kind == TOKEN_STRING)
		return parse_string(p, t, n);
	if (t.kind == TOKEN_NUMBER)
		return parse_number(p, t, n);
	if (t.kind == TOKEN_NIL)
		return 0;
	n->constant = docker_value_new(DOCKER_VALUE_BOOL);
	if (!n->constant)
		return err_code(p->e, ENOMEM, "template");
	n->constant->number = t.kind == TOKEN_TRUE;
	return 0;
}

/*
 * --- operands ------------------------------------------------------------------------------------
 */

static int parse_word(struct parser *p, struct token t, struct node **ret)
{
	const struct template_function *f = template_function_find(t.text, t.len);

	if (!f)
		return parser_bad(p, "function \"%.*s\" not defined", t.len > 64 ? 64 : (int)t.len,
				  t.text);
	*ret = parser_node(p, NODE_WORD, t.pos);
	if (!*ret)
		return -EINVAL;
	(*ret)->function = f;
	return 0;
}

static int parse_variable(struct parser *p, struct token t, struct node **ret)
{
	if (!knows_variable(p, t.text, t.len))
		return parser_bad(p, "undefined variable \"%.*s\"", t.len > 64 ? 64 : (int)t.len,
				  t.text);
	*ret = parser_node(p, NODE_VARIABLE, t.pos);
	if (!*ret)
		return -EINVAL;
	strv_addn(&(*ret)->names, t.text, t.len);
	return 0;
}

static int parse_parens(struct parser *p, struct token t, struct node **ret)
{
	int r;

	*ret = parser_node(p, NODE_CHAIN, t.pos);
	if (!*ret)
		return -EINVAL;
	r = parser_pipe(p, "parenthesized pipeline", TOKEN_CLOSE, &(*ret)->first);
	return r;
}

/* 1: the token begins no operand, and was put back. */
static int parse_term(struct parser *p, struct node **ret)
{
	struct token t = parser_next(p);

	switch (t.kind) {
	case TOKEN_WORD:
		return parse_word(p, t, ret);
	case TOKEN_VARIABLE:
		return parse_variable(p, t, ret);
	case TOKEN_DOT:
	case TOKEN_FIELD:
		*ret = parser_node(p, t.kind == TOKEN_DOT ? NODE_DOT : NODE_FIELD, t.pos);
		if (!*ret)
			return -EINVAL;
		if (t.kind == TOKEN_FIELD)
			strv_addn(&(*ret)->names, t.text + 1, t.len - 1);
		return 0;
	case TOKEN_TRUE:
	case TOKEN_FALSE:
	case TOKEN_NIL:
	case TOKEN_NUMBER:
	case TOKEN_STRING:
		return parse_constant(p, t, ret);
	case TOKEN_OPEN:
		return parse_parens(p, t, ret);
	default:
		parser_put_back(p, t);
		return 1;
	}
}

/* A term and the fields that hang on it: .A.B, $x.A, (...).A */
static int parse_operand(struct parser *p, struct node **ret)
{
	size_t begin = here(p);
	int r = parse_term(p, ret);
	struct node *n = *ret;
	struct token t;

	if (r)
		return r;
	for (t = parser_peek(p); t.kind == TOKEN_FIELD && !t.spaced; t = parser_peek(p)) {
		if (n->kind == NODE_FIELD && n->names.n == 1)
			n->pos = t.pos; /* as in Go: messages point at the second name */
		else if (n->kind != NODE_FIELD && n->kind != NODE_VARIABLE && n->kind != NODE_CHAIN)
			return parser_bad(p, "unexpected . after term \"%.*s\"",
					  (int)(t.pos - begin), p->t->text + begin);
		parser_next(p);
		strv_addn(&n->names, t.text + 1, t.len - 1);
	}
	if (strv_check(&n->names, p->e) < 0)
		return -ENOMEM;
	free(n->text);
	n->text = strndup(p->t->text + begin, t.pos - begin);
	if (!n->text)
		return err_code(p->e, ENOMEM, "template");
	for (size_t len = strlen(n->text); len && strchr(" \t\r\n", n->text[len - 1]); len--)
		n->text[len - 1] = 0;
	return 0;
}

/*
 * --- commands and pipelines ----------------------------------------------------------------------
 */

static bool ends_command(struct token t)
{
	return t.kind == TOKEN_RIGHT || t.kind == TOKEN_CLOSE || t.kind == TOKEN_PIPE;
}

static int parse_command(struct parser *p, struct node *pipe)
{
	struct node *command = parser_node(p, NODE_COMMAND, here(p)), *operand = NULL;
	int r;

	if (!command)
		return -EINVAL;
	parser_add(pipe, command);
	for (;;) {
		struct token t;

		r = parse_operand(p, &operand);
		if (r < 0)
			return r;
		if (!r)
			parser_add(command, operand);
		t = parser_peek(p);
		if (ends_command(t))
			break;
		if (r || !t.spaced)
			return parser_unexpected(p, parser_next(p), "operand");
	}
	if (!command->first)
		return parser_bad(p, "empty command");
	return note_text(p, command, here(p));
}

/* "$x :=", "$x =", "$k, $v :=" */
static int parse_variables(struct parser *p, const char *context, struct node *pipe)
{
	struct token name = parser_next(p), t = parser_next(p);

	if (t.kind == TOKEN_COMMA && str_eq(context, "range") && !pipe->names.n) {
		strv_addn(&pipe->names, name.text, name.len);
		if (parser_peek(p).kind != TOKEN_VARIABLE)
			return parser_bad(p, "range can only initialize variables");
		return parse_variables(p, context, pipe);
	}
	if (t.kind != TOKEN_DECLARE && t.kind != TOKEN_ASSIGN) {
		if (pipe->names.n)
			return parser_unexpected(p, t, context);
		parser_put_back(p, t);
		parser_put_back(p, name);
		return 0;
	}
	strv_addn(&pipe->names, name.text, name.len);
	if (strv_check(&pipe->names, p->e) < 0)
		return -ENOMEM;
	pipe->assigns = t.kind == TOKEN_ASSIGN;
	for (size_t i = 0; i < pipe->names.n; i++) {
		const char *item = pipe->names.items[i];

		if (pipe->assigns && !knows_variable(p, item, strlen(item)))
			return parser_bad(p, "undefined variable \"%s\"", item);
		if (!pipe->assigns && p->n_variables == TEMPLATE_DEPTH_MAX)
			return parser_bad(p, "too many variables for csbx");
		if (!pipe->assigns)
			p->variables[p->n_variables++] = item;
	}
	return 0;
}

static int check_pipe(struct parser *p, const struct node *pipe, const char *context)
{
	unsigned stage = 2;

	if (!pipe->first)
		return parser_bad(p, "missing value for %s", context);
	for (const struct node *c = pipe->first->next; c; c = c->next, stage++) {
		if (c->first->kind == NODE_CONSTANT || c->first->kind == NODE_DOT ||
		    c->first->kind == NODE_NIL)
			return parser_bad(p, "non executable command in pipeline stage %u", stage);
	}
	return 0;
}

static int parse_commands(struct parser *p, const char *context, enum token_kind end,
			  struct node *pipe)
{
	for (;;) {
		struct token t = parser_next(p);
		int r;

		if (t.kind == end)
			return check_pipe(p, pipe, context);
		if (t.kind == TOKEN_PIPE && pipe->first)
			continue;
		if (t.kind == TOKEN_ERROR || t.kind < TOKEN_DOT || t.kind >= TOKEN_KEYWORD ||
		    (t.kind > TOKEN_NIL && t.kind != TOKEN_OPEN))
			return parser_unexpected(p, t, context);
		parser_put_back(p, t);
		r = parse_command(p, pipe);
		if (r < 0)
			return r;
	}
}

int parser_pipe(struct parser *p, const char *context, enum token_kind end, struct node **ret)
{
	struct node *pipe = parser_node(p, NODE_PIPE, here(p));
	int r = 0;

	*ret = pipe;
	if (!pipe)
		return -EINVAL;
	if (++p->depth > TEMPLATE_DEPTH_MAX)
		return parser_bad(p, "too deep for csbx");
	if (parser_peek(p).kind == TOKEN_VARIABLE)
		r = parse_variables(p, context, pipe);
	if (r >= 0)
		r = parse_commands(p, context, end, pipe);
	if (r >= 0)
		r = note_text(p, pipe, p->pos);
	p->depth--;
	return r;
}
