/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_FETCH_H
#define CSBX_RUNTIME_FETCH_H

/*
 * --fetch: files of the container that go into the result, read when every process of it is dead.
 */

#include <stddef.h>
#include <stdint.h>

struct container_spec;
struct err;
struct run_result;

#define FETCH_BYTES_MAX (UINT64_C(100) << 20) /* of all files of a run */

/* The container's file systems, kept by the supervisor beyond the death of pid 1. */
struct fetch_root {
	int root_fd; /* O_PATH of the container's / */
	int ns_fd;   /* pid 1's mount namespace: without it what is mounted below / would go */
};
#define FETCH_ROOT_INIT                    \
	{                                  \
		.root_fd = -1, .ns_fd = -1 \
	}

/* In pid 1, with the plan done: sends both as LAUNCH_EV_ROOT. proc_fd: its /proc. */
int fetch_send_root(int control_fd, int proc_fd, struct err *e);

/*
 * Reads spec->fetch into r->files, in that order; a file that cannot be had stays empty, with the
 * reason in r->degraded. server_fd: the image server, which must be alive; -1: there is none.
 */
int fetch_files(const struct container_spec *spec, const struct fetch_root *root, int server_fd,
		struct run_result *r, struct err *e);

void fetch_root_close(struct fetch_root *root);

#endif
