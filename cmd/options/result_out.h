/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_RESULT_OUT_H
#define CSBX_CMD_RESULT_OUT_H

/*
 * The destination of the result object: --json (stdout, with the program's output inside),
 * --json=FILE,
 * --result-fd N. The place is opened before the run, so that a run whose result could not be
 * written does not happen.
 */

#include <stdbool.h>
#include <stdint.h>

struct container_spec;
struct err;
struct result_more;
struct run_result;

struct result_opts {
	bool json;        /* --json was given */
	const char *path; /* --json=FILE; NULL: stdout */
	bool no_output;   /* --json-no-output */
	uint64_t fd;      /* --result-fd; 0: not given */
};

struct result_out {
	int fd; /* -1: no result is wanted */
	bool with_output;
	bool is_file; /* a regular one, with room for a result without output */
	bool is_own;  /* opened by its name: the object is all there is in it */
};

/* Also turns on spec's capture where the object goes to stdout. */
int result_out_open(const struct result_opts *o, struct container_spec *spec,
		    struct result_out *ret, struct err *e);
/* Writes the object, where one is wanted, and closes. */
int result_out_write(struct result_out *out, const struct container_spec *spec,
		     const struct run_result *r, struct err *e);
/* The same with what a judged run adds. */
int result_out_write_more(struct result_out *out, const struct container_spec *spec,
			  const struct run_result *r, const struct result_more *more,
			  struct err *e);

#endif
