/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_FRAME_H
#define CSBX_CMD_FRAME_H

/* Between the parts of the frame itself: frame.c, help.c, man.c, complete.c. Verbs use cmd.h. */

#include "cmd/frame/cmd.h"

struct strbuf;

/* The first steps of every command line: descriptors 0 to 2, umask, signals, the log. */
int cmd_begin(struct err *e);

/* The parser of a verb, without arguments or configuration: enough for help and completion. */
struct opt_parser frame_parser(const struct verb *v);

const struct verb *frame_find_verb(const struct verb *const *verbs, const char *name);

/* Adds one more file to a struct config; the read_conf of struct opt_parser. */
int cmd_read_conf(void *config, const char *path, struct err *e);

/* `csbx --help`: all verbs by group. */
void help_format_overview(struct strbuf *out);
/* `csbx VERB --help`. */
void help_format_verb(const struct verb *v, struct strbuf *out);

/*
 * The generated parts of the man pages: what `@SYNOPSIS@`, `@DESCRIPTION@`, `@OPTIONS@`,
 * `@EXAMPLES@` and, without a verb, `@COMMANDS@` stand for in docs/man. `csbx __man VERB` prints
 * the page source read from stdin with them filled in.
 */
int man_main(const struct verb *v);

/*
 * `csbx __complete VERB WORD...`: the words that the last one may become, one candidate a line with
 * a tab and a description; ":file" and ":dir" ask the shell for names of files.
 */
int complete_verb(const struct verb *v, int argc, char **argv);
int complete_verb_names(const char *prefix);

#endif
