/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_RUN_CONTAINER_H
#define CSBX_CMD_RUN_CONTAINER_H

/* The common end of start and run: operand and options to a running container to an exit code. */

#include <stdbool.h>

struct cmd;
struct container_record;
struct container_spec;
struct err;
struct image_meta;
struct paths;
struct run_opts;
struct subject;
struct run_result;

struct run_request {
	const char *operand; /* container or image */
	const char *name;    /* run --name, or NULL */
	const char *rc;      /* start --rc, or NULL */
	bool detach;         /* print the id when it runs, and return */
	bool plan;           /* print what would be mounted, start nothing */
	int argc;            /* the command and its arguments */
	char **argv;
	/*
	 * The record of the container named `operand`, where it has been read; it is taken. Else
	 * NULL.
	 */
	struct container_record *record;
};

/* Options and operand to a frozen specification. subject_close() it in any case. */
int run_prepare(struct cmd *c, const struct run_request *q, struct run_opts *o,
		struct subject *subject, struct err *e);

/* Returns csbx's exit code (docs/cli.md, "Exit codes"); messages are printed. */
int run_container(struct cmd *c, const struct run_request *q, struct run_opts *o);

/*
 * Runs o->spec, frozen, and writes the result where o->result wants it. meta is NULL where the
 * image is not known; what: "start py", for messages.
 */
int run_with_result(struct cmd *c, struct run_opts *o, const struct image_meta *meta,
		    const char *what);

/* Warnings, errors and hints about a run that came about; csbx's exit code. meta may be NULL. */
int run_report(const struct container_spec *spec, const struct image_meta *meta,
	       const struct run_result *result, const char *what);

/* Tells a person, on a terminal, which limit ended the program; nothing where none has. */
void run_explain_limit(const struct container_spec *spec, const struct run_result *result,
		       const char *what);

/* --stdin FILE: descriptor 0 is the file from here on. spec: of the run, or of the exec. */
int run_replace_stdin(const char *path, const struct container_spec *spec, struct err *e);

/* Prints what would be mounted; the exit code. */
int run_plan(const struct container_spec *spec, const struct paths *paths, const char *what);

/* A hint under an error, where it is that a container of that name is missing. */
void run_explain_missing(const char *operand, const struct err *e);

#endif
