/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_NETWORK_H
#define CSBX_CMD_DOCKER_DAEMON_NETWORK_H

/*
 * Networks (runtime/record/network.h) by docker's rules: the three that are always there, and those
 * that somebody made. network_member.h: their members.
 */

#include <stdbool.h>
#include <stddef.h>

#include "runtime/record/network.h"

struct docker_fault;
struct err;
struct paths;
struct docker_value;

/*
 * The warning about a network that a user made: verbs that make one, or put a container into it,
 * print it.
 */
#define DOCKER_NETWORK_WARNING                                                           \
	"networks carry no traffic of their own in csbx: members are on this machine's " \
	"network, and their names are 127.0.0.1"

struct docker_network_args {
	const char *name, *driver; /* driver: NULL, "" or "bridge" */
	bool attachable, ipv6;
	bool internal, ingress, config_only;
	struct strv labels, options; /* "key=value" */
	struct strv subnets;         /* "SUBNET|RANGE|GATEWAY": shown again, without effect */
};

/* 409: the name is taken; 403: it is one of the three. */
int docker_network_create(const struct paths *p, const struct docker_network_args *a,
			  char ret_id[NETWORK_ID_DIGITS + 1], struct docker_fault *f);
/* By name, id or the beginning of an id. 404; 403: one of the three, or its members run. */
int docker_network_remove(const struct paths *p, const char *operand, struct docker_fault *f);
/* As GET /networks/ID describes it. 404. */
int docker_network_value(const struct paths *p, const char *operand, struct docker_value **ret,
			 struct docker_fault *f);

/* create, destroy, and of a container connect, disconnect; container: its id, NULL: none. */
void docker_network_event(const struct paths *p, const char *action, const struct network_record *n,
			  const char *container);

struct docker_network {
	bool is_builtin;
	struct network_record record;
};
struct docker_network_list {
	struct docker_network *items;
	size_t n;
};
void docker_network_list_free(struct docker_network_list *l);
#define _docker_networks_ __attribute__((cleanup(docker_network_list_free)))

/* Those that the filters ("key=value") choose, by name. 400: a filter that there is not. */
int docker_network_list(const struct paths *p, const struct strv *filters,
			struct docker_network_list *ret, struct docker_fault *f);
/* The same object as docker_network_value(), added to a list; without members. */
int docker_network_describe(const struct paths *p, const struct docker_network *n, bool members,
			    struct docker_value *list, struct docker_fault *f);
/* Removes those that no container belongs to; adds their names. */
int docker_network_prune(const struct paths *p, const struct strv *filters, struct strv *ret_names,
			 struct docker_fault *f);

/* One of the three, by name or id; NULL: it is none of them. */
const struct docker_network *docker_network_builtin(const char *operand);

#endif
