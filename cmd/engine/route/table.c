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
	{HTTP_GET, "containers/json", call_container_list},
	{HTTP_POST, "containers/create", call_container_create},
	{HTTP_GET, "containers/?/json", call_container_inspect},
	{HTTP_POST, "containers/?/start", call_container_start},
	{HTTP_POST, "containers/?/stop", call_container_stop},
	{HTTP_POST, "containers/?/restart", call_container_restart},
	{HTTP_POST, "containers/?/kill", call_container_kill},
	{HTTP_POST, "containers/?/pause", call_container_pause},
	{HTTP_POST, "containers/?/unpause", call_container_unpause},
	{HTTP_POST, "containers/?/rename", call_container_rename},
	{HTTP_POST, "containers/?/resize", call_container_resize},
	{HTTP_POST, "containers/?/wait", call_container_wait},
	{HTTP_POST, "containers/?/attach", call_container_attach},
	{HTTP_GET, "containers/?/logs", call_container_logs},
	{HTTP_DELETE, "containers/?", call_container_remove},
	{HTTP_POST, "containers/?/exec", call_exec_create},
	{HTTP_POST, "exec/?/start", call_exec_start},
	{HTTP_POST, "exec/?/resize", call_exec_resize},
	{HTTP_GET, "exec/?/json", call_exec_inspect},
	{HTTP_HEAD, "containers/?/archive", call_archive_head},
	{HTTP_GET, "containers/?/archive", call_archive_get},
	{HTTP_PUT, "containers/?/archive", call_archive_put},
	{HTTP_GET, "images/?/json", call_image_inspect},
	{0},
};
