/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_SUMMARY_H
#define CSBX_CMD_EVAL_SUMMARY_H

/* The verdict of cases or a check for people, where no object was asked for. */

struct eval_verdict;

/*
 * Prints a table of cases and a line of the score, or what the check found; nothing without either.
 * It comes behind what the program printed, and a program can print the like: programs that call
 * csbx look at the exit code, or ask for the object.
 */
void eval_summary_print(const struct eval_verdict *v);

#endif
