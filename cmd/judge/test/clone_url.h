/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_CLONE_URL_H
#define CSBX_CMD_EVAL_CLONE_URL_H

/*
 * A URL as it may be shown and kept, and the user and password that were written in it
 * (https://user:password@host/), which no message, file name, record or command line gets to see.
 */

struct err;

struct clone_url {
	char *url;             /* without them */
	char *origin;          /* "https://host:port" of it; NULL where there is no user */
	char *user, *password; /* decoded; "" where it has none; NULL without a user */
};
#define _clone_url_ __attribute__((cleanup(clone_url_free)))

/* -EINVAL for a control character in them: it would be read as another line. */
int clone_url_split(const char *text, struct clone_url *ret, struct err *e);
void clone_url_free(struct clone_url *u);

/* Overwrites them in place, where the process list shows them. */
void clone_url_hide(char *text);

#endif
