/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_USAGE_H
#define CSBX_CMD_DOCKER_USAGE_H

/*
 * The room cmd/docker/usage. The resources that containers use, and changes of those that they may
 * use.
 *
 * In: a container that is there. Out: numbers, rows, values in the Engine API's form.
 *
 *	processes.h	its processes, from proc(5)
 *	usage.h		what it uses now
 *	top.h		its processes as ps(1) shows them
 *	prune.h		which containers go with `container prune`
 *	update.h	limits and policy of one that is there
 *
 * Must: work where there are no control groups. Mustn't: print.
 */

/*
 * The memory, CPU time and processes that a container uses. Its control group tells them where it
 * has one that counts; else csbx sums them over the processes: memory is then anonymous and shared
 * memory, without the page cache, and a parent tells the CPU time of its children that have ended.
 * No counter exists for a container's bytes of network and devices.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct paths;
struct docker_value;

struct docker_usage {
	bool runs;
	uint64_t realtime_ns, monotonic_ns; /* when it was looked at */
	uint64_t cpu_ns, system_ns;         /* of it: in the kernel */
	uint64_t host_cpu_ns; /* of all CPUs of the machine, in which it was busy or idle */
	uint64_t memory_bytes, file_bytes, inactive_file_bytes, memory_peak_bytes;
	uint64_t memory_limit_bytes; /* of the container, else what the machine has */
	uint64_t tasks;
};

/* id: of the container or its instance; memory_limit_bytes: its own, 0: none. */
int docker_usage_look(const struct paths *p, const char *id, uint64_t memory_limit_bytes,
		      struct docker_usage *ret, struct err *e);

/* Hundredths of a percent of one CPU between two looks. */
unsigned docker_usage_cpu(const struct docker_usage *before, const struct docker_usage *now);

/* The answer of GET /containers/ID/stats. before: NULL, or not looked at: there was no look. */
struct docker_value *docker_usage_value(const char *name, const char *id,
					const struct docker_usage *before,
					const struct docker_usage *now);

#endif
