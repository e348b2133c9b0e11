/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_LIST_H
#define CSBX_CMD_DOCKER_DAEMON_LIST_H

/* Containers as GET /containers/json of the Engine API lists them. */

#include <stdbool.h>
#include <stddef.h>

struct docker_fault;
struct paths;
struct strv;
struct docker_value;

struct docker_list {
	bool all;                   /* not only what runs */
	bool size;                  /* SizeRw as well */
	size_t limit;               /* the last created, of all states; 0: no limit */
	const struct strv *filters; /* "key=value" each (ps_filter.h) */
};

/* Last created first. 400: a filter that is not known. */
int docker_list_value(const struct paths *p, const struct docker_list *how,
		      struct docker_value **ret, struct docker_fault *f);

#endif
