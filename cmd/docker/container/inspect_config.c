/* SPDX-License-Identifier: Apache-2.0 */

/* The parts Config, Mounts and NetworkSettings of a container. */

#include <stdlib.h>
#include <string.h>

#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/frame/notes.h"
#include "cmd/docker/frame/published.h"
#include "cmd/docker/container/inspect_container.h"
#include "cmd/docker/show/health.h"
#include "cmd/docker/show/value.h"
#include "cmd/options/signal_name.h"
#include "runtime/base/fd.h"

static void add_map(struct docker_value *parent, const char *key, const struct strv *assignments)
{
	struct docker_value *map = docker_value_add(parent, key, DOCKER_VALUE_MAP);

	for (size_t i = 0; i < assignments->n; i++) {
		const char *item = assignments->items[i];
		size_t len = strcspn(item, "=");
		_free_ char *name = strndup(item, len);

		if (name)
			docker_value_str(map, name, item[len] ? item + len + 1 : "");
	}
}

/* A Go set: names with empty structs. */
static void add_name(struct docker_value *set, const char *name)
{
	if (set && !docker_value_find(set, name))
		docker_value_add(set, name, DOCKER_VALUE_STRUCT);
}

/* --expose, and what --publish exposes as well; a range is a port each. */
static void add_asked_port(struct strv *out, const char *text)
{
	size_t len = strcspn(text, "/");
	const char *protocol = text[len] ? text + len + 1 : "tcp";
	unsigned long first, last;
	char *end;

	first = last = strtoul(text, &end, 10);
	if (*end == '-')
		last = strtoul(end + 1, NULL, 10);
	for (; first <= last && last <= UINT16_MAX; first++)
		strv_take(out, str_printf("%lu/%s", first, protocol));
}

static void add_exposed(struct docker_value *config, const struct inspected *x)
{
	_strv_ struct strv asked = STRV_INIT;
	const char *note;
	struct docker_value *set;

	for (size_t i = 0; (note = notes_get(&x->record->notes, "expose", i)); i++)
		add_asked_port(&asked, note);
	for (size_t i = 0; (note = notes_get(&x->record->notes, "publish", i)); i++) {
		struct published p = published_split(note);

		add_asked_port(&asked, p.port);
	}
	set = docker_value_add(config, "ExposedPorts",
			       x->meta.ports.n || asked.n ? DOCKER_VALUE_MAP : DOCKER_VALUE_NOMAP);
	if (!set)
		return;
	if (!x->meta.ports.n && !asked.n) {
		set->flags = DOCKER_VALUE_GO_ONLY;
		return;
	}
	for (size_t i = 0; i < x->meta.ports.n; i++)
		add_name(set, x->meta.ports.items[i]);
	for (size_t i = 0; i < asked.n; i++)
		add_name(set, asked.items[i]);
}

/* The number of words of the command that are the image's entrypoint, or that of --entrypoint. */
static size_t entrypoint_words(const struct inspected *x)
{
	const char *asked = notes_get(&x->record->notes, "entrypoint", 0);
	const struct strv *argv = &x->spec.proc.argv;
	size_t n = x->meta.entrypoint.n;

	if (asked && !*asked)
		return 0;
	if (asked) {
		for (n = 1; notes_get(&x->record->notes, "entrypoint", n);)
			n++;
		return n < argv->n ? n : argv->n;
	}
	if (!n || argv->n < n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(argv->items[i], x->meta.entrypoint.items[i]))
			return 0;
	}
	return n;
}

static void add_words(struct docker_value *config, const char *key, const struct strv *argv,
		      size_t from, size_t to)
{
	struct docker_value *list =
		docker_value_add(config, key, from < to ? DOCKER_VALUE_LIST : DOCKER_VALUE_NOLIST);

	for (size_t i = from; i < to && i < argv->n; i++)
		docker_value_str(list, NULL, argv->items[i]);
}

static void add_stop(struct docker_value *config, const struct inspected *x)
{
	const struct process_spec *p = &x->spec.proc;
	const char *name = p->stop_signal ? signal_name(p->stop_signal) : x->meta.stop_signal;

	if (name && !strncmp(name, "SIG", 3))
		docker_value_str(config, "StopSignal", name);
	else if (name)
		docker_value_strf(config, "StopSignal", "SIG%s", name);
	if (p->stop_timeout_is_set)
		docker_value_int(config, "StopTimeout", (int64_t)(p->stop_timeout_ms / 1000));
}

/*
 * A variable that csbx sets itself is no part of the configuration, unless the user asked for it.
 */
