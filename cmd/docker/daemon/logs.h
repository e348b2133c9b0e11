/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_LOGS_H
#define CSBX_CMD_DOCKER_DAEMON_LOGS_H

/* The output of a container, as lines: the last ones, of a span of time, and as they come. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct docker_fault;
struct docker_target;
struct err;
struct paths;
struct run_dir;

/* One line with its end, or what there is of one: 0, or -errno to go no further. */
typedef int docker_logs_line(void *arg, uint64_t time_ns, int stream, const char *text, size_t len,
			     struct err *e);

struct docker_logs {
	bool follow;
	uint64_t since_ns, until_ns; /* 0: no bound */
	uint64_t tail;               /* so many last lines; UINT64_MAX: all */
	unsigned streams;            /* 1u << stream of those that are wanted; 0: both */
	docker_logs_line *line;
	void *arg;
	int client_fd; /* with follow: a reader that hangs up here ends it; -1: none */
};

/* Until the end of what there is; with follow until the container's end. */
int docker_logs(const struct paths *p, const struct docker_target *t, const char *operand,
		const struct docker_logs *how, struct docker_fault *f);

#endif
