/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENGINE_ROUTE_H
#define CSBX_CMD_ENGINE_ROUTE_H

/*
 * The room cmd/engine/route. From a request to the endpoint that answers it.
 *
 * In: a method and a path. Out: a row of the table, or docker's 404.
 *
 *	route.c			versions and patterns
 *	table.c			the endpoints
 *
 * Must: be pure.
 * Mustn't: answer.
 */

/*
 * From a request's method and path to the one row of the table that answers it. Pure.
 *
 *	route.c	 versions, patterns
 *	table.c	 the rows: every endpoint of the Engine API, those that are not done with why
 */

#include "cmd/engine/http/http.h"

struct call;
struct err;

struct route {
	enum http_method method;
	/* "containers/?/json": '?' is one segment; of images and their kin, whose names hold
	 * slashes, as many as there are. */
	const char *pattern;
	void (*fn)(struct call *k); /* NULL: not done */
	int status;                 /* of one that is not done: 501, 404, 503 */
	const char *why;
};

extern const struct route route_table[]; /* ends with a NULL pattern */

struct routed {
	const struct route *route;
	const char *item; /* what '?' stands for, in the path's memory, NULL: nothing */
	unsigned minor;   /* of the version that was asked for, 1.NN */
};

/*
 * path is cut up. -ENOENT: no such page, or not with that method; -EINVAL: a version that is not
 * spoken. Both with docker's texts.
 */
int route_find(const struct route *table, enum http_method method, char *path, struct routed *ret,
	       struct err *e);

#endif