static bool is_own_variable(const struct inspected *x, const char *item)
{
	const char *note;

	if (!str_has_prefix(item, "HOME=") && !str_has_prefix(item, "HOSTNAME=") &&
	    !str_has_prefix(item, "TERM="))
		return false;
	for (size_t i = 0; i < x->meta.env.n; i++) {
		if (str_eq(x->meta.env.items[i], item))
			return false;
	}
	for (size_t i = 0; (note = notes_get(&x->record->notes, "env", i)); i++) {
		if (str_eq(note, item))
			return false;
	}
	return true;
}

static void add_env(struct docker_value *config, const struct inspected *x)
{
	const struct strv *env = x->spec.proc.env.n ? &x->spec.proc.env : &x->meta.env;
	struct docker_value *list = docker_value_add(config, "Env", DOCKER_VALUE_LIST);

	for (size_t i = 0; i < env->n; i++) {
		if (x->record->dialect != DIALECT_DOCKER || !is_own_variable(x, env->items[i]))
			docker_value_str(list, NULL, env->items[i]);
	}
}

static bool is_attached(const struct strv *notes, const char *stream)
{
	const char *note;

	for (size_t i = 0; (note = notes_get(notes, "attach", i)); i++) {
		if (str_eq(note, stream))
			return true;
	}
	return false;
}

void inspect_add_config(struct docker_value *root, const struct inspected *x)
{
	struct docker_value *config = docker_value_add(root, "Config", DOCKER_VALUE_STRUCT),
			    *volumes;
	const struct strv *notes = &x->record->notes;
	const struct process_spec *p = &x->spec.proc;
	const char *user = notes_get(notes, "user", 0), *image = x->record->image_ref;
	const char *workdir = notes_get(notes, "workdir", 0);
	const struct strv *argv = p->argv.n ? &p->argv : &x->meta.cmd;
	size_t entry = entrypoint_words(x);

	if (config)
		config->type = "container.Config";
	docker_value_strn(config, "Hostname",
			  x->spec.ns.hostname ? x->spec.ns.hostname : x->view->id,
			  x->spec.ns.hostname ? strlen(x->spec.ns.hostname) : NAME_ID_DIGITS);
	docker_value_str(config, "Domainname", "");
	docker_value_str(config, "User", user ? user : x->meta.user);
	docker_value_bool(config, "AttachStdin", is_attached(notes, "stdin"));
	docker_value_bool(config, "AttachStdout", is_attached(notes, "stdout"));
	docker_value_bool(config, "AttachStderr", is_attached(notes, "stderr"));
	add_exposed(config, x);
	docker_value_bool(config, "Tty", p->tty == TTY_YES);
	docker_value_bool(config, "OpenStdin", x->record->open_stdin);
	docker_value_bool(config, "StdinOnce", false);
	add_env(config, x);
	add_words(config, "Cmd", argv, entry, argv->n);
	health_add_config(config, notes);
	docker_value_str(config, "Image", image ? image : x->record->image);
	volumes = docker_value_add(config, "Volumes",
				   x->meta.volumes.n ? DOCKER_VALUE_MAP : DOCKER_VALUE_NOMAP);
	for (size_t i = 0; i < x->meta.volumes.n; i++)
		add_name(volumes, x->meta.volumes.items[i]);
	docker_value_str(config, "WorkingDir", workdir ? workdir : x->meta.workdir);
	add_words(config, "Entrypoint", argv, 0, entry);
	docker_value_add(config, "OnBuild", DOCKER_VALUE_NOLIST);
	add_map(config, "Labels", &x->record->labels);
	add_stop(config, x);
}

/*
 * --- mounts --------------------------------------------------------------------------------------
 */

/* A field that JSON leaves out while it is empty. */
static void add_optional(struct docker_value *parent, const char *key, const char *text)
{
	struct docker_value *v = docker_value_str(parent, key, text);

	if (v && !*v->text)
		v->flags = DOCKER_VALUE_GO_ONLY;
}

static void add_mount(struct docker_value *list, const struct mount_spec *m)
{
	struct docker_value *v = docker_value_add(list, NULL, DOCKER_VALUE_STRUCT);

	if (v)
		v->type = "types.MountPoint";
	docker_value_str(v, "Type",
			 m->kind == MOUNT_TMPFS ? "tmpfs"
			 : m->volume            ? "volume"
						: "bind");
	add_optional(v, "Name", m->volume);
	docker_value_str(v, "Source", m->kind == MOUNT_TMPFS ? "" : m->source);
	docker_value_str(v, "Destination", m->target);
	add_optional(v, "Driver", m->volume ? "local" : "");
	docker_value_str(v, "Mode", m->volume ? "z" : m->readonly ? "ro" : "");
	docker_value_bool(v, "RW", !m->readonly);
	docker_value_str(v, "Propagation", m->kind == MOUNT_BIND && !m->volume ? "rprivate" : "");
}

