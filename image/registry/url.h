/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_URL_H
#define CSBX_IMAGE_URL_H

/*
 * URLs that servers send us (Location, realm), strictly: http or https, a plain host, a path.
 * A text that two parsers could read in two ways is refused: user information, backslashes, blanks,
 * control and non-ASCII bytes (RFC 3986 allows none of the last three). A request is sent to the
 * URL that is put together again from the parts, so what was checked is what is used.
 */

#include <stdbool.h>

struct err;

#define URL_MAX 16384 /* signed URLs of object stores are long */

struct url {
	bool https;
	char *host;    /* lower case; an IPv6 address without its brackets */
	unsigned port; /* the scheme's own when none was written */
	char *path;    /* begins with "/", with the query, without a fragment */
};

int url_parse(const char *text, struct url *ret, struct err *e);

/* location as RFC 3986, section 5.2 resolves it against base; ret is not base. */
int url_resolve(const struct url *base, const char *location, struct url *ret, struct err *e);
void url_free(struct url *u);
#define _url_ __attribute__((cleanup(url_free)))

/* The whole URL, NULL: ENOMEM. It may hold a signature: not for messages. */
char *url_format(const struct url *u);
/* "https://host:5000": the part that messages may show. NULL: ENOMEM. */
char *url_format_origin(const struct url *u);

/* Scheme, host and port are the same: a secret for one may be told to the other. */
bool url_same_origin(const struct url *a, const struct url *b);

/*
 * A name or address of this very machine, or one that is only reachable from it or its link
 * (169.254.0.0/16 and fe80::/10, where clouds keep their instances' credentials). Every way to
 * write an IPv4 address that inet_aton(3) understands is seen through.
 */
bool url_host_is_local(const char *host);

/*
 * 0 when a server at `from` may send us to `to`: not from https to http, and not from elsewhere to
 * this machine. Else -EPERM with the reason.
 */
int url_may_go(const struct url *from, const struct url *to, struct err *e);

#endif
