/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_REGISTRY_OPTS_H
#define CSBX_CMD_IMAGE_REGISTRY_OPTS_H

/* The options about registries, for every verb that asks one. */

#include "cmd/frame/opt.h"
#include "image/registry/options.h"
#include "runtime/base/str.h"

struct cmd;
struct err;

struct registry_opts {
	const char *authfile;
	struct strv insecure, mirrors, token_servers;
	uint64_t timeout_ms, tries, connections;
	const char *first_auth; /* "REGISTRY=USER:PASSWORD" that goes before all others, or NULL */
	struct strv auth; /* of CSBX_REGISTRY_AUTH, which is no option: a secret is not for argv */
};

/* The options for talking to a registry, and those for fetching its images. Both fill one
 * struct. */
extern const struct opt_table registry_opts_table, registry_fetch_table;

/* The user's options in the form that the image layer wants; ret points into o. */
int registry_opts_get(const struct cmd *c, struct registry_opts *o, struct registry_options *ret,
		      struct err *e);
/*
 * Tells the user that a registry says nothing: the registry_options.silence of registry_opts_get().
 */
void registry_say_silence(void *arg, const char *host, uint64_t silent_ms, uint64_t patience_ms);
void registry_opts_done(struct registry_opts *o);

#endif
