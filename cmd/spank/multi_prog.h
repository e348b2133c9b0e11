/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SPANK_MULTI_PROG_H
#define CSBX_SPANK_MULTI_PROG_H

/*
 * srun --multi-prog FILE: a line a command, "RANKS COMMAND ARG...". srun sends the text of the file
 * as the step's second word, and slurmstepd has made each task's words of it before a plugin is
 * asked. There, before 23.11, no process can put csbx-join before them, so it is done to the text,
 * in srun.
 */

#include <stdbool.h>

struct err;
struct strbuf;

/*
 * True where a step's words are those of --multi-prog: the second is what a file, the first, has.
 */
bool spank_multi_prog_is(int argc, char *const *argv);

/* True for a text that spank_multi_prog_wrap() has made. */
bool spank_multi_prog_is_wrapped(int argc, char *const *argv);

/* The text with a program before every command. Pure. */
int spank_multi_prog_wrap(const char *text, const char *program, struct strbuf *ret, struct err *e);

#endif
