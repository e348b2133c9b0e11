/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_H
#define CSBX_CMD_DOCKER_H

/*
 * The room cmd/docker/frame. The parts that docker's verbs share.
 *
 * In: docker's words. Out: docker's texts and exit codes.
 *
 *	verb_list.h, verbs.h	the verbs and the program of each; commands.c looks them up
 *	argv.h, values.c, published.h: its syntax
 *	names.h, notes.h	names and what a record keeps for docker
 *	fault.h, errno_text.h, message.c: errors
 *	confirm.h, prune.h, help.c: questions, prunes, help
 *
 * Must: keep docker's texts.
 * Mustn't: know one verb.
 */

/*
 * The docker dialect: `docker ...` (argv[0]) and `csbx docker ...`.
 *
 * Syntax, texts and exit codes are those of docker's own command line, version 28, so that
 * scripts and harnesses written for docker need not know. To add a verb:
 *   - a row in verb_list.h, or a letter of the row that it has;
 *   - a file NAME.c in cmd/docker/container, image or system with its `const struct docker_verb`,
 *     at most 150 lines: it parses and prints. A function of cmd/docker/daemon does what
 *     docker's daemon would do for it: it returns what is wrong (fault.h) and prints nothing.
 * A verb in two lists (ps without and with --format) hands itself over by docker_hand_over().
 */

#include "cmd/frame/cmd.h"

struct docker_fault;
struct strbuf;

#define DOCKER_VERSION "28.0.0"
#define DOCKER_API_VERSION "1.47"
#define DOCKER_API_VERSION_MIN "1.24"

/* Exit codes of the command line itself. */
enum {
	DOCKER_EXIT_FAILED = 1, /* most verbs; also a wrong number of operands, of all verbs */
	DOCKER_EXIT_USAGE = 125 /* a bad flag of any verb; run and create: whatever failed */
};

/* One row of the list of all verbs. The verb's name is `top` where there is one, else `path`. */
struct docker_command {
	const char *path;     /* "container rm", or NULL where only the short form exists */
	const char *top;      /* "rm", or NULL */
	const char *alias;    /* another last word of path: "remove", or NULL */
	enum program program; /* PROGRAM_MAX: known to docker, not done by csbx */
	const char *summary;  /* docker's own */
	const char *instead;  /* of one that is not done: why, or what does it; NULL allowed */
};

extern const struct docker_command docker_commands[]; /* ends with a NULL summary */

enum docker_verb_flag {
	DOCKER_OPERAND_ENDS = 1u << 0, /* flags end at the first operand (run, create, exec) */
	DOCKER_NO_STATE = 1u << 1,     /* needs neither configuration nor paths */
};

/* One command line of the dialect. */
struct docker {
	enum program self;
	const struct docker_verb *verb;
	const char *path; /* "docker container rm", as it was typed */
	struct cmd cmd;   /* configuration, paths, the whole argv */
};

struct docker_verb {
	const char *name;  /* as in the list: "rm", "image inspect" */
	const char *usage; /* after the path: "[OPTIONS] CONTAINER [CONTAINER...]" */
	/* opt.h's rows; of their kinds FLAG, STR, LIST and CALL. `arg` is the word for the value's
	 * type that help shows ("list"), docker's names and letters in the rows. */
	const struct opt_use *uses;
	unsigned flags;
	unsigned min_operands, max_operands; /* CMD_MANY */
	size_t args_bytes;                   /* the frame passes a zeroed block of this size */
	void (*init)(void *args);            /* NULL allowed */
	void (*done)(void *args);            /* NULL allowed */
	/* argv[0..argc) are the operands, argv[argc] is NULL. Returns the exit code. */
	int (*run)(struct docker *d, void *args, int argc, char **argv);
};

/*
 * When argv asks for the dialect - a program called docker, or "docker" as first word - runs it
 * and returns its exit code, else -1. For main() of every program.
 */
int docker_personality(enum program self, const struct docker_verb *const *verbs, int argc,
		       char **argv);

/* Another program goes on with the same command line. Returns only on failure: an exit code. */
int docker_hand_over(struct docker *d, enum program program);

/* --- what it says ---------------------------------------------------------------------------- */

/* One write to stderr: text and a newline; control characters are shown. Returns code. */
int docker_say(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * "Error response from daemon: <text>"; 1. Errors of run (docker_daemon_fail) have "docker: "
 * before it and a pointer to --help behind, and 125.
 */
int docker_daemon_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int docker_daemon_fail(const struct docker *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "docker: <text>", an empty line, "Run 'docker run --help' for more information"; 125. */
int docker_fail(const struct docker *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Says the fault of the daemon's part of the work, as docker_daemon_fail() or docker_fail() does.
 * Returns the exit code: the fault's own, where it has one.
 */
int docker_say_fault(const struct docker *d, const struct docker_fault *f);
/* A bad flag, found after parsing: its text, usage, 125. */
int docker_bad_flag(const struct docker *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void docker_help_verb(const struct docker *d, struct strbuf *out);
void docker_help_overview(struct strbuf *out);
/* `docker container`: the commands of one group. */
void docker_help_group(const char *group, struct strbuf *out);

#endif
