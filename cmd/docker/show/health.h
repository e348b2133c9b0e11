/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_HEALTH_H
#define CSBX_CMD_DOCKER_HEALTH_H

/*
 * Health checks of containers (Engine API, "HealthConfig" and "Health"): what is to be checked, in
 * the notes of a container's record, and what the last checks found, in the file `health` of its
 * run's directory, a flat record that the checking process replaces (daemon/health_watch.h).
 *
 *	health-test=WORD	repeated: CMD or CMD-SHELL, and the command
 *	health-interval=NS	health-timeout=NS	health-start-period=NS
 *	health-start-interval=NS	health-retries=N
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct container_record;
struct err;
struct paths;
struct docker_value;

#define HEALTH_PROBES 5u
#define HEALTH_OUTPUT_BYTES 4096u
#define HEALTH_NOTE "health-"

struct health_check {
	struct strv test; /* its words; the first says of what kind it is */
	uint64_t interval_ns, timeout_ns, start_period_ns, start_interval_ns, retries;
};
/* False: there is none. Numbers that are not said are docker's defaults. */
bool health_check_read(const struct strv *notes, struct health_check *ret);
void health_check_free(struct health_check *c);

enum health_status { HEALTH_NONE, HEALTH_STARTING, HEALTH_HEALTHY, HEALTH_UNHEALTHY };
const char *health_status_name(enum health_status s); /* "starting", ..., "none" */

struct health_probe {
	uint64_t start_ns, end_ns;
	int exit_code; /* -1: it took too long */
	char *output;
};
struct health {
	enum health_status status;
	uint64_t failing_streak;
	struct health_probe probes[HEALTH_PROBES]; /* the oldest first */
	size_t n;
};

int health_write(int run_fd, const struct health *h, struct err *e);
/* -ENOENT: nothing has been checked. */
int health_read(int run_fd, struct health *ret, struct err *e);
void health_free(struct health *h);

/* The status of a container, as of now; NONE: it has no check. */
enum health_status health_of(const struct paths *p, const char *name,
			     const struct container_record *r);
/* State.Health of inspect, and Config.Healthcheck: nothing where there is no check. */
void health_add_state(struct docker_value *state, const struct paths *p, const char *name,
		      const struct container_record *r);
void health_add_config(struct docker_value *config, const struct strv *notes);

#endif
