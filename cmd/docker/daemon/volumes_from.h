/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_VOLUMES_FROM_H
#define CSBX_CMD_DOCKER_DAEMON_VOLUMES_FROM_H

/* --volumes-from: the mounts of other containers. */

struct container_spec;
struct docker_fault;
struct paths;
struct strv;

/*
 * Adds the binds and volumes of the containers that words name, "CONTAINER[:MODES]", where nothing
 * is mounted at their place yet. 404: there is no such container.
 */
int docker_volumes_from_add(const struct paths *p, const struct strv *words,
			    struct container_spec *s, struct docker_fault *f);

#endif
