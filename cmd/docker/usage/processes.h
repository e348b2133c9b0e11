/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_USAGE_PROCESSES_H
#define CSBX_CMD_DOCKER_USAGE_PROCESSES_H

/*
 * The processes of a container, from proc(5): all that descend from its csbx-init, which itself is
 * none of them. A process that loses its parent inside becomes csbx-init's child, so none is
 * missed; a process made during the look may be.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

struct process {
	pid_t pid, parent;
	uint64_t ticks;        /* CPU used: user and system, with children it has waited for */
	uint64_t system_ticks; /* of them: in the kernel */
	unsigned threads;
};

struct process_list {
	struct process *items;
	size_t n, cap;
};
#define _process_list_ __attribute__((cleanup(process_list_free)))

/* The processes below init; init 0: all of the machine. */
int process_list_read(struct process_list *ret, pid_t init, struct err *e);
void process_list_free(struct process_list *l);

/* One line of /proc/PID/stat. -EINVAL: it is none. */
int process_parse(const char *text, struct process *ret);

/*
 * RssAnon and RssShmem of /proc/PID/status: memory that no other process gives back. 0: it is gone.
 */
uint64_t process_memory_bytes(pid_t pid);

#endif
