/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_ETC_H
#define CSBX_CMD_DOCKER_ETC_H

struct container_spec;
struct docker_run_args;
struct err;

/* The files docker puts into a container: /.dockerenv, and what --add-host and --dns* say. */
int docker_etc_add(const struct docker_run_args *a, struct container_spec *s, struct err *e);

#endif
