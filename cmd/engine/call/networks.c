/* SPDX-License-Identifier: Apache-2.0 */

/* Networks: list, inspect, create, remove, connect, disconnect, prune. */

#include "cmd/docker/daemon/network.h"
#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "cmd/engine/call/call.h"
#include "cmd/engine/call/endpoint.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"

static void reply_done(struct call *k, int r, int status, const struct docker_fault *f)
{
	if (r < 0)
		call_reply_fault(k, f);
	else
		http_reply_empty(k->conn, status);
}

void call_network_list(struct call *k)
{
	_docker_networks_ struct docker_network_list all = {0};
	struct docker_fault f = DOCKER_FAULT_INIT;
	_strv_ struct strv filters = STRV_INIT;
	_docker_value_ struct docker_value *list = NULL;
	int r;

	if (call_filters(k, &filters) < 0)
		return;
	r = docker_network_list(&k->cmd->paths, &filters, &all, &f);
	list = docker_value_new(DOCKER_VALUE_LIST);
	if (r >= 0 && !list)
		r = err_oom(&f.err);
	for (size_t i = 0; r >= 0 && i < all.n; i++)
		r = docker_network_describe(&k->cmd->paths, &all.items[i], false, list, &f);
	if (r < 0)
		call_reply_fault(k, &f);
	else
		call_reply_value(k, 200, take_ptr(list));
}

void call_network_inspect(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	_free_ char *scope = NULL;
	struct docker_value *v = NULL;

	if (call_query(k, "scope", &scope) < 0)
		return;
	/* No network has another scope. */
	if (scope && *scope && !str_eq(scope, "local")) {
		docker_fault(&f, DOCKER_NOT_FOUND, ENOENT, "network %s not found", k->item);
		call_reply_fault(k, &f);
	} else if (docker_network_value(&k->cmd->paths, k->item, &v, &f) < 0) {
		call_reply_fault(k, &f);
	} else {
		call_reply_value(k, 200, v);
	}
}

/* --- create ------------------------------------------------------------------------------- */

static int take_subnets(const struct json *ipam, struct strv *ret, struct err *e)
{
	const struct json *list = NULL;
	int r = call_get_list(ipam, "Config", &list, e);

	for (const struct json *c = json_first(r < 0 ? NULL : list); c; c = json_next(c)) {
		const char *subnet = "", *range = "", *gateway = "";

		if (!json_is_object(c))
			return err_set(e, EBADMSG, "invalid JSON: Config: not a list of objects");
		if ((r = call_get_str(c, "Subnet", &subnet, e)) < 0 ||
		    (r = call_get_str(c, "IPRange", &range, e)) < 0 ||
		    (r = call_get_str(c, "Gateway", &gateway, e)) < 0)
			return r;
		strv_take(ret, str_printf("%s|%s|%s", subnet, range, gateway));
	}
	return r;
}

static int read_create(const struct json *b, struct docker_network_args *a, struct err *e)
{
	const struct json *ipam = NULL;
	const char *scope = "", *ipam_driver = "";
	int r;

	if ((r = call_get_str(b, "Name", &a->name, e)) < 0 ||
	    (r = call_get_str(b, "Driver", &a->driver, e)) < 0 ||
	    (r = call_get_str(b, "Scope", &scope, e)) < 0 ||
	    (r = call_get_bool(b, "Internal", &a->internal, e)) < 0 ||
	    (r = call_get_bool(b, "Attachable", &a->attachable, e)) < 0 ||
	    (r = call_get_bool(b, "Ingress", &a->ingress, e)) < 0 ||
	    (r = call_get_bool(b, "ConfigOnly", &a->config_only, e)) < 0 ||
	    (r = call_get_bool(b, "EnableIPv6", &a->ipv6, e)) < 0 ||
	    (r = call_get_pairs(b, "Labels", &a->labels, e)) < 0 ||
	    (r = call_get_pairs(b, "Options", &a->options, e)) < 0 ||
	    (r = call_get_object(b, "IPAM", &ipam, e)) < 0 ||
	    (r = call_get_str(ipam, "Driver", &ipam_driver, e)) < 0 ||
	    (r = take_subnets(ipam, &a->subnets, e)) < 0)
		return r;
	if (*scope && !str_eq(scope, "local"))
		return err_set(e, EINVAL, "a network of scope %s is not available in csbx", scope);
	if (*ipam_driver && !str_eq(ipam_driver, "default"))
		return err_set(e, EINVAL, "IPAM driver %s is not available in csbx", ipam_driver);
	return 0;
}

void call_network_create(struct call *k)
{
	char id[NETWORK_ID_DIGITS + 1] = "";
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_network_args a = {0};
	_json_ struct json *body = NULL;
	int r;

	if (call_read_json(k, &body) < 0)
		return;
	r = read_create(body, &a, &f.err);
	if (r >= 0)
		r = docker_network_create(&k->cmd->paths, &a, id, &f);
	if (r < 0) {
		call_reply_fault(k, &f);
	} else {
		struct docker_value *v = docker_value_new(DOCKER_VALUE_STRUCT);

		docker_value_str(v, "Id", id);
		docker_value_str(v, "Warning", DOCKER_NETWORK_WARNING);
		call_reply_value(k, 201, v);
	}
	strv_free(&a.labels);
	strv_free(&a.options);
	strv_free(&a.subnets);
}

/* --- members ------------------------------------------------------------------------------ */

static int no_container(struct err *e)
{
	return err_set(e, EINVAL, "no container is named: Container is empty");
}

void call_network_connect(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_endpoint_args a = {0};
	const struct json *config = NULL;
	_json_ struct json *body = NULL;
	const char *container = "";
	int r;

	if (call_read_json(k, &body) < 0)
		return;
	r = call_get_str(body, "Container", &container, &f.err);
	if (r >= 0)
		r = call_get_object(body, "EndpointConfig", &config, &f.err);
	if (r >= 0)
		r = call_get_endpoint(config, &a, &f.err);
	if (r >= 0 && !*container)
		r = no_container(&f.err);
	if (r >= 0)
		r = docker_network_connect(&k->cmd->paths, k->item, container, &a, &f);
	reply_done(k, r, 200, &f);
	docker_endpoint_args_done(&a);
}

void call_network_disconnect(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	_json_ struct json *body = NULL;
	const char *container = "";
	bool force = false;
	int r;

	if (call_read_json(k, &body) < 0)
		return;
	r = call_get_str(body, "Container", &container, &f.err);
	if (r >= 0)
		r = call_get_bool(body, "Force", &force, &f.err);
	if (r >= 0 && !*container)
		r = no_container(&f.err);
	if (r >= 0)
		r = docker_network_disconnect(&k->cmd->paths, k->item, container, force, &f);
	reply_done(k, r, 200, &f);
}

void call_network_remove(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;

	reply_done(k, docker_network_remove(&k->cmd->paths, k->item, &f), 204, &f);
}

void call_network_prune(struct call *k)
{
	_strv_ struct strv filters = STRV_INIT, gone = STRV_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_value *v;

	if (call_filters(k, &filters) < 0)
		return;
	if (docker_network_prune(&k->cmd->paths, &filters, &gone, &f) < 0) {
		call_reply_fault(k, &f);
		return;
	}
	v = docker_value_new(DOCKER_VALUE_STRUCT);
	docker_value_strv(v, "NetworksDeleted", &gone, DOCKER_VALUE_NOLIST);
	call_reply_value(k, 200, v);
}
