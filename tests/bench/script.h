/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BENCH_SCRIPT_H
#define CSBX_BENCH_SCRIPT_H

/*
 * The commands that the stopwatch is to run, as lines on its standard input:
 *
 *	rounds N		every case is timed N times
 *	warmup N		and run N times before that
 *	batch WIDTH TOTAL	time batches of TOTAL runs, WIDTH at a time, instead of single runs
 *	case NAME		starts a case
 *	root DIR		run it with this directory as root, in a user namespace only
 *	expect TEXT		a line that it prints (stdout and stderr together); none: nothing
 *	any			what it prints is not compared
 *	before | run | after	the words that follow are of this command
 *	arg WORD		one word of it
 *
 * Only `run` is timed; `before` and `after` are run around each `run`.
 */

#include <stddef.h>
#include <sys/types.h>

struct command {
	char **argv; /* NULL-terminated; NULL = no command */
	size_t n;
};

struct bench_case {
	const char *name, *root;
	char *expect; /* NULL = not compared */
	struct command before, run, after;
	int request_fd, reply_fd; /* of the process that runs it in `root`, else -1 */
	pid_t runner;
};

struct script {
	unsigned rounds, warmup, width, total;
	struct bench_case *cases;
	size_t n;
};

/* Reads all of stdin; ends the program with a message where it is malformed. */
void script_read(struct script *s);

__attribute__((noreturn, format(printf, 1, 2))) void stop(const char *fmt, ...);

#endif
