/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_NETWORK_MEMBER_H
#define CSBX_CMD_DOCKER_DAEMON_NETWORK_MEMBER_H

/*
 * The containers that belong to each network (runtime/record/endpoints.h), and the files by which
 * they find each other (runtime/record/hosts.h). Joining and leaving is a change of a record, at
 * any time of a container's life.
 */

#include <stdbool.h>

#include "runtime/base/str.h"

struct container_record;
struct container_start;
struct docker_fault;
struct docker_network_list;
struct docker_run_args;
struct endpoints;
struct network_record;
struct paths;
struct strv;
struct docker_value;

/* The names of a container in a network. */
struct docker_endpoint_args {
	struct strv aliases;
	struct strv links;   /* "CONTAINER:NAME" or a name: what only this container calls others */
	const char *address; /* an address asked for, NULL: none. There are none to give: 400 */
};

/* 404: the container or the network; 403: it belongs to it already and runs; 400: host, none. */
int docker_network_connect(const struct paths *p, const char *operand, const char *container,
			   const struct docker_endpoint_args *a, struct docker_fault *f);
/* force: a container that is gone is no fault. */
int docker_network_disconnect(const struct paths *p, const char *operand, const char *container,
			      bool force, struct docker_fault *f);

/*
 * The networks that a request names, for a container that is to be made: empty where there are only
 * those that are always there. 404. The caller frees.
 */
int docker_endpoints_of(const struct paths *p, const struct docker_run_args *a,
			struct endpoints *ret, struct docker_fault *f);
/* Writes them for the container, which is there by now, and tells the other members. */
int docker_endpoints_store(const struct paths *p, const char *name, const struct endpoints *x,
			   struct docker_fault *f);
/* True when the container has a record of its networks. */
bool docker_endpoints_has(const struct paths *p, const char *name);
/* After a container got another name, or went: its name goes from the others' files. */
void docker_endpoints_refresh(const struct paths *p);

/* --- of a network -------------------------------------------------------------------------- */

enum docker_members { DOCKER_MEMBERS_ALL, DOCKER_MEMBERS_RUNNING };

/* The number of containers that belong to it; map: NULL, or gets them as GET /networks/ID shows
 * them. */
int docker_network_members(const struct paths *p, const char *network, enum docker_members which,
			   struct docker_value *map, struct docker_fault *f);
/* One that somebody made. 404. */
int docker_network_find(const struct paths *p, const char *operand, struct network_record *ret,
			struct docker_fault *f);
/* Those that prune's filters leave to it. */
int docker_network_prunable(const struct paths *p, const struct strv *filters,
			    struct docker_network_list *ret, struct docker_fault *f);

/* --- of a container ------------------------------------------------------------------------ */

/*
 * Adds its networks to the map NetworkSettings.Networks; 0: it has no record of them, and the map
 * is as it was.
 */
int docker_endpoints_value(const struct paths *p, const char *name, bool runs,
			   struct docker_value *map);

/* --- network_join.c: --network container:X -------------------------------------------------- */

/* 400: options that do not go with it. */
int docker_network_join_check(const struct docker_run_args *a, struct docker_fault *f);
/* The note of the network names the other by its id; one that is not there is met at the start. */
void docker_network_join_note(const struct paths *p, const struct docker_run_args *a,
			      struct strv *notes);
/* At a start: the other must run, on the host's network. 404, 409, 400. */
int docker_network_join(const struct paths *p, struct container_start *s, struct docker_fault *f);
/* The events of a start (connect) and an end (disconnect); name: it may have another by now. */
void docker_network_note(const struct paths *p, const struct container_start *s, const char *name,
			 const char *action);

#endif
