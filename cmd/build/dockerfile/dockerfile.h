/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_DOCKERFILE_H
#define CSBX_CMD_BUILD_DOCKERFILE_DOCKERFILE_H

/*
 * The room cmd/build/dockerfile. A Dockerfile as data.
 *
 * In: the bytes of a file, which come from anyone. Out: its instructions in order, each with its
 * lines, flags, words and here-documents, checked as far as that is possible without a variable's
 * value; or one error with the lines it is about. Grammar and texts are those of docker's reference
 * ("Dockerfile reference") and of its builder.
 *
 * In the order of the story:
 *	directive.c	"# escape=`" and its kin at the top of the file
 *	lines.c		physical lines -> logical ones: comments, continuation, here-documents
 *	heredoc.c	which words of a line begin a here-document
 *	words.c		a logical line -> flags and words, "NAME=value", JSON lists
 *	flags.c		which flags an instruction takes
 *	op.c		the names of instructions
 *	dockerfile.c	a logical line -> an instruction
 *	check.c		what each instruction asks of its words
 *	health.c	the words of HEALTHCHECK
 *	expand.c	$NAME, ${NAME:-word} and quotes in a word, once values are known
 *	glob.c		patterns of files, in COPY, .dockerignore and ${NAME#pattern}
 *	mount_words.c	the value of RUN --mount
 *	ignore.c	.dockerignore: which files of a context there are
 *
 * Must: be pure functions over memory; bound everything that a file can make large. Mustn't: open a
 * file, know an image, a container or a cache.
 */

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/str.h"

struct err;

#define DOCKERFILE_MAX_BYTES (4u << 20)
#define DOCKERFILE_LINE_MAX 65535u
#define DOCKERFILE_MAX_INSTRUCTIONS 10000u

enum dockerfile_op {
	DOCKERFILE_ADD,
	DOCKERFILE_ARG,
	DOCKERFILE_CMD,
	DOCKERFILE_COPY,
	DOCKERFILE_ENTRYPOINT,
	DOCKERFILE_ENV,
	DOCKERFILE_EXPOSE,
	DOCKERFILE_FROM,
	DOCKERFILE_HEALTHCHECK,
	DOCKERFILE_LABEL,
	DOCKERFILE_MAINTAINER,
	DOCKERFILE_ONBUILD,
	DOCKERFILE_RUN,
	DOCKERFILE_SHELL,
	DOCKERFILE_STOPSIGNAL,
	DOCKERFILE_USER,
	DOCKERFILE_VOLUME,
	DOCKERFILE_WORKDIR,
	DOCKERFILE_OPS,
};

/* "RUN"; "" for DOCKERFILE_OPS. */
const char *dockerfile_op_name(enum dockerfile_op op);

struct dockerfile_heredoc {
	char *name;
	char *data; /* its lines, each with its newline; tabs of "<<-" are still there */
	size_t len;
	bool expand; /* the name was not quoted */
	bool chomp;  /* "<<-" */
};

struct instruction {
	enum dockerfile_op op;
	unsigned line, end_line; /* of the file, from 1 */
	char *text;              /* the whole logical line, without what comes after "<<NAME" */
	char *rest;              /* what follows name and flags, trimmed */
	struct strv flags;       /* "--name=value", "--name"; quotes are gone */
	/*
	 * RUN, CMD, ENTRYPOINT, the command of HEALTHCHECK: the words of a JSON list, or one text
	 * for the shell. ENV, LABEL: name, value, name, value, ... COPY, ADD, VOLUME, EXPOSE, FROM,
	 * ARG, SHELL: words. Others: one word.
	 */
	struct strv args;
	bool is_json;
	struct dockerfile_heredoc *heredocs;
	size_t n_heredocs;
};

struct dockerfile {
	char escape;          /* '\\' or '`' */
	char *syntax, *check; /* directives; NULL: not there */
	struct instruction *items;
	size_t n;
};

/* The lines of an error, from 1; 0: no line in particular. */
struct dockerfile_place {
	unsigned line, end_line;
};

/* -EINVAL in docker's words with *ret_place; -EFBIG; -ENOMEM. */
int dockerfile_parse(const char *text, size_t len, struct dockerfile *ret,
		     struct dockerfile_place *ret_place, struct err *e);
void dockerfile_free(struct dockerfile *d);
#define _dockerfile_ __attribute__((cleanup(dockerfile_free)))

/* The instruction that an ONBUILD holds, from its text alone. It must not have here-documents. */
int dockerfile_parse_trigger(const char *text, struct instruction *ret, struct err *e);
void instruction_free(struct instruction *i);

/* The value of "--name=value", "" of "--name"; NULL: it is not there. */
const char *instruction_flag(const struct instruction *i, const char *name);

/* The lines of text around a place, marked as docker's builder shows them; file: its name. */
void dockerfile_show_place(const char *file, const char *text, size_t len,
			   const struct dockerfile_place *place, struct strbuf *out);

#endif
