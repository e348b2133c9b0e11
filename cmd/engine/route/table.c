/* SPDX-License-Identifier: Apache-2.0 */

/* Every endpoint of the Engine API, in the order of its documentation. */

#include "cmd/engine/call/call.h"
#include "cmd/engine/route/route.h"

#define NOT_YET(what) .status = 501, .why = "csbx does not do this yet: " what
#define NEVER(why_not) .status = 501, .why = "csbx does not do this: " why_not
#define NO_SWARM .status = 503, .why = "This node is not a swarm manager, and csbx knows no swarm"

const struct route route_table[] = {
	{HTTP_GET, "_ping", call_ping},
	{HTTP_HEAD, "_ping", call_ping},
	{HTTP_GET, "version", call_version},
	{HTTP_GET, "info", call_info},
	{HTTP_GET, "events", NULL, NOT_YET("events")},
	{HTTP_GET, "system/df", NULL, NOT_YET("disk usage; docker system df shows it")},
	{HTTP_POST, "auth", NULL, NOT_YET("auth; docker login checks a password")},
	{0},
};
