/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LANE_LOAN_PRIV_H
#define CSBX_RUNTIME_LANE_LOAN_PRIV_H

/* What a lender and a borrower say to each other; the key comes first. */

#include "runtime/base/err.h"
#include "runtime/limit/watchdog.h"

/* Descriptors of a lane, in this order; those of the view behind them. */
enum lane_loan_fd {
	LANE_LOAN_CONTROL,
	LANE_LOAN_PIDFD,
	LANE_LOAN_SERVER,
	LANE_LOAN_MESSAGE,
	LANE_LOAN_UPPER,
	LANE_LOAN_PROC,
	LANE_LOAN_VIEW,
};

/* A message with the lender's own descriptors is behind it. */
struct lane_reply {
	unsigned magic;
	bool has_lane, has_sysv, init_is_file;
	int server_pid, pid;
	unsigned n_tmpfs;
	struct err missed; /* why no control group holds the limits */
};

#endif
