/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/container/inspect_container.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

static void add_bindings(struct strbuf *out, const struct docker_value *port, bool with_name)
{
	for (const struct docker_value *b = port->first; b; b = b->next) {
		if (with_name)
			strbuf_addf(out, "%s -> ", port->key);
		strbuf_addf(out, "%s:%s\n", docker_value_find(b, "HostIp")->text,
			    docker_value_find(b, "HostPort")->text);
	}
}

static int one_port(const struct docker_value *ports, const char *operand, const char *container,
		    struct strbuf *out)
{
	size_t len = strcspn(operand, "/");
	_free_ char *number = strndup(operand, len);
	_free_ char *name = str_printf("%s%s", operand, operand[len] ? "" : "/tcp");
	const struct docker_value *port;
	uint64_t n;

	if (!number || !name)
		return docker_say(DOCKER_EXIT_FAILED, "out of memory");
	if (num_parse_u64(number, 65535, &n) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "Error: invalid port (%s)", number);
	port = docker_value_find(ports, name);
	if (!port)
		return docker_say(DOCKER_EXIT_FAILED, "Error: No public port '%s' published for %s",
				  name, container);
	add_bindings(out, port, false);
	return 0;
}

static int port_run(struct docker *d, void *args, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_docker_value_ struct docker_value *v = NULL;
	const struct docker_value *ports;
	struct err e = ERR_INIT;
	int code = 0;

	(void)args;
	if (inspect_container(&d->cmd.paths, argv[0], false, &v, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	ports = docker_value_find(docker_value_find(v, "NetworkSettings"), "Ports");
	if (argc > 1)
		code = one_port(ports, argv[1], argv[0], &out);
	for (const struct docker_value *p = ports->first; p && argc < 2; p = p->next)
		add_bindings(&out, p, true);
	return code ? code : cmd_print(&out);
}

const struct docker_verb docker_verb_port = {
	.name = "port",
	.usage = "CONTAINER [PRIVATE_PORT[/PROTO]]",
	.min_operands = 1,
	.max_operands = 2,
	.run = port_run,
};
