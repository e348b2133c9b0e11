/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LANE_PRIV_H
#define CSBX_RUNTIME_LANE_PRIV_H

/* A lane from inside: for lane.c, which owns it, and for those who lend and borrow it. */

#include "runtime/base/str.h"
#include "runtime/limit/watchdog.h"
#include "runtime/spec/spec.h"
#include "runtime/start/container_setup.h"
#include "runtime/start/lane_state.h"

struct lane {
	struct container_spec spec;
	struct container c;
	struct strbuf message; /* that pid 1 was started with */
	struct watchdog_view view;
	struct lane_state state;
	const char *warm_program;
	struct cgroup_parent groups; /* of the programs' groups; fd is -1: there are none */
	/*
	 * The connection to the owner of one that is borrowed (lane_loan.h), which compares the
	 * state; -1: it is our own.
	 */
	int lender_fd;
	/* Of a borrowed one: has its owner compare, where a program has run since it did. */
	int (*ask_lender)(struct lane *l, struct err *e);
	bool was_used;
};

/* NULL: no memory. */
struct lane *lane_new(const struct container_spec *spec, const struct paths *paths,
		      const char *warm_program);
int lane_read_message(struct lane *l, struct err *e);

#endif
