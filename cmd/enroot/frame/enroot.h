/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_ENROOT_H
#define CSBX_CMD_ENROOT_ENROOT_H

/*
 * The room cmd/enroot/frame. The parts that enroot's verbs share.
 *
 * In: enroot's words. Out: its texts, exit codes, places.
 *
 *	verb_list.h, verbs.h	the verbs; commands.c looks them up
 *	argv.h, help.c		its syntax
 *	state.c			where things are
 *	compose.h		what a start is made of
 *	message.c		texts
 *
 * Must: keep enroot's texts.
 * Mustn't: know one verb.
 */

/*
 * The enroot dialect: `enroot ...` (argv[0]) and `csbx enroot ...`.
 *
 * Commands, flags, defaults, exit codes and the `[ERROR] ...` lines are those of enroot 4.1, so
 * that scripts, pyxis and harnesses written for it need not know; if enroot's behaviour is an
 * accident that is of no use, docs/enroot.md says what csbx does instead. To add a verb: a row in
 * verb_list.h, and a file NAME.c with its `const struct enroot_verb`, which parses and prints while
 * the work is elsewhere.
 */

#include "cmd/frame/cmd.h"
#include "cmd/enroot/conf/conf.h"

struct strbuf;

#define ENROOT_VERSION "4.1.2"
/* A layer that a bundle keeps (--keep) is called this and the id of the bundle. */
#define BUNDLE_LAYER "bundle+"

enum { ENROOT_EXIT_FAILED = 1 }; /* enroot has one code for whatever it could not do */

struct enroot_command {
	const char *name;
	enum program program;
	const char *usage; /* after the name: "[options] [--] IMAGE" */
	const char *summary;
};

extern const struct enroot_command enroot_commands[]; /* ends with a NULL name */
const struct enroot_command *enroot_command_find(const char *name);

/* One command line of the dialect. */
struct enroot {
	enum program self;
	const struct enroot_verb *verb;
	struct cmd cmd;          /* csbx's configuration, with enroot's paths; the whole argv */
	struct enroot_conf conf; /* enroot's */
};

enum enroot_verb_flag {
	ENROOT_NO_STATE = 1u << 0, /* needs neither configuration nor paths */
};

struct enroot_verb {
	const char *name;           /* as in the list */
	const struct opt_use *uses; /* opt.h's rows, of the kinds FLAG, STR, LIST and CALL */
	unsigned flags;
	unsigned min_operands, max_operands; /* CMD_MANY */
	size_t args_bytes;                   /* the frame passes a zeroed block of this size */
	void (*done)(void *args);            /* NULL allowed */
	/* argv[0..argc) are the operands, argv[argc] is NULL. Returns the exit code. */
	int (*run)(struct enroot *x, void *args, int argc, char **argv);
};

/*
 * When argv asks for the dialect - a program called enroot, or "enroot" as first word - runs it
 * and returns its exit code, else -1. For main() of every program.
 */
int enroot_personality(enum program self, const struct enroot_verb *const *verbs, int argc,
		       char **argv);

/*
 * When the running program is a bundle, runs it (bundle_run.c) and returns its exit code, else -1.
 */
int enroot_bundle_personality(int argc, char **argv);

/* Reads both configurations; paths are where ENROOT_*_PATH puts them, see state.c. */
int enroot_load_state(struct enroot *x, struct err *e);
void enroot_free_state(struct enroot *x);

/*
 * Containers of that name as the dialect sees them: none, one, or one that stays, with a command
 * and a layer of its own (docker's), which is not enroot's to start, replace or remove.
 */
enum enroot_name { ENROOT_NAME_FREE, ENROOT_NAME_MINE, ENROOT_NAME_OTHERS };
enum enroot_name enroot_name_look(const struct enroot *x, const char *name);

/* Usage of one command, of all; and the rows of one's options under a heading of the caller's. */
void enroot_help_verb(const struct enroot_verb *v, struct strbuf *out);
void enroot_help_overview(struct strbuf *out);
void enroot_help_options(const struct enroot_verb *v, const char *heading, struct strbuf *out);

/* --- what it says (message.c) ---------------------------------------------------------------- */

/*
 * One write to stderr: "[ERROR] text" and a newline, coloured on a terminal; control characters
 * are shown. Returns ENROOT_EXIT_FAILED.
 */
int enroot_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void enroot_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void enroot_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The error, and below it as "[INFO]" the remedy where the cause is known. */
int enroot_fail(const struct err *e);

/* Writes asked-for data to stdout. */
int enroot_print(const struct strbuf *b);

#endif
