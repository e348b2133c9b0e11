/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_CMD_H
#define CSBX_CMD_CMD_H

/*
 * The room cmd/frame. The parts that all programs with a command line share.
 *
 * In: words. Out: a verb that runs, help, completion, pages of the manual.
 *
 *	verb_list.h, verbs.h, commands.c: which verbs there are
 *	frame.c, handover.c	finding one, in this program or another
 *	hide_values.c		what other users must not read of a command line
 *	opt.h, parser.c		options as data
 *	help.c, complete.c, man.c: what is made from these tables
 *	message.c, text.h, table.h: what people read
 *	state.c			settings and paths that a verb works with
 *
 * Must: say each error once, with cause and remedy.
 * Mustn't: know a verb.
 */

/*
 * The frame of every program with a command line (csbx, csbx-tool, csbx-image,
 * csbx-engine).
 *
 * A verb is one `const struct verb` in a file of its own: its texts, its option tables and a
 * function that gets the parsed arguments. The frame finds the verb, parses, answers --help,
 * calls it, and frees. verb_list.h holds the one list of all verbs and says which program runs
 * each; a verb that another program runs is handed over by exec with the same argv, as git does.
 * To add a verb: a row in verb_list.h, and a file with the struct verb (CONTRIBUTING.md shows one).
 *
 *	struct remove_args { bool force; };
 *	static const struct opt remove_opts[] = {
 *		{OPT_FLAG, 'f', "force", .offset = offsetof(struct remove_args, force), .help =
 * "..."}, {0},
 *	};
 *	static const struct opt_table remove_table = {"Options", remove_opts};
 *	static int remove_run(struct cmd *c, void *args, int argc, char **argv) { ... }
 *	const struct verb verb_remove = {
 *		.name = "remove",
 *		.usage = "[OPTIONS] NAME...",
 *		.description = "...",
 *		.uses = (const struct opt_use[]){{&remove_table}, {0}},
 *		.args_bytes = sizeof(struct remove_args),
 *		.min_operands = 1, .max_operands = CMD_MANY,
 *		.run = remove_run,
 *	};
 *
 * Below cmd/ nothing prints; here cmd_error() is the one place that prints an error.
 */

#include <stdbool.h>
#include <stddef.h>

#include "cmd/frame/opt.h"
#include "runtime/base/str.h"
#include "runtime/settings/paths.h"

struct config;
struct err;
struct meta_source;
struct strbuf;

/* Exit codes of csbx itself (docs/cli.md, "Exit codes"). */
enum {
	CMD_EXIT_OK = 0,
	CMD_EXIT_FAILED = 125,         /* csbx could not do what was asked */
	CMD_EXIT_NOT_EXECUTABLE = 126, /* the command was found but cannot be run */
	CMD_EXIT_NOT_FOUND = 127,      /* the command was not found */
};

enum program { PROGRAM_CSBX, PROGRAM_TOOL, PROGRAM_IMAGE, PROGRAM_ENGINE, PROGRAM_MAX };

enum command_group { GROUP_IMAGE, GROUP_CONTAINER, GROUP_RUN, GROUP_SYSTEM, GROUP_MAX };

/* One row of the list of all verbs (verb_list.h). */
struct command {
	const char *name;
	enum program program;
	enum command_group group;
	const char *summary; /* one line, no full stop: `csbx --help`, man page NAME, completion */
};

extern const struct command command_list[]; /* ends with a NULL name */
/* csbx's own word for docker's `word`: "remove" for "rm"; NULL: there is none. */
const char *command_of_docker_word(const char *word);
const struct command *command_find(const char *name);

struct cmd {
	const struct verb *verb;
	char **argv;           /* the whole command line as it was given, for cmd_hand_over() */
	struct config *config; /* NULL for a verb with VERB_NO_STATE, and paths empty */
	struct paths paths;
	struct strv given; /* names of the options on the command line, as they came */
};

/*
 * Refuses options on the command line that are none of the NULL-terminated names, with why; not
 * those that the configuration gives.
 */
int cmd_only_options(const struct cmd *c, const char *const *names, const char *why, struct err *e);

/* Reads configuration and environment; the frame does it before a verb's options are parsed. */
int cmd_load_state(struct cmd *c, struct err *e);
void cmd_free_state(struct cmd *c);

/* The source of an image's meta record when no cache has it: the confined reader. */
void cmd_meta_source(struct cmd *c, struct meta_source *ret);

enum verb_flag {
	VERB_OPERAND_ENDS = 1u << 0, /* the first operand ends the options (start, run) */
	VERB_NO_STATE = 1u << 1,     /* needs neither configuration nor paths (help, version) */
};

struct verb_example {
	const char *text;    /* what it does */
	const char *command; /* the line to type */
};

#define CMD_MANY ((unsigned)-1)

struct verb {
	const char *name;
	const char *usage;       /* after "csbx NAME " */
	const char *description; /* paragraphs separated by an empty line */
	const struct opt_use *uses;
	const struct opt_letter *letters;
	const struct verb_example *examples; /* ends with a NULL command */
	const char *offers;                  /* completion of operands, as in struct opt */
	unsigned flags;
	unsigned min_operands, max_operands;
	size_t args_bytes;        /* the frame passes a zeroed block of this size */
	void (*init)(void *args); /* NULL allowed: defaults that are not zero */
	void (*done)(void *args); /* NULL allowed */
	/* argv[0..argc) are the operands, argv[argc] is NULL. Returns the exit code. */
	int (*run)(struct cmd *c, void *args, int argc, char **argv);
};

/* main() of a program: `verbs` are those linked into it, NULL-terminated. */
int cmd_main(enum program self, const struct verb *const *verbs, int argc, char **argv);

/*
 * Prints "csbx: <what>: <e->msg>" and, where the cause is known, a line with the remedy. Returns
 * CMD_EXIT_FAILED. `what` is what was asked: "start py", "import oci:./dir".
 */
int cmd_error(const struct err *e, const char *what, ...) __attribute__((format(printf, 2, 3)));

/* Prints "csbx: <text>" for what is worth knowing but stops nothing. */
void cmd_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "hint: <text>", below an error. */
void cmd_hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Writes asked-for data to stdout; call once with everything, or per record. A closed or full
 * stdout is CMD_EXIT_FAILED with its message, never silence. A terminal is shown control characters
 * and not sent them: names, labels and commands come from images and from programs inside.
 */
int cmd_print(const struct strbuf *b);
/* The same to a descriptor, and with an error for the caller to tell. */
int cmd_write_shown(int fd, const struct strbuf *b, struct err *e);

/*
 * Replaces this process by one of csbx's other programs (found beside this one in a build tree,
 * else in the installed libexec directory). Returns only on failure: -errno.
 */
int cmd_hand_over(enum program program, char **argv, struct err *e);

/*
 * Overwrites the values of these "NAME=VALUE" in the command line, where it has them: all users may
 * read that of a process as long as it lives. No word of it is used afterwards, by a hand-over
 * either.
 */
void cmd_hide_values(const struct cmd *c, const struct strv *env);

#endif
