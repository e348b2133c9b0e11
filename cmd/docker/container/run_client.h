/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_RUN_CLIENT_H
#define CSBX_CMD_DOCKER_RUN_CLIENT_H

struct docker;
struct docker_run_args;
struct err;

/* Prints what is wrong; 0 or the exit code. */
int docker_run_check_client(const struct docker *d, const struct docker_run_args *a);

/* Says that the file of --cidfile cannot be made; returns the exit code. */
int docker_fail_cidfile(const struct docker *d, const char *path, const struct err *e);

#endif
