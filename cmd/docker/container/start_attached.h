/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_START_ATTACHED_H
#define CSBX_CMD_DOCKER_START_ATTACHED_H

/* Starting a container with this process attached to it until its end: run, start -a. */

#include <stdbool.h>

#include "runtime/life/container_state.h"

struct container_found;
struct docker;
struct docker_fault;

struct docker_start_attached {
	unsigned which; /* ATTACH_ bits; 0: it is left alone once it runs */
	bool sig_proxy;
	const char *detach_keys; /* NULL: docker's own */
};

struct docker_attached_end {
	int left;                     /* exit code of one who went away by force */
	bool is_left_by_keys;         /* it goes on */
	struct container_state state; /* of one that was attached: how it ended */
};

/* Takes found->record. f->exit_code is run's own for it: 125, 126 or 127. */
int docker_start_attached(struct docker *d, struct container_found *found,
			  const struct docker_start_attached *how, struct docker_attached_end *ret,
			  struct docker_fault *f);

#endif
