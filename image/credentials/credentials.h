/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_CREDENTIALS_H
#define CSBX_IMAGE_CREDENTIALS_H

/*
 * The room image/credentials. The user's names and passwords for registries.
 *
 * In: a registry's name, files, helpers. Out: user and password, or nothing.
 *
 *	credentials.h		the order of places
 *	json.c, netrc.c, helper.c: places
 *	store.c, forget.c	login, logout
 *	free.c			clearing memory
 *
 * Must: clear what it gives back.
 * Mustn't: show a secret in a message.
 */

/*
 * The name and password for a registry. They are looked up in this order; the first place that
 * knows the registry counts:
 *
 *	what the caller was given ("REGISTRY=USER:PASSWORD")
 *	an auth.json named by the caller or REGISTRY_AUTH_FILE
 *	$ENROOT_CONFIG_PATH/.credentials	enroot's, lines of netrc(5)
 *	$XDG_RUNTIME_DIR/containers/auth.json	podman's and skopeo's, containers-auth.json(5)
 *	$XDG_CONFIG_HOME/containers/auth.json	the same, kept; `csbx login` writes here
 *	$DOCKER_CONFIG/config.json, ~/.docker/config.json
 *
 * In the JSON files credHelpers go before credsStore, and that before auths. Keys of auths are
 * HOST[:PORT][/NAMESPACE]..., the longest that fits counts; docker's URLs are understood.
 */

#include <stddef.h>

#include "runtime/base/str.h"

struct err;

#define CREDENTIALS_FILE_MAX (1u << 20)

struct credentials {
	char *user, *password;
	char *identity_token; /* instead of a password */
	char *from;           /* where they were found, for messages */
};
void credentials_free(struct credentials *c);
#define _credentials_ __attribute__((cleanup(credentials_free)))

struct credentials_query {
	const char *registry;   /* HOST[:PORT] */
	const char *repository; /* NULL: the registry as such */
	const char *user;       /* only this one's; NULL: anybody's */
	const struct strv *given;
	const char *authfile;
	const _Atomic int *cancel; /* NULL, or ends a helper when non-zero: -ECANCELED */
};

/* 1 found, 0 none, or an error of a file that is there but cannot be used. */
int credentials_find(const struct credentials_query *q, struct credentials *ret, struct err *e);

/* "docker.io" for each of Docker Hub's names, else the registry itself. */
const char *credentials_canonical(const char *registry);

/*
 * The readers, pure functions of (text, len) but for $VARIABLES in enroot's file. 1, 0, or
 * -EBADMSG. credentials_from_json() may answer with the name of a helper to ask instead.
 */
int credentials_from_netrc(const char *text, size_t len, const char *host, const char *user,
			   struct credentials *ret, struct err *e);
int credentials_from_json(const void *text, size_t len, const struct credentials_query *q,
			  struct credentials *ret, char **ret_helper, struct err *e);
/* Parses the text that a helper prints for `get`. */
int credentials_from_helper(const void *text, size_t len, struct credentials *ret, struct err *e);

/* Runs docker-credential-NAME with `verb` and `input`; its output. -ENOENT: it knows nothing.
 * It never outlives who asked. */
int credentials_ask_helper(const char *name, const char *verb, const char *input,
			   const _Atomic int *cancel, struct strbuf *out, struct err *e);

/* The name by which a helper knows a registry: docker's URL for Docker Hub. */
const char *credentials_helper_key(const char *registry);

/* The file that login writes: authfile, $REGISTRY_AUTH_FILE, or the one in ~/.config. */
char *credentials_login_path(const char *authfile);

/* The text of an auth.json with or without (NULL) credentials for a registry; pure. */
int credentials_edit_json(const void *text, size_t len, const char *registry,
			  const struct credentials *c, struct strbuf *out, struct err *e);

/*
 * The JSON files credentials are looked for in: authfile or $REGISTRY_AUTH_FILE alone, else
 * podman's, the one that login writes, and docker's; there or not.
 */
int credentials_json_files(const char *authfile, struct strv *ret, struct err *e);

/*
 * Forgets what these files and the helpers they name have for a registry. Each place is added to
 * where; the first error is told when all has been tried.
 */
int credentials_forget(const char *authfile, const char *registry, struct strv *where,
		       struct err *e);

/* Keeps or, for NULL, forgets credentials in one file. Forgetting: 1, or 0 when there were none. */
int credentials_store(const char *authfile, const char *registry, const struct credentials *c,
		      struct err *e);

#endif
