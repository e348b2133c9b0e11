/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_TOOL_INFO_VALUE_H
#define CSBX_CMD_DOCKER_TOOL_INFO_VALUE_H

/*
 * The room cmd/docker/system. docker's verbs about the machine, networks and volumes.
 *
 * In: parsed arguments. Out: facts in docker's words.
 *
 *	info.c version.c ...	a verb in a file of its name
 *	here.h, info_value.h, version_value.h: the machine
 *	inspect_others.h	objects that are no containers
 *
 * Must: parse and print.
 * Mustn't: invent a fact that csbx does not know.
 */

#include <stdbool.h>

struct err;
struct paths;
struct docker_value;

/*
 * The machine and csbx as GET /info of the Engine API describes them; not usable: the client only.
 */
int info_value(const struct paths *p, bool usable, struct docker_value **ret, struct err *e);

#endif
