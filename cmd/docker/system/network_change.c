/* SPDX-License-Identifier: Apache-2.0 */

/* docker network create, connect, disconnect and prune. */

#include <stddef.h>

#include "cmd/docker/daemon/network.h"
#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/frame/confirm.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/show/ps_filter.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/* --- create ------------------------------------------------------------------------------- */

struct create_args {
	struct docker_network_args how;
	const char *scope, *config_from, *ipam_driver;
	struct strv subnets, ranges, gateways, aux, ipam_options;
};

#define AT(member) offsetof(struct create_args, member)

static const struct opt create_opts[] = {
	{OPT_FLAG, 0, "attachable", NULL, AT(how.attachable),
	 .help = "Enable manual container attachment"},
	{OPT_LIST, 0, "aux-address", "map", AT(aux),
	 .help = "Auxiliary IPv4 or IPv6 addresses used by Network driver"},
	{OPT_STR, 0, "config-from", "string", AT(config_from),
	 .help = "The network from which to copy the configuration"},
	{OPT_FLAG, 0, "config-only", NULL, AT(how.config_only),
	 .help = "Create a configuration only network"},
	{OPT_STR, 'd', "driver", "string", AT(how.driver),
	 .help = "Driver to manage the Network (default \"bridge\")"},
	{OPT_LIST, 0, "gateway", "strings", AT(gateways),
	 .help = "IPv4 or IPv6 Gateway for the master subnet"},
	{OPT_FLAG, 0, "ingress", NULL, AT(how.ingress),
	 .help = "Create swarm routing-mesh network"},
	{OPT_FLAG, 0, "internal", NULL, AT(how.internal),
	 .help = "Restrict external access to the network"},
	{OPT_LIST, 0, "ip-range", "strings", AT(ranges),
	 .help = "Allocate container ip from a sub-range"},
	{OPT_STR, 0, "ipam-driver", "string", AT(ipam_driver),
	 .help = "IP Address Management Driver (default \"default\")"},
	{OPT_LIST, 0, "ipam-opt", "map", AT(ipam_options),
	 .help = "Set IPAM driver specific options"},
	{OPT_FLAG, 0, "ipv6", NULL, AT(how.ipv6), .help = "Enable IPv6 networking"},
	{OPT_LIST, 0, "label", "list", AT(how.labels), .help = "Set metadata on a network"},
	{OPT_LIST, 'o', "opt", "map", AT(how.options), .help = "Set driver specific options"},
	{OPT_STR, 0, "scope", "string", AT(scope), .help = "Control the network's scope"},
	{OPT_LIST, 0, "subnet", "strings", AT(subnets),
	 .help = "Subnet in CIDR format that represents a network segment"},
	{0},
};
static const struct opt_table create_table = {"Options", create_opts};

static void create_done(void *args)
{
	struct create_args *a = args;

	strv_free(&a->how.labels);
	strv_free(&a->how.options);
	strv_free(&a->how.subnets);
	strv_free(&a->subnets);
	strv_free(&a->ranges);
	strv_free(&a->gateways);
	strv_free(&a->aux);
	strv_free(&a->ipam_options);
}

static const char *nth(const struct strv *v, size_t i)
{
	return i < v->n ? v->items[i] : "";
}

static int collect(struct create_args *a, struct docker_fault *f)
{
	if (a->config_from || (a->ipam_driver && !str_eq(a->ipam_driver, "default")) ||
	    a->ipam_options.n || a->aux.n || (a->scope && !str_eq(a->scope, "local")))
		return docker_refuse(f,
				     "--config-from, --ipam-driver, --ipam-opt, --aux-address and "
				     "--scope are not available in csbx: containers have no "
				     "addresses of their own");
	if (a->ranges.n > a->subnets.n || a->gateways.n > a->subnets.n)
		return docker_refuse(f,
				     "every ip-range or gateway must have a corresponding subnet");
	for (size_t i = 0; i < a->subnets.n; i++)
		strv_take(&a->how.subnets, str_printf("%s|%s|%s", a->subnets.items[i],
						      nth(&a->ranges, i), nth(&a->gateways, i)));
	return strv_check(&a->how.subnets, &f->err);
}

static int create_run(struct docker *d, void *args, int argc, char **argv)
{
	char id[NETWORK_ID_DIGITS + 1] = "";
	struct docker_fault f = DOCKER_FAULT_INIT;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct create_args *a = args;

	(void)argc;
	a->how.name = argv[0];
	if (collect(a, &f) < 0 || docker_network_create(&d->cmd.paths, &a->how, id, &f) < 0)
		return docker_daemon_error("%s", f.err.msg);
	docker_say(0, "WARNING: " DOCKER_NETWORK_WARNING);
	strbuf_addf(&out, "%s\n", id);
	return cmd_print(&out);
}

