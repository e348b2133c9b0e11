/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_REGISTRY_OPTIONS_H
#define CSBX_IMAGE_REGISTRY_OPTIONS_H

/*
 * A user's options for registries (image/registry/registry.h); for all code that passes them on.
 */

#include <stdint.h>

struct strv;

#define REGISTRY_TRIES 6u
#define REGISTRY_TRIES_SILENT 2u /* of one that has never answered */
#define REGISTRY_CONNECTIONS 4u
#define REGISTRY_TIMEOUT_MS 30000u

/* Zero everywhere are the defaults; nothing is owned, all of it outlives the registry. */
struct registry_options {
	/* An auth.json that is asked before all others. */
	const char *authfile;
	/* "REGISTRY=USER:PASSWORD" */
	const struct strv *auth;
	/* "HOST[:PORT]": plain HTTP or an unknown certificate will do. */
	const struct strv *insecure;
	/* "REGISTRY=HOST[:PORT][/PREFIX]", asked in this order. */
	const struct strv *mirrors;
	/* "REGISTRY=HOST[:PORT]": a token server that may have the registry's password. */
	const struct strv *token_servers;
	/* The number of times that a request is made before it is given up. */
	unsigned tries;
	/* To connect, and for a server that sends nothing. */
	uint64_t timeout_ms;
	/* The number of blobs that transfer_fetch() fetches at once. */
	unsigned connections;
	const _Atomic int *cancel;
	/* Once for each server that is silent for silent_ms; patience_ms: until it is given up, in
	 * all. From any thread that fetches. NULL: no caller is told. */
	void (*silence)(void *arg, const char *host, uint64_t silent_ms, uint64_t patience_ms);
	void *silence_arg;
};

#endif
