/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_OPT_H
#define CSBX_CMD_OPT_H

/*
 * Option tables. One row describes an option completely: its name, what its value looks like,
 * where the value goes, what it means, and whether a configuration key stands in for it. The
 * parser, --help, shell completion and the OPTIONS section of the man pages all read the same
 * rows, so none of them can drift from what the program does.
 *
 * Grammar (as docker and git):
 *	--name=V  --name V  -n V  -nV	options with a value
 *	--name  --name=yes|no  -abc	flags; short flags may be bundled
 *	--name  --name=V		OPT_MAYBE: the value only with '='
 *	--				ends the options
 * Where a verb takes a command for the container, its first operand ends the options too.
 *
 * A value is taken, in this order, from the command line, a file named by an OPT_CONF, the
 * variable CSBX_<NAME>, the configuration files; a repeated option adds to what these give.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct strbuf;
struct strv;

enum opt_kind {
	OPT_END = 0,  /* ends a table */
	OPT_FLAG,     /* bool */
	OPT_STR,      /* const char *, not owned; the last one counts */
	OPT_LIST,     /* struct strv: each use adds a copy */
	OPT_CHOICE,   /* int: index into `choices` */
	OPT_NUMBER,   /* uint64_t, 1..max */
	OPT_BYTES,    /* uint64_t, "512m", at least 1 */
	OPT_DURATION, /* uint64_t milliseconds, at least 1 */
	OPT_CALL,     /* set(target, value) */
	OPT_MAYBE,    /* set(target, value or NULL) */
	OPT_CONF,     /* names one more configuration file, read before any value is looked up */
};

/* target is where `offset` points; the error text need not name the option. */
typedef int opt_set_fn(void *target, const char *value, struct err *e);

struct opt {
	enum opt_kind kind;
	char letter;         /* short form, 0 = none; see also struct verb's `letters` */
	const char *name;    /* long form without dashes */
	const char *arg;     /* "SIZE": how help calls the value; NULL for flags */
	size_t offset;       /* of the value in the table's target */
	opt_set_fn *set;     /* OPT_CALL, OPT_MAYBE */
	const char *choices; /* OPT_CHOICE: "none|host" */
	uint64_t max;        /* OPT_NUMBER: 0 = no upper bound */
	const char *initial; /* the default as help shows it */
	const char *help;    /* a sentence or two, without a final full stop */
	const char
		*offers; /* what completion offers: "file" "dir" "container" "image" "words:a b" */
	bool has_key;    /* CSBX_<NAME> and a configuration key stand in for it */
	bool repeats;    /* may be given several times (OPT_LIST always may) */
};

struct opt_table {
	const char *title; /* heading in --help */
	const struct opt *opts;
};

/* A table in use by a verb: `offset` leads from the verb's arguments to the table's target. */
struct opt_use {
	const struct opt_table *table;
	size_t offset;
};

/* A short form that one verb gives to an option of a shared table. */
struct opt_letter {
	char letter;
	const char *name;
};

/* Everything the parser needs to know; a verb's part of it is filled by the frame (cmd.h). */
struct opt_parser {
	const struct opt_use *uses;       /* ends with a NULL table */
	const struct opt_letter *letters; /* NULL or ends with letter 0 */
	bool first_operand_ends;          /* "start NAME CMD -x": -x is the command's */
	void *args;
	/*
	 * Value number i of a configuration key. 1 and the value with its place ("CSBX_MEMORY in
	 * the environment", "/etc/csbx/csbx.conf:3"), 0 when there are no more. NULL = none.
	 */
	int (*lookup)(void *ctx, const char *key, size_t i, const char **ret_value,
		      const char **ret_place);
	/* Reads the file of an OPT_CONF. NULL only where no table has such a row. */
	int (*read_conf)(void *ctx, const char *path, struct err *e);
	void *lookup_ctx; /* of both */
	/* Takes the names of the options that the command line has; NULL = not wanted. */
	struct strv *given;
	/* Set to the option whose value is the last word of the command line; NULL = not wanted. */
	const char **ret_took_last;
};

/*
 * Parses argv[1..argc) and the configuration into parser->args. Operands are moved to the front
 * of argv, argv[0] stays. Returns the number of operands, OPT_HELP when -h or --help was met, or
 * -EINVAL with one line naming the option.
 */
#define OPT_HELP (-4096)
int opt_parse(const struct opt_parser *p, int argc, char **argv, struct err *e);

/*
 * The same from values that are named: an option's long form, then its value ("yes" for a flag), and
 * so on. An OPT_STR points into `named`. An unknown name is -EINVAL.
 */
int opt_apply(const struct opt_parser *p, const struct strv *named, struct err *e);

/* Puts one value at `at`, where the row's offset points. The error does not name the option. */
int opt_store(const struct opt *o, void *at, const char *value, struct err *e);

/* The row of a long or short form, NULL when there is none. */
const struct opt *opt_find(const struct opt_parser *p, const char *name, size_t len,
			   size_t *ret_offset);
const struct opt *opt_find_letter(const struct opt_parser *p, char letter, size_t *ret_offset);

/* The row of an option as it stands on a line, "--volume=x" or "--volume"; NULL: none. */
const struct opt *opt_of_word(const struct opt_use *uses, const char *word);
/* True for an option, "-v" or "--volume", whose value is the word behind it. */
bool opt_wants_next(const struct opt_use *uses, const char *word);
/* Short form of an option in this verb, 0 = none. */
char opt_letter_of(const struct opt_parser *p, const struct opt *o);

/* "memory" -> "CSBX_MEMORY", "pids-limit" -> "CSBX_PIDS_LIMIT". */
void opt_key_name(const struct opt *o, struct strbuf *out);
/* True when some row of the tables has this configuration key. */
bool opt_uses_has_key(const struct opt_use *uses, const char *key);

/* The nearest of the NULL-terminated names, or NULL when none is near. */
const char *opt_nearest(const char *word, const char *const *names);

/* The options as text: for --help on a terminal, and as mdoc for the man pages. */
void opt_format_help(const struct opt_parser *p, struct strbuf *out);
/* One row as the dialects show it: the forms, blanks up to column, the help on the same line. */
void opt_format_row(const struct opt *o, size_t column, struct strbuf *out);
void opt_format_man(const struct opt_parser *p, struct strbuf *out);

#endif
