/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_FORMAT_H
#define CSBX_CMD_DOCKER_FORMAT_H

/*
 * Lists as docker prints them: a table, whose heads come from the same template as its rows, or a
 * template a row ("table {{.ID}}\t{{.Names}}", "{{.ID}}", "json", ...).
 */

struct err;
struct strbuf;
struct docker_value;

/* The head of a field's column. */
struct format_head {
	const char *field, *head;
};

struct format {
	const char *text;                /* --format; NULL or "" as "table" */
	const char *table;               /* what "table" alone stands for, without that word */
	const char *raw;                 /* what "raw" stands for, or NULL */
	const struct format_head *heads; /* ends with a NULL field */
};

/*
 * rows: a list of structs. A member JSON does not show (DOCKER_VALUE_GO_ONLY) that is a map is a
 * method: {{.Label "x"}}. -EINVAL with docker's text, "template parsing error: ...".
 */
int format_rows(const struct format *f, const struct docker_value *rows, struct strbuf *out,
		struct err *e);

/* Go's text/tabwriter with docker's settings: cells end with a tab, lines with a newline. */
void format_columns(const char *text, struct strbuf *out);

/*
 * One object, as inspect, version and info print it with --format: the text of `format`, "json" or
 * a template, and a newline. Exit code 64 is docker's for a template that cannot be read.
 */
int format_object(const char *name, const char *format, const struct docker_value *object,
		  struct strbuf *out, struct err *e);
#define FORMAT_EXIT_TEMPLATE 64

/* The same as the inspect verbs do it: a template that fails on a struct is tried on a map read
 * from JSON. */
int format_inspected(const char *format, const struct docker_value *object, struct strbuf *out,
		     struct err *e);

#endif
