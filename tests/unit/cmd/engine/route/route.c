/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/route/route.h"

#include "runtime/base/err.h"
#include "tests/unit/tap.h"

static void first(struct call *k)
{
	(void)k;
}

static const struct route table[] = {
	{HTTP_GET, "_ping", first},
	{HTTP_GET, "containers/json", first},
	{HTTP_GET, "containers/?/json", first},
	{HTTP_POST, "containers/?/start", first},
	{HTTP_GET, "images/json", first},
	{HTTP_GET, "images/?/json", first},
	{0},
};

static char memory[256];

static int find(enum http_method m, const char *path, struct routed *ret, struct err *e)
{
	snprintf(memory, sizeof(memory), "%s", path);
	return route_find(table, m, memory, ret, e);
}

static void check(const char *path, const char *pattern, const char *item, unsigned minor)
{
	struct routed x;
	struct err e = ERR_INIT;
	int r = find(HTTP_GET, path, &x, &e);

	ok(r == 0, "%s: %s", path, e.msg);
	is_str(r < 0 ? "" : x.route->pattern, pattern, "%s: its row", path);
	is_str(r < 0 || !x.item ? "" : x.item, item, "%s: its item", path);
	is_int(x.minor, minor, "%s: its version", path);
}

static void refused(enum http_method m, const char *path, int code, const char *text)
{
	struct routed x;
	struct err e = ERR_INIT;

	is_int(find(m, path, &x, &e), -code, "%s is refused", path);
	is_str(e.msg, text, "%s: why", path);
}

int main(void)
{
	check("/_ping", "_ping", "", 47);
	check("/v1.24/_ping", "_ping", "", 24);
	check("/v1.41/containers/json", "containers/json", "", 41);
	check("/containers/json/json", "containers/?/json", "json", 47);
	check("/v1.41/containers/a.b-c/json", "containers/?/json", "a.b-c", 41);
	check("/images/docker.io/library/a:1/json", "images/?/json", "docker.io/library/a:1", 47);
	refused(HTTP_GET, "/containers/a/b/json", ENOENT, "page not found");
	refused(HTTP_GET, "/containers//json", ENOENT, "page not found");
	refused(HTTP_GET, "/", ENOENT, "page not found");
	refused(HTTP_GET, "/containers/a/start", ENOENT, "page not found");
	refused(HTTP_GET, "/v1.99/_ping", EINVAL,
		"client version 1.99 is too new. Maximum supported "
		"API version is 1.47");
	refused(HTTP_GET, "/v2.1/_ping", EINVAL,
		"client version 2.1 is too new. Maximum supported "
		"API version is 1.47");
	refused(HTTP_GET, "/v1.12/_ping", EINVAL,
		"client version 1.12 is too old. Minimum supported "
		"API version is 1.24, please upgrade your client to "
		"a newer version");
	refused(HTTP_GET, "/v1.4x/_ping", ENOENT, "page not found");
	return done_testing();
}
