/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_EXEC_RECORD_H
#define CSBX_CMD_DOCKER_DAEMON_EXEC_RECORD_H

/*
 * $CSBX_RUNTIME_PATH/execs/ID/, the files of an exec of the Engine API:
 *	record	the request, a flat record (base/flat.h)
 *	state	struct exec_record_state; its session holds the write lock from the start to the end
 *	size	struct exec_record_size: what the terminal was told last
 *	container a symbolic link to nothing, whose text is the container's id
 * The directory is made under a temporary name and renamed. One that no session holds goes
 * EXEC_KEEP_S after its last change, when the next exec is made.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmd/docker/daemon/exec.h"
#include "cmd/docker/daemon/exec_session.h"
#include "runtime/record/exec_dir.h"

struct err;
struct paths;

enum exec_phase { EXEC_MADE, EXEC_RUNNING, EXEC_ENDED };

struct exec_record_state {
	uint32_t phase; /* enum exec_phase */
	int32_t exit_code;
	int32_t pid; /* as csbx-init sees it, 0: not known */
};

struct exec_record_size {
	uint16_t rows, columns; /* 0: not told */
};

struct exec_record {
	int dirfd;       /* of its directory, -1: not open */
	int state_fd;    /* O_RDWR */
	char *container; /* full id, or the instance's */
	struct docker_exec_args args;
	char *user, *workdir, *detach_keys; /* memory of those of args; NULL: none */
};
#define EXEC_RECORD_INIT                    \
	{                                   \
		.dirfd = -1, .state_fd = -1 \
	}

int exec_record_make(const struct paths *p, const char *container, const struct docker_exec_args *a,
		     char ret_id[DOCKER_EXEC_ID_BYTES], struct err *e);
/* -ENOENT: no such exec. */
int exec_record_open(const struct paths *p, const char *id, struct exec_record *ret, struct err *e);
void exec_record_close(struct exec_record *x);

int exec_record_read_state(const struct exec_record *x, struct exec_record_state *ret,
			   struct err *e);
int exec_record_write_state(const struct exec_record *x, const struct exec_record_state *s,
			    struct err *e);
bool exec_record_read_size(const struct exec_record *x, struct exec_record_size *ret);
int exec_record_write_size(const struct exec_record *x, const struct exec_record_size *s,
			   struct err *e);

/* Removes what is kept no longer. */
void exec_records_sweep(const struct paths *p);

#endif
