/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_LOAN_H
#define CSBX_CMD_EVAL_LOAN_H

/*
 * `csbx eval --warm`: an interpreter that was started once and a lane, lent by a process that an
 * earlier such command has left behind (runtime/start/lane_loan.h). What cannot be had is as without:
 * an interpreter, or a container, of the run's own.
 */

#include "cmd/judge/container.h"
#include "cmd/judge/job.h"
#include "cmd/judge/lanes.h"
#include "cmd/judge/warm.h"
#include "runtime/base/str.h"

struct eval_loan {
	struct eval_warm warm;
	struct eval_lane lane;
	struct eval_lane_said said;
	struct strbuf key;
	bool is_wanted; /* there is no lender yet */
};
#define EVAL_LOAN_INIT                                  \
	{                                               \
		.warm = EVAL_WARM_INIT, .lane = { {0} } \
	}

/* The option's flag, else the configuration's (NULL: it has none), else no. */
int eval_loan_choose(bool option, const char *configured, bool *ret, struct err *e);

/* Adds to the container what is lent. The loan must not move until eval_loan_end(). */
void eval_loan_begin(struct eval_loan *l, enum eval_lang lang, struct eval_container *container);
/* Gives it back; where there was no lender, leaves one behind. */
void eval_loan_end(struct eval_loan *l, const struct eval_container *container);

#endif
