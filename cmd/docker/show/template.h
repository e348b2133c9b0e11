/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_TEMPLATE_H
#define CSBX_CMD_DOCKER_TEMPLATE_H

/*
 * The part of Go's text/template that people give to docker's --format: fields, methods with one
 * argument, variables, pipes, parentheses, if / else if / else, range, with, trimming, comments,
 * and the functions
 *
 *	and or not eq ne lt le gt ge len index slice print printf println
 *	json split join title lower upper pad truncate		(docker's own)
 *
 * Not there: define, template, block, break, continue, html, js, urlquery, call, floating point.
 * Texts of errors are Go's: "template: :1:2: executing \"\" at <.Nope>: ...".
 *
 * The text may be anything and is bounded: its length, what it nests, the steps it takes and what
 * it prints.
 */

#include <stdbool.h>

struct err;
struct strbuf;
struct template;
struct docker_value;

#define TEMPLATE_BYTES_MAX (64u << 10)
#define TEMPLATE_OUTPUT_MAX (16u << 20)
#define TEMPLATE_STEPS_MAX 1000000u
#define TEMPLATE_DEPTH_MAX 64

enum template_flag {
	TEMPLATE_RAW = 1u << 0,    /* structs are maps read from JSON; a missing key is an error */
	TEMPLATE_HEADER = 1u << 1, /* heads of columns: a missing key is no error, docker's own
				    * functions give back what they get */
};

/* name: "" as a rule; part of the messages. -EINVAL with Go's text. */
int template_parse(const char *name, const char *text, struct template **ret, struct err *e);
void template_free(struct template *t);
static inline void template_freep(struct template **t)
{
	template_free(*t);
}
#define _template_ __attribute__((cleanup(template_freep)))

/* Appends to out; output before an error stays. */
int template_run(const struct template *t, const struct docker_value *dot, unsigned flags,
		 struct strbuf *out, struct err *e);

/* True when the template asks for a field of this name anywhere, or for all of dot. */
bool template_uses(const struct template *t, const char *field);

#endif
