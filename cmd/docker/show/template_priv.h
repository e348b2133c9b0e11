/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_TEMPLATE_PRIV_H
#define CSBX_CMD_DOCKER_TEMPLATE_PRIV_H

#include <stddef.h>

#include "cmd/docker/show/template.h"
#include "cmd/docker/show/value.h"

/*
 * --- tokens (template_lex.c) ---------------------------------------------------------------------
 */

enum token_kind {
	TOKEN_ERROR, /* text: the message */
	TOKEN_EOF,
	TOKEN_TEXT,
	TOKEN_LEFT,  /* {{ */
	TOKEN_RIGHT, /* }} */
	TOKEN_DOT,
	TOKEN_FIELD,    /* .Name */
	TOKEN_VARIABLE, /* $ or $name */
	TOKEN_WORD,     /* a function */
	TOKEN_NUMBER,
	TOKEN_STRING, /* with its quotes */
	TOKEN_TRUE,
	TOKEN_FALSE,
	TOKEN_NIL,
	TOKEN_PIPE,
	TOKEN_COMMA,
	TOKEN_DECLARE, /* := */
	TOKEN_ASSIGN,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_KEYWORD, /* the first of those that begin a control structure */
	TOKEN_IF = TOKEN_KEYWORD,
	TOKEN_ELSE,
	TOKEN_END,
	TOKEN_RANGE,
	TOKEN_WITH,
	TOKEN_OTHER, /* one that is not supported */
};

struct token {
	enum token_kind kind;
	const char *text;
	size_t len, pos;
	bool spaced; /* blanks before it */
};

struct lexer {
	const char *text;
	size_t len, pos;
	bool inside, trim; /* in an action; the text to come loses its leading blanks */
	unsigned parens;
	char message[64];
};

struct token lexer_next(struct lexer *x);

/*
 * --- the tree (template_parse.c) -----------------------------------------------------------------
 */

enum node_kind {
	NODE_TEXT,
	NODE_PIPE,    /* commands; as a statement: printed */
	NODE_COMMAND, /* operands */
	NODE_IF,
	NODE_RANGE,
	NODE_WITH,
	NODE_DOT,
	NODE_NIL,
	NODE_FIELD,    /* names */
	NODE_VARIABLE, /* names, the first with its $ */
	NODE_CHAIN,    /* (pipe).names */
	NODE_WORD,
	NODE_CONSTANT,
};

struct node {
	enum node_kind kind;
	size_t pos;
	struct node *next;         /* in the list it is in */
	struct node *first, *last; /* commands, operands, statements; of a chain the pipe */
	struct node *pipe, *other; /* of a control structure; `other` is else */
	struct strv names;         /* of fields, or the variables a pipe declares */
	bool assigns;              /* the variables are there already */
	char *text;                /* as written, for messages; NODE_TEXT: the text */
	struct docker_value *constant;
	const struct template_function *function;
	struct node *allocated; /* all nodes, to free them */
};

struct template
{
	char *name, *text;
	struct node *all, *first;
	size_t n_nodes;
};

/*
 * --- functions (template_func.c) -----------------------------------------------------------------
 */

struct run {
	const struct template *t;
	unsigned flags;
	struct strbuf *out;
	struct err *e;
	unsigned steps, depth;
	struct docker_value *made; /* a list of all values made on the way */
	size_t made_bytes;         /* at most TEMPLATE_OUTPUT_MAX */
	struct variable {
		const char *name;
		const struct docker_value *value;
	} variables[TEMPLATE_DEPTH_MAX];
	unsigned n_variables;
};

/* template_value.c. A value that lives as long as the run; NULL without memory. */
struct docker_value *run_make(struct run *r, enum docker_value_kind kind);
struct docker_value *run_make_str(struct run *r, const char *s, size_t len);
struct docker_value *run_make_bool(struct run *r, bool yes);

/* The value of an entry that a map does not have; Go prints it as <no value>. */
extern const struct docker_value value_absent;

bool value_is_true(const struct docker_value *v);

struct template_function {
	const char *name;
	unsigned min, max; /* arguments */
	/* -EINVAL with the text behind "error calling NAME: ". */
	int (*call)(struct run *r, const struct docker_value **args, size_t n,
		    const struct docker_value **ret, struct err *e);
	bool is_docker; /* one that leaves the heads of columns alone */
};

extern const struct template_function template_docker_functions[]; /* template_docker.c */
const struct template_function *template_function_find(const char *name, size_t len);
/* Go's name of a type, as far as JSON lets one know. */
const char *value_type(const struct docker_value *v);

#define TEMPLATE_ARGS_MAX 16

#endif
