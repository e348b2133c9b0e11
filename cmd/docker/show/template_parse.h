/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_TEMPLATE_PARSE_H
#define CSBX_CMD_DOCKER_TEMPLATE_PARSE_H

/* Between the two halves of the parser: statements (template_parse.c), pipelines (_pipe.c). */

#include "cmd/docker/show/template_priv.h"

struct parser {
	struct template *t;
	struct lexer lexer;
	struct token ahead[2]; /* what was looked at and not taken yet */
	unsigned n_ahead, depth;
	size_t pos; /* of the last token, for the line of a message */
	const char *variables[TEMPLATE_DEPTH_MAX];
	unsigned n_variables;
	struct err *e;
};

int parser_bad(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int parser_unexpected(struct parser *p, struct token t, const char *context);
struct token parser_next(struct parser *p);
void parser_put_back(struct parser *p, struct token t);
struct token parser_peek(struct parser *p);
struct node *parser_node(struct parser *p, enum node_kind kind, size_t pos);
void parser_add(struct node *list, struct node *n);

/* Up to the token `end`, which is taken. context: the action it stands in, for messages. */
int parser_pipe(struct parser *p, const char *context, enum token_kind end, struct node **ret);

#endif
