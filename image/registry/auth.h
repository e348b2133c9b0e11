/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_AUTH_H
#define CSBX_IMAGE_AUTH_H

/*
 * The words of registries about logging in: WWW-Authenticate (RFC 9110, 11.6.1; RFC 6750, 3) and
 * the answers of token servers (distribution specification, "Token Authentication"). Pure functions
 * over foreign text; a token that comes out may go into a header line.
 */

#include <stddef.h>
#include <stdint.h>

struct err;
struct strbuf;

#define AUTH_CHALLENGES_MAX 8
#define AUTH_TOKEN_MAX (64u << 10)
#define AUTH_TOKEN_SECONDS 60u /* how long one is good when the server does not say */

enum auth_scheme { AUTH_OTHER, AUTH_BASIC, AUTH_BEARER };

struct auth_challenge {
	enum auth_scheme scheme;
	char *realm, *service, *scope, *error; /* NULL: absent */
};

struct auth_challenges {
	struct auth_challenge items[AUTH_CHALLENGES_MAX];
	size_t n;
};

/* Adds those of one header value, which may hold several. Surplus ones are left out. -EBADMSG. */
int auth_challenges_parse(struct auth_challenges *c, const char *value, struct err *e);
void auth_challenges_free(struct auth_challenges *c);
#define _auth_challenges_ __attribute__((cleanup(auth_challenges_free)))

/* The one to answer: Bearer with a realm, else Basic, else NULL. */
const struct auth_challenge *auth_choose(const struct auth_challenges *c);

/* {"token" or "access_token", "expires_in"}: the token (caller frees) and its seconds. */
int auth_token_parse(const void *text, size_t len, char **ret_token, uint64_t *ret_seconds,
		     struct err *e);

/* Adds "name=value", percent-encoded (RFC 3986, 2.3), behind the right one of "?" and "&". */
void auth_add_query(struct strbuf *b, const char *name, const char *value);
/* The same for the body of a form: no "?". */
void auth_add_form(struct strbuf *b, const char *name, const char *value);

/* {"errors":[{"code","message"}]} as "CODE: message"; nothing for any other text. */
void auth_add_error_text(struct strbuf *b, const void *text, size_t len);

#endif
