/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENGINE_CALL_CREATE_H
#define CSBX_CMD_ENGINE_CALL_CREATE_H

/*
 * The state that the parts of POST /containers/create share: the body, and the words it becomes.
 * All of them return 0 or -errno with the error in c->e.
 */

#include <stdint.h>

#include "cmd/docker/daemon/run_args.h"
#include "runtime/base/str.h"

struct err;
struct json;

struct creation {
	struct docker_run_args a;
	const struct json *body, *host; /* host: HostConfig, NULL: none */
	struct strv words;              /* what was put together; the arguments point into it */
	struct err *e;
};

/* Keeps a text as long as the request; takes it. NULL: no memory, which strv_check() tells. */
const char *creation_keep(struct creation *c, char *text);
/* A text that is not empty; else *ret stays. */
int creation_str(const struct json *obj, const char *key, const char **ret, struct creation *c);
/* A positive number; zero, which is not asked for, leaves *ret. */
int creation_size(const struct json *obj, const char *key, uint64_t *ret, struct creation *c);
/* Appends the names of a map's members, {"80/tcp":{}}. */
int creation_names(const struct json *obj, const char *key, struct strv *ret, struct creation *c);
/* Appends a map of strings, as words "name<sep>value". */
int creation_pairs(const struct json *obj, const char *key, const char *sep, struct strv *ret,
		   struct creation *c);

/* Reads HostConfig, where there is one, into c->a. */
int creation_take_host(struct creation *c);

#endif
