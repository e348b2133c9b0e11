/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_LOGS_H
#define CSBX_CMD_DOCKER_DAEMON_LOGS_H

/* The output of a container, as lines: the last ones, of a span of time, and as they come. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <poll.h>

#include "runtime/record/run_dir.h"
#include "runtime/spec/name.h"
#include "runtime/stream/run_log.h"

struct docker_fault;
struct docker_target;
struct err;
struct paths;

/* One line with its end, or what there is of one: 0, or -errno to go no further. */
typedef int docker_logs_line(void *arg, uint64_t time_ns, int stream, const char *text, size_t len,
			     struct err *e);

/* How far a reader that follows has come, with the descriptors that it waits for. */
struct docker_logs_place {
	char id[NAME_CONTAINER_ID_DIGITS + 1]; /* by which its supervisor is found */
	struct run_dir dir;
	struct run_log_reader reader;
	int files, watch, supervisor; /* inotify, its watch; a pidfd */
};

struct docker_logs {
	bool follow;
	uint64_t since_ns, until_ns; /* 0: no bound */
	uint64_t tail;               /* so many last lines; UINT64_MAX: all */
	unsigned streams;            /* 1u << stream of those that are wanted; 0: both */
	docker_logs_line *line;
	void *arg;
	int client_fd; /* with follow: a reader that hangs up here ends it; -1: none */
	/* With follow: nothing has come for a while (idle_poll.h); NULL: nothing is done then. */
	void (*rest)(void *arg, const struct docker_logs_place *place, const struct pollfd *p,
		     nfds_t n);
	const struct docker_logs_place *from; /* goes on there, and owns it; NULL: begins */
};

/* Until the end of what there is; with follow until the container's end. With from, t is not looked at. */
int docker_logs(const struct paths *p, const struct docker_target *t, const char *operand,
		const struct docker_logs *how, struct docker_fault *f);

#endif
