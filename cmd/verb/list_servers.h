/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_LIST_SERVERS_H
#define CSBX_CMD_LIST_SERVERS_H

#include <stdbool.h>

struct err;
struct paths;
struct strbuf;

/* The running image servers as a table or as JSON. */
int list_servers(const struct paths *p, bool json, struct strbuf *out, struct err *e);

#endif
