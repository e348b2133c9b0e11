/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_LISTED_H
#define CSBX_CMD_DOCKER_LISTED_H

/* Containers as the verbs that show many of them need them: ps, stats, prune, system df. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmd/docker/show/health.h"
#include "runtime/base/str.h"
#include "runtime/life/container_state.h"

struct err;
struct paths;

/* A mount of a container. */
struct listed_mount {
	char *source; /* of a volume its name */
	char *target;
	bool is_volume;
};

struct listed {
	char *name, *image, *image_id; /* image: as it was asked for */
	char id[NAME_CONTAINER_ID_DIGITS + 1];
	char *command; /* in one line */
	struct strv labels, notes;
	struct strv networks; /* that it was made a member of; empty: `network` */
	struct listed_mount *mounts;
	size_t n_mounts;
	const char *network; /* "host", "none"; "" = not known */
	bool is_recipe;      /* csbx's own: there may be several instances of it */
	enum container_status status;
	enum health_status health; /* of one that runs and has a check */
	int exit_code;
	pid_t init;            /* csbx-init of one that runs */
	uint64_t memory_bytes; /* its limit, 0: none */
	uint64_t created_ns, started_ns, finished_ns;
};

struct listed_list {
	struct listed *items; /* last created first */
	size_t n, cap;
	uint64_t now_ns;
};

/* all: not only what runs. */
int listed_read(const struct paths *p, bool all, struct listed_list *ret, struct err *e);
void listed_free(struct listed_list *l);
#define _listed_ __attribute__((cleanup(listed_free)))

/* By name, id or beginning of an id: NULL where there is none. */
const struct listed *listed_find(const struct listed_list *l, const char *operand);

/* "Up 5 seconds", "Exited (0) 2 minutes ago", "Created" */
void listed_status(const struct listed *x, uint64_t now_ns, struct strbuf *out);

/* "0.0.0.0:8000->8000/tcp, ...": the ports of --publish, of a running container. */
void listed_ports(const struct listed *x, struct strbuf *out);

/* Bytes of regular files in its kept layer; files that cannot be looked at are left out. */
uint64_t listed_size(const struct paths *p, const struct listed *x);

#endif
