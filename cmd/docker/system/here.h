/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_TOOL_HERE_H
#define CSBX_CMD_DOCKER_TOOL_HERE_H

/* The machine, as the verbs version and info speak of it. */

struct docker;
struct strbuf;

/* "amd64" for x86_64: Go's name of the machine's architecture. */
const char *here_go_arch(void);

/*
 * 0 where containers can start. Else 1, and the reason and the remedy, in the words of a docker
 * that finds no daemon, which is what scripts look for.
 */
int here_check(const struct docker *d, struct strbuf *reason);

#endif