const struct docker_verb docker_verb_network_create = {
	.name = "network create",
	.usage = "[OPTIONS] NETWORK",
	.uses = (const struct opt_use[]){{&create_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct create_args),
	.done = create_done,
	.run = create_run,
};

/* --- connect, disconnect ------------------------------------------------------------------ */

struct connect_args {
	struct docker_endpoint_args how;
	const char *ip6;
	int64_t priority;
	struct strv link_local, driver_options;
};

#undef AT
#define AT(member) offsetof(struct connect_args, member)

static const struct opt connect_opts[] = {
	{OPT_LIST, 0, "alias", "strings", AT(how.aliases),
	 .help = "Add network-scoped alias for the container"},
	{OPT_LIST, 0, "driver-opt", "strings", AT(driver_options),
	 .help = "driver options for the network"},
	{OPT_STR, 0, "ip", "string", AT(how.address),
	 .help = "IPv4 address (e.g., \"172.30.100.104\")"},
	{OPT_STR, 0, "ip6", "string", AT(ip6), .help = "IPv6 address (e.g., \"2001:db8::33\")"},
	{OPT_LIST, 0, "link", "list", AT(how.links), .help = "Add link to another container"},
	{OPT_LIST, 0, "link-local-ip", "strings", AT(link_local),
	 .help = "Add a link-local address for the container"},
	{0},
};
static const struct opt_table connect_table = {"Options", connect_opts};

static void connect_done(void *args)
{
	struct connect_args *a = args;

	strv_free(&a->how.aliases);
	strv_free(&a->how.links);
	strv_free(&a->link_local);
	strv_free(&a->driver_options);
}

static int connect_run(struct docker *d, void *args, int argc, char **argv)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct connect_args *a = args;

	(void)argc;
	if (!a->how.address)
		a->how.address = a->ip6 ? a->ip6 : a->link_local.n ? a->link_local.items[0] : NULL;
	if (docker_network_connect(&d->cmd.paths, argv[0], argv[1], &a->how, &f) < 0)
		return docker_daemon_error("%s", f.err.msg);
	return 0;
}

const struct docker_verb docker_verb_network_connect = {
	.name = "network connect",
	.usage = "[OPTIONS] NETWORK CONTAINER",
	.uses = (const struct opt_use[]){{&connect_table, 0}, {0}},
	.min_operands = 2,
	.max_operands = 2,
	.args_bytes = sizeof(struct connect_args),
	.done = connect_done,
	.run = connect_run,
};

struct disconnect_args {
	bool force;
};

static const struct opt disconnect_opts[] = {
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct disconnect_args, force),
	 .help = "Force the container to disconnect from a network"},
	{0},
};
static const struct opt_table disconnect_table = {"Options", disconnect_opts};

static int disconnect_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct disconnect_args *a = args;
	struct docker_fault f = DOCKER_FAULT_INIT;

	(void)argc;
	if (docker_network_disconnect(&d->cmd.paths, argv[0], argv[1], a->force, &f) < 0)
		return docker_daemon_error("%s", f.err.msg);
	return 0;
}

const struct docker_verb docker_verb_network_disconnect = {
	.name = "network disconnect",
	.usage = "[OPTIONS] NETWORK CONTAINER",
	.uses = (const struct opt_use[]){{&disconnect_table, 0}, {0}},
	.min_operands = 2,
	.max_operands = 2,
	.args_bytes = sizeof(struct disconnect_args),
	.run = disconnect_run,
};

/* --- prune -------------------------------------------------------------------------------- */

struct prune_args {
	bool force;
	struct strv filters;
};

static const struct opt prune_opts[] = {
	{OPT_CALL, 0, "filter", "filter", offsetof(struct prune_args, filters),
	 .set = ps_filter_set, .help = "Provide filter values (e.g. \"until=<timestamp>\")"},
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct prune_args, force),
	 .help = "Do not prompt for confirmation"},
	{0},
};
static const struct opt_table prune_table = {"Options", prune_opts};

static void prune_done(void *args)
{
	strv_free(&((struct prune_args *)args)->filters);
}

static int prune_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct prune_args *a = args;
	struct docker_fault f = DOCKER_FAULT_INIT;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_strv_ struct strv gone = STRV_INIT;

	(void)argc, (void)argv;
	if (!a->force && !docker_confirm("WARNING! This will remove all custom networks not used "
					 "by at least one container."))
		return 0;
	if (docker_network_prune(&d->cmd.paths, &a->filters, &gone, &f) < 0)
		return docker_daemon_error("%s", f.err.msg);
	for (size_t i = 0; i < gone.n; i++)
		strbuf_addf(&out, "%s%s\n", i ? "" : "Deleted Networks:\n", gone.items[i]);
	if (gone.n)
		strbuf_addch(&out, '\n');
	return cmd_print(&out);
}

const struct docker_verb docker_verb_network_prune = {
	.name = "network prune",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&prune_table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct prune_args),
	.done = prune_done,
	.run = prune_run,
};
