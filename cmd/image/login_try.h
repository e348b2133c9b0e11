/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_LOGIN_TRY_H
#define CSBX_CMD_IMAGE_LOGIN_TRY_H

struct cmd;
struct credentials;
struct err;
struct registry_opts;

/* The registry has the last word. 1: it asked who we are and took it; 0: it did not care. */
int login_try(struct cmd *c, struct registry_opts *registry_opts, const char *name,
	      const struct credentials *who, struct err *e);

#endif
