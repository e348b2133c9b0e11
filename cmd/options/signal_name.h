/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_SIGNAL_NAME_H
#define CSBX_CMD_SIGNAL_NAME_H

struct err;

/* "TERM", "SIGTERM", "sigterm" or "15". */
int signal_parse(const char *text, int *ret, struct err *e);

/* "TERM"; NULL for one that has no name. */
const char *signal_name(int signal);

#endif
