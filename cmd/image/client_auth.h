/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_CLIENT_AUTH_H
#define CSBX_CMD_IMAGE_CLIENT_AUTH_H

/*
 * Credentials as clients of the Engine API send them: headers of JSON in the base64 of URLs, with
 * or without padding. X-Registry-Auth has those for one registry, X-Registry-Config, of a build, a
 * map from addresses of registries to such objects. csbx takes a user and a password; a token for
 * the registry that is asked is -EOPNOTSUPP, and one for another is passed over.
 */

struct err;
struct json;

#define CLIENT_AUTH_MAX (256u << 10)

/* "REGISTRY=USER:PASSWORD", NULL: it has none. Caller frees. -EBADMSG, -EINVAL. header: or NULL. */
int client_auth_one(const char *header, const char *registry, char **ret, struct err *e);
/* The same of a map, a line each, as CSBX_REGISTRY_AUTH has them. */
int client_auth_map(const char *header, char **ret, struct err *e);

/* "https://index.docker.io/v1/" -> "docker.io", "https://reg:5000/" -> "reg:5000". Caller frees. */
char *client_auth_host(const char *address);
/* A member that is text and not empty. */
const char *client_auth_text(const struct json *obj, const char *key);

#endif
