/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/call/endpoint.h"

#include "cmd/docker/daemon/network_member.h"
#include "cmd/engine/call/call.h"
#include "runtime/base/err.h"
#include "runtime/base/json/json.h"
#include "runtime/base/str.h"

int call_get_endpoint(const struct json *config, struct docker_endpoint_args *ret, struct err *e)
{
	const struct json *ipam = NULL;
	const char *v6 = NULL;
	int r;

	if ((r = call_get_strv(config, "Aliases", &ret->aliases, e)) < 0 ||
	    (r = call_get_strv(config, "Links", &ret->links, e)) < 0 ||
	    (r = call_get_object(config, "IPAMConfig", &ipam, e)) < 0 ||
	    (r = call_get_str(ipam, "IPv4Address", &ret->address, e)) < 0 ||
	    (r = call_get_str(ipam, "IPv6Address", &v6, e)) < 0)
		return r;
	if (v6 && *v6)
		ret->address = v6;
	return 0;
}

void docker_endpoint_args_done(struct docker_endpoint_args *a)
{
	strv_free(&a->aliases);
	strv_free(&a->links);
}

static int add_network(const struct json *config, struct strv *out, struct err *e)
{
	struct docker_endpoint_args x = {0};
	int r = 0;

	if (!json_is_null(config) && !json_is_object(config))
		return err_set(e, EBADMSG, "invalid JSON: EndpointsConfig: not objects");
	if (json_is_object(config))
		r = call_get_endpoint(config, &x, e);
	strv_take(out, str_printf("network=%s", json_name(config)));
	for (size_t i = 0; i < x.aliases.n; i++)
		strv_take(out, str_printf("alias=%s", x.aliases.items[i]));
	for (size_t i = 0; i < x.links.n; i++)
		strv_take(out, str_printf("link=%s", x.links.items[i]));
	if (x.address && *x.address)
		strv_take(out, str_printf("address=%s", x.address));
	docker_endpoint_args_done(&x);
	return r < 0 ? r : strv_check(out, e);
}

int call_get_networks(const struct json *body, struct strv *ret, struct err *e)
{
	const struct json *config, *map = NULL;
	int r = call_get_object(body, "NetworkingConfig", &config, e);

	if (r >= 0)
		r = call_get_object(config, "EndpointsConfig", &map, e);
	for (const struct json *i = json_first(r < 0 ? NULL : map); i && r >= 0; i = json_next(i))
		r = add_network(i, ret, e);
	return r;
}
