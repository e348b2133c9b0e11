/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_FAULT_H
#define CSBX_CMD_DOCKER_FAULT_H

/*
 * Why the daemon's part of the work (cmd/docker/daemon) refuses a request. A function fills it and
 * returns -errno; the command line prints it behind "Error response from daemon:", the Engine API
 * answers with its status and text. err alone may be filled, by what lies below: the status is 500
 * then.
 */

#include <stdbool.h>

#include "runtime/base/err.h"

struct docker_fault {
	int status;     /* of HTTP; 0: DOCKER_FAILED */
	int exit_code;  /* of `docker run` and `docker exec`, where it is the fault's own: 126,
			 * 127 */
	bool by_client; /* of docker's two programs its command line says it */
	struct err err;
};
#define DOCKER_FAULT_INIT \
	{                 \
		0         \
	}

enum {
	DOCKER_NOT_MODIFIED = 304,
	DOCKER_BAD_REQUEST = 400,
	DOCKER_FORBIDDEN = 403,
	DOCKER_NOT_FOUND = 404,
	DOCKER_CONFLICT = 409,
	DOCKER_FAILED = 500,
};

/* Sets the text as given; code is a positive errno, which is returned as -code. */
int docker_fault(struct docker_fault *f, int status, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The same for a refusal that has no code of its own: 400 and EINVAL. */
int docker_refuse(struct docker_fault *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* And for what docker's command line would have said before it asked its daemon. */
int docker_refuse_early(struct docker_fault *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Notes the status of an error that was just set: r = err_set(&f->err, ...), which it returns; no
 * error: r. */
int docker_fault_is(struct docker_fault *f, int status, int r);

/*
 * The same with 400 where the code says that what was asked for cannot be, else 500; no error: r.
 */
int docker_fault_by_code(struct docker_fault *f, int r);

static inline int docker_fault_status(const struct docker_fault *f)
{
	return f->status ? f->status : DOCKER_FAILED;
}

/*
 * Why a command could not be run, in the words of docker 28 and its runtime: caller frees. prefix:
 * one of the two below.
 */
char *docker_launch_text(const char *prefix, const char *program, int exit_code,
			 const struct err *e);
#define DOCKER_CREATE_FAILED                                                            \
	"failed to create task for container: failed to create shim task: OCI runtime " \
	"create failed: runc create failed: unable to start container process: error "  \
	"during container init: "
#define DOCKER_EXEC_FAILED \
	"OCI runtime exec failed: exec failed: unable to start container process: "

#endif