static bool is_asked(const struct mount_spec *m)
{
	return m->kind == MOUNT_BIND || m->kind == MOUNT_COPY;
}

void inspect_add_mounts(struct docker_value *root, const struct inspected *x)
{
	struct docker_value *list = docker_value_add(root, "Mounts", DOCKER_VALUE_LIST);

	for (size_t i = 0; i < x->spec.n_mounts; i++) {
		if (is_asked(&x->spec.mounts[i]))
			add_mount(list, &x->spec.mounts[i]);
	}
}

/*
 * --- network -------------------------------------------------------------------------------------
 */

const char *inspect_network(const struct inspected *x)
{
	return x->spec.ns.net == NET_HOST ? "host" : "none";
}

/* A container in the host's network is reached where it listens: host and inner port are one. */
void inspect_add_ports(struct docker_value *parent, const char *key, bool asked,
		       const struct inspected *x)
{
	struct docker_value *map = docker_value_add(parent, key, DOCKER_VALUE_MAP);
	const char *note;

	for (size_t i = 0; map && (note = notes_get(&x->record->notes, "publish", i)); i++) {
		struct published q = published_split(note);
		struct docker_value *list, *one;

		list = (struct docker_value *)(uintptr_t)docker_value_find(map, q.port);
		if (!list)
			list = docker_value_add(map, q.port, DOCKER_VALUE_LIST);
		one = docker_value_add(list, NULL, DOCKER_VALUE_STRUCT);
		docker_value_in_go(
			docker_value_str(one, "HostIp", *q.ip || asked ? q.ip : "0.0.0.0"),
			"HostIP");
		docker_value_strn(one, "HostPort", *q.host || asked ? q.host : q.port,
				  *q.host || asked ? strlen(q.host) : strcspn(q.port, "/"));
	}
}

static void add_endpoint(struct docker_value *networks, const char *name)
{
	static const char *const texts[] = {"MacAddress", "NetworkID", "EndpointID", "Gateway",
					    "IPAddress"};
	struct docker_value *v = docker_value_add(networks, name, DOCKER_VALUE_STRUCT);

	docker_value_add(v, "IPAMConfig", DOCKER_VALUE_NIL);
	docker_value_add(v, "Links", DOCKER_VALUE_NOLIST);
	docker_value_add(v, "Aliases", DOCKER_VALUE_NOLIST);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		docker_value_str(v, texts[i], "");
	docker_value_int(v, "IPPrefixLen", 0);
	docker_value_str(v, "IPv6Gateway", "");
	docker_value_str(v, "GlobalIPv6Address", "");
	docker_value_int(v, "GlobalIPv6PrefixLen", 0);
	docker_value_add(v, "DriverOpts", DOCKER_VALUE_NOMAP);
	docker_value_add(v, "DNSNames", DOCKER_VALUE_NOLIST);
}

void inspect_add_network(struct docker_value *root, const struct inspected *x)
{
	bool runs = x->view->state.pid != 0;
	struct docker_value *v = docker_value_add(root, "NetworkSettings", DOCKER_VALUE_STRUCT);
	const char *mode;

	if (v)
		v->type = "types.NetworkSettings";
	docker_value_str(v, "Bridge", "");
	docker_value_str(v, "SandboxID", "");
	if (runs)
		docker_value_strf(v, "SandboxKey", "/proc/%d/ns/net", (int)x->view->state.pid);
	else
		docker_value_str(v, "SandboxKey", "");
	if (runs)
		inspect_add_ports(v, "Ports", false, x);
	else
		docker_value_add(v, "Ports", DOCKER_VALUE_MAP);
	docker_value_bool(v, "HairpinMode", false);
	docker_value_str(v, "LinkLocalIPv6Address", "");
	docker_value_int(v, "LinkLocalIPv6PrefixLen", 0);
	docker_value_add(v, "SecondaryIPAddresses", DOCKER_VALUE_NOLIST);
	docker_value_add(v, "SecondaryIPv6Addresses", DOCKER_VALUE_NOLIST);
	docker_value_str(v, "EndpointID", "");
	docker_value_str(v, "Gateway", "");
	docker_value_str(v, "GlobalIPv6Address", "");
	docker_value_int(v, "GlobalIPv6PrefixLen", 0);
	docker_value_str(v, "IPAddress", "");
	docker_value_int(v, "IPPrefixLen", 0);
	docker_value_str(v, "IPv6Gateway", "");
	docker_value_str(v, "MacAddress", "");
	v = docker_value_add(v, "Networks", DOCKER_VALUE_MAP);
	mode = notes_get(&x->record->notes, "network", 0);
	if (mode && str_has_prefix(mode, "container:"))
		return;
	if (!v || !docker_endpoints_value(x->paths, x->view->name, runs, v))
		add_endpoint(v, inspect_network(x));
}
