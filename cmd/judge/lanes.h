/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_LANES_H
#define CSBX_CMD_EVAL_LANES_H

/*
 * The lanes of a batch (runtime/start/lane.h): for each line that is under way one in which snippets
 * run, and one for asserting code, in which no snippet ever is. The batch's own process opens and
 * closes them; the process of a line runs its snippet in one, where line and snippet fit, and says in
 * shared memory that the lane is as it was. If it does not say so, for any reason, the batch closes
 * the lane.
 */

#include <stdbool.h>

#include "runtime/spec/name.h"
#include "runtime/spec/spec.h"

struct container_hooks;
struct err;
struct eval_container;
struct eval_start;
struct lane;
struct run_result;

enum { EVAL_LANES_AUTO, EVAL_LANES_YES, EVAL_LANES_NO };

/* The option's word, else the configuration's (NULL: it has none), else yes. */
int eval_lanes_choose(int option, const char *configured, bool *ret, struct err *e);

enum eval_lane_kind { EVAL_LANE_SNIPPET, EVAL_LANE_CHECK, EVAL_LANE_KINDS };

/* The one file of what runs in a lane says which one it is. */
const char *eval_lane_file(enum eval_lane_kind kind);

/* The container, with what each program of the lane has besides; the id is the caller's to set. */
#define EVAL_LANE_FILES_MAX 10u
struct eval_lane_spec {
	struct container_spec spec;
	struct file_spec files[EVAL_LANE_FILES_MAX];
};
int eval_lane_spec(const struct eval_container *container, enum eval_lane_kind kind,
		   struct eval_lane_spec *ret, struct err *e);

/* What the processes of a line say of their lanes; shared with the batch. */
struct eval_lane_said {
	unsigned char is_clean[EVAL_LANE_KINDS];
	unsigned char wants_check;   /* lines of this batch have asserting code */
	unsigned char was_passed_by; /* of the line that is under way, something ran elsewhere */
};

/* Of one slot. */
struct eval_lane {
	struct lane *lanes[EVAL_LANE_KINDS]; /* NULL: none */
	char ids[EVAL_LANE_KINDS][NAME_ID_DIGITS + 1];
	struct eval_lane_said *said;
};

struct eval_lanes {
	bool is_on;        /* set by the caller; false when lanes turned out not to be had */
	unsigned failures; /* to open one, since one was opened */
	unsigned n;
	struct eval_lane *items;
	struct eval_lane_said *shared;
};

/* The lanes of a line that comes next, opened where that is to be; NULL: none. */
struct eval_lane *eval_lanes_before(struct eval_lanes *l, const struct eval_container *container,
				    unsigned slot, unsigned slots);
/* True when the slot has all lanes that its lines want. */
bool eval_lanes_has(const struct eval_lanes *l, unsigned slot);
void eval_lanes_after(struct eval_lanes *l, unsigned slot);
void eval_lanes_close(struct eval_lanes *l);

/*
 * In the process of a line: false where the run does not fit, or the lane is no more; nothing has
 * run then.
 */
bool eval_lane_run(const struct eval_container *container, const struct eval_start *s,
		   const struct container_spec *spec, const struct container_hooks *hooks,
		   struct run_result *ret);

/* In the process of a line: all that it has run was in lanes, which are as they were. */
bool eval_lane_had_all(const struct eval_lane *lane);

#endif
