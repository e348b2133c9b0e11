/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_BEGIN_H
#define CSBX_CMD_DOCKER_BEGIN_H

/* Starting a container that is there, for run, start and restart. */

#include <stdbool.h>

#include "runtime/base/err.h"
#include "runtime/record/container_find.h"
#include "runtime/life/container_state.h"

struct docker;

struct docker_begin {
	unsigned which; /* ATTACH_ bits; 0: it is left alone once it runs */
	bool sig_proxy;
};

struct docker_begun {
	int failed;    /* exit code of a start that came to nothing, 0: it ran */
	char *program; /* of a failed one: what was to run */
	struct err error;
	int left;                     /* exit code of one who went away by force */
	struct container_state state; /* of one that was attached: how it ended */
};

/* Takes found->record. Prints nothing. */
void docker_begin(struct docker *d, struct container_found *found, const struct docker_begin *how,
		  struct docker_begun *ret);
void docker_begun_free(struct docker_begun *b);

/*
 * Why a command could not be run, in the words of docker 28 and its runtime: caller frees. prefix:
 * "failed to create task for container: ..." or "OCI runtime exec failed: exec failed: ".
 */
char *docker_launch_text(const char *prefix, const char *program, int exit_code,
			 const struct err *e);
#define DOCKER_CREATE_FAILED                                                            \
	"failed to create task for container: failed to create shim task: OCI runtime " \
	"create failed: runc create failed: unable to start container process: error "  \
	"during container init: "
#define DOCKER_EXEC_FAILED \
	"OCI runtime exec failed: exec failed: unable to start container process: "

/* The text of a failed start and run's exit code for it: 125, or 126 and 127. */
char *docker_begun_text(const struct docker_begun *b);

#endif
