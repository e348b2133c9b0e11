/* SPDX-License-Identifier: Apache-2.0 */

/*
 * POST /containers/create: from its body to the words of `docker create`, so that one set of rules
 * judges both. docker's own clients send every field there is: what is null, zero or empty was not
 * asked for.
 */

#include <stdlib.h>
#include <strings.h>

#include "cmd/docker/daemon/new.h"
#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/value.h"
#include "cmd/engine/call/call.h"
#include "cmd/engine/call/endpoint.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"

struct creation {
	struct docker_run_args a;
	const struct json *body, *host; /* host: HostConfig, NULL: none */
	struct strv words;              /* what was put together; the arguments point into it */
	struct err *e;
};

/* Keeps a text as long as the request. */
static const char *keep(struct creation *c, char *text)
{
	strv_take(&c->words, text);
	return c->words.n && c->words.items ? c->words.items[c->words.n - 1] : NULL;
}

static int str(const struct json *obj, const char *key, const char **ret, struct creation *c)
{
	const char *text = NULL;
	int r = call_get_str(obj, key, &text, c->e);

	if (r >= 0 && text && *text)
		*ret = text;
	return r;
}

/* A positive number; zero: not asked for. */
static int size(const struct json *obj, const char *key, uint64_t *ret, struct creation *c)
{
	int64_t n = 0;
	int r = call_get_int(obj, key, &n, c->e);

	if (r >= 0 && n < 0)
		return err_set(c->e, EINVAL, "invalid %s: %lld", key, (long long)n);
	if (n)
		*ret = (uint64_t)n;
	return r;
}

/* The names of a map's members, {"80/tcp":{}}. */
static int names(const struct json *obj, const char *key, struct strv *ret, struct creation *c)
{
	const struct json *m;
	int r = call_get_object(obj, key, &m, c->e);

	if (r < 0)
		return r;
	for (const struct json *i = json_first(m); i; i = json_next(i))
		strv_add(ret, json_name(i));
	return 0;
}

/* A map of strings, as words "name<sep>value". */
static int pairs(const struct json *obj, const char *key, const char *sep, struct strv *ret,
		 struct creation *c)
{
	const struct json *m;
	int r = call_get_object(obj, key, &m, c->e);

	if (r < 0)
		return r;
	for (const struct json *i = json_first(m); i; i = json_next(i)) {
		if (!json_text(i))
			return err_set(c->e, EBADMSG, "invalid JSON: %s: not a map of strings",
				       key);
		strv_take(ret, str_printf("%s%s%s", json_name(i),
					  *json_text(i) || *sep == '=' ? sep : "", json_text(i)));
	}
	return 0;
}

/* A list of strings, or one string. */
static int words(const char *key, struct strv *ret, struct creation *c)
{
	const struct json *m = NULL;
	int r = json_get_any_case(c->body, key, &m, c->e);

	if (r < 0 || !m)
		return r;
	if (!json_text(m))
		return call_get_strv(c->body, key, ret, c->e);
	strv_add(ret, json_text(m));
	return 0;
}

static int take_command(struct creation *c)
{
	_strv_ struct strv entrypoint = STRV_INIT;
	int r = words("Cmd", &c->a.command, c);

	if (r >= 0)
		r = words("Entrypoint", &entrypoint, c);
	if (r < 0 || !entrypoint.n)
		return r;
	c->a.entrypoint = keep(c, strdup(entrypoint.items[0]));
	for (size_t i = 1; i < entrypoint.n; i++)
		strv_add(&c->a.entrypoint_args, entrypoint.items[i]);
	return 0;
}

/* A name without a value would be the variable of this process. */
static int take_env(struct creation *c)
{
	_strv_ struct strv all = STRV_INIT;
	int r = call_get_strv(c->body, "Env", &all, c->e);

	for (size_t i = 0; r >= 0 && i < all.n; i++) {
		if (*all.items[i] == '=' || !*all.items[i])
			return err_set(c->e, EINVAL, "invalid environment variable: %s",
				       all.items[i]);
		if (strchr(all.items[i], '='))
			strv_add(&c->a.env, all.items[i]);
	}
	return r;
}

/* A number as a flag has it; 0 is the image's, or docker's own. */
static int take_number(const struct json *health, const char *key, const char *unit,
		       enum docker_other flag, struct creation *c)
{
	int64_t n = 0;
	int r = call_get_int(health, key, &n, c->e);

	if (r >= 0 && n)
		c->a.other[flag] = keep(c, str_printf("%lld%s", (long long)n, unit));
	return r;
}

static int take_health(struct creation *c)
{
	_strv_ struct strv test = STRV_INIT;
	const struct json *health;
	int r = call_get_object(c->body, "Healthcheck", &health, c->e);

	if (r >= 0 && health)
		r = call_get_strv(health, "Test", &test, c->e);
	if (r < 0 || !health)
		return r;
	if (test.n && str_eq(test.items[0], "NONE")) {
		c->a.no_healthcheck = true;
		return 0;
	}
	if (test.n && *test.items[0] && !str_eq(test.items[0], "CMD") &&
	    !str_eq(test.items[0], "CMD-SHELL"))
		return err_set(c->e, EINVAL, "Unknown healthcheck type '%s' (expected 'CMD')",
			       test.items[0]);
	for (size_t i = 0; i < test.n && *test.items[0]; i++)
		strv_add(&c->a.health_test, test.items[i]);
	if ((r = take_number(health, "Interval", "ns", DOCKER_OTHER_health_interval, c)) < 0 ||
	    (r = take_number(health, "Timeout", "ns", DOCKER_OTHER_health_timeout, c)) < 0 ||
	    (r = take_number(health, "StartPeriod", "ns", DOCKER_OTHER_health_start, c)) < 0 ||
	    (r = take_number(health, "StartInterval", "ns", DOCKER_OTHER_health_start_interval,
			     c)) < 0 ||
	    (r = take_number(health, "Retries", "", DOCKER_OTHER_health_retries, c)) < 0)
		return r;
	return strv_check(&c->a.health_test, c->e);
}

/* What the client will attach to: it is shown again, and attaching is a request of its own. */
static int take_attached(struct creation *c)
{
	static const struct {
		const char *key, *stream;
	} rows[] = {
		{"AttachStdin", "stdin"}, {"AttachStdout", "stdout"}, {"AttachStderr", "stderr"}};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool wanted = false;

		r = call_get_bool(c->body, rows[i].key, &wanted, c->e);
		if (wanted)
			strv_add(&c->a.attach, rows[i].stream);
	}
	return r;
}

static int take_config(struct creation *c)
{
	struct docker_run_args *a = &c->a;
	bool no_network = false;
	const struct json *b = c->body;
	int r = str(b, "Image", &a->image, c);

	if (r >= 0 && !a->image)
		return err_set(c->e, EINVAL, "no image is named: Image is empty");
	if (r < 0 || (r = take_command(c)) < 0 || (r = take_env(c)) < 0 ||
	    (r = str(b, "User", &a->user, c)) < 0 ||
	    (r = str(b, "WorkingDir", &a->workdir, c)) < 0 ||
	    (r = str(b, "Hostname", &a->hostname, c)) < 0 ||
	    (r = str(b, "Domainname", &a->other[DOCKER_OTHER_domainname], c)) < 0 ||
	    (r = str(b, "MacAddress", &a->other[DOCKER_OTHER_mac_address], c)) < 0 ||
	    (r = call_get_bool(b, "Tty", &a->tty, c->e)) < 0 ||
	    (r = call_get_bool(b, "OpenStdin", &a->interactive, c->e)) < 0 ||
	    (r = call_get_bool(b, "NetworkDisabled", &no_network, c->e)) < 0 ||
	    (r = pairs(b, "Labels", "=", &a->labels, c)) < 0 ||
	    (r = names(b, "ExposedPorts", &a->expose, c)) < 0 ||
	    (r = names(b, "Volumes", &a->volumes, c)) < 0 ||
	    (r = str(b, "StopSignal", &a->stop_signal, c)) < 0 ||
	    (r = call_get_int(b, "StopTimeout", &a->stop_timeout_s, c->e)) < 0)
		return r;
	if (no_network)
		a->network = "none";
	r = take_attached(c);
	return r < 0 ? r : take_health(c);
}

/* --- HostConfig ----------------------------------------------------------------------------- */

/* A path on the host is whole: this process has a directory of its own. */
static int take_binds(struct creation *c)
{
	size_t before = c->a.volumes.n;
	int r = call_get_strv(c->host, "Binds", &c->a.volumes, c->e);

	for (size_t i = before; r >= 0 && i < c->a.volumes.n; i++) {
		const char *word = c->a.volumes.items[i];

		if (*word == '.')
			return err_set(
				c->e, EINVAL,
				"invalid volume specification: '%s': the path on the host must "
				"be absolute",
				word);
	}
	return r;
}

/* One field of a --mount: quoted, as a path may hold a comma. */
static void add_field(struct strbuf *out, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	strbuf_addf(out, "%s\"%s=", out->len ? "," : "", key);
	for (; *value; value++) {
		if (*value == '"')
			strbuf_addch(out, '"');
		strbuf_addch(out, *value);
	}
	strbuf_addch(out, '"');
}

static int add_mount_options(const struct json *m, struct strbuf *out, struct creation *c)
{
	const struct json *bind, *volume, *tmpfs;
	const char *propagation = NULL;
	bool no_copy = false, non_recursive = false;
	uint64_t bytes = 0, mode = 0;
	_free_ char *text = NULL, *octal = NULL;
	int r;

	if ((r = call_get_object(m, "BindOptions", &bind, c->e)) < 0 ||
	    (r = call_get_object(m, "VolumeOptions", &volume, c->e)) < 0 ||
	    (r = call_get_object(m, "TmpfsOptions", &tmpfs, c->e)) < 0 ||
	    (r = str(bind, "Propagation", &propagation, c)) < 0 ||
	    (r = call_get_bool(bind, "NonRecursive", &non_recursive, c->e)) < 0 ||
	    (r = call_get_bool(volume, "NoCopy", &no_copy, c->e)) < 0 ||
	    (r = size(tmpfs, "SizeBytes", &bytes, c)) < 0 ||
	    (r = size(tmpfs, "Mode", &mode, c)) < 0)
		return r;
	add_field(out, "bind-propagation", propagation);
	if (non_recursive)
		add_field(out, "bind-recursive", "disabled");
	if (no_copy)
		add_field(out, "volume-nocopy", "true");
	text = bytes ? str_printf("%llu", (unsigned long long)bytes) : NULL;
	octal = mode ? str_printf("%llo", (unsigned long long)mode) : NULL;
	add_field(out, "tmpfs-size", text);
	add_field(out, "tmpfs-mode", octal);
	return 0;
}

static int take_mounts(struct creation *c)
{
	const struct json *list;
	int r = call_get_list(c->host, "Mounts", &list, c->e);

	for (const struct json *m = json_first(r < 0 ? NULL : list); m; m = json_next(m)) {
		const char *type = "volume", *source = NULL, *target = NULL;
		_strbuf_ struct strbuf out = STRBUF_INIT;
		bool readonly = false;

		if (!json_is_object(m))
			return err_set(c->e, EBADMSG,
				       "invalid JSON: Mounts: not a list of objects");
		if ((r = str(m, "Type", &type, c)) < 0 || (r = str(m, "Source", &source, c)) < 0 ||
		    (r = str(m, "Target", &target, c)) < 0 ||
		    (r = call_get_bool(m, "ReadOnly", &readonly, c->e)) < 0)
			return r;
		add_field(&out, "type", type);
		add_field(&out, "source", source);
		add_field(&out, "target", target);
		if (readonly)
			add_field(&out, "readonly", "true");
		r = add_mount_options(m, &out, c);
		if (r < 0)
			return r;
		strv_add(&c->a.mounts, strbuf_str(&out));
	}
	return r;
}

/* A number, or a range of them; what is not given is any. */
static int check_port(const char *text, struct creation *c)
{
	const char *at = text;

	for (;;) {
		size_t n = strspn(at, "0123456789");

		if (n && n <= 5 && strtoul(at, NULL, 10) <= UINT16_MAX && !at[n])
			return 0;
		if (!n || n > 5 || at[n] != '-' || at != text)
			return err_set(c->e, EINVAL, "invalid port specification: \"%s\"", text);
		at += n + 1;
	}
}

static int add_binding(const char *port, const struct json *b, struct creation *c)
{
	const char *ip = "", *host = "";
	int r;

	if (!json_is_object(b))
		return err_set(c->e, EBADMSG, "invalid JSON: PortBindings: not lists of objects");
	_free_ char *number = strndup(port, strcspn(port, "/"));

	if (!number)
		return err_oom(c->e);
	if ((r = str(b, "HostIp", &ip, c)) < 0 || (r = str(b, "HostPort", &host, c)) < 0 ||
	    (*host && (r = check_port(host, c)) < 0) || (r = check_port(number, c)) < 0)
		return r;
	if (*ip)
		strv_take(&c->a.publish, str_printf("%s:%s:%s", ip, host, port));
	else if (*host)
		strv_take(&c->a.publish, str_printf("%s:%s", host, port));
	else
		strv_add(&c->a.publish, port);
	return 0;
}

static int take_ports(struct creation *c)
{
	const struct json *map;
	int r = call_get_object(c->host, "PortBindings", &map, c->e);

	for (const struct json *p = json_first(r < 0 ? NULL : map); p; p = json_next(p)) {
		if (!json_is_null(p) && !json_is_array(p))
			return err_set(c->e, EBADMSG, "invalid JSON: PortBindings: not lists");
		for (const struct json *b = json_first(p); b && r >= 0; b = json_next(b))
			r = add_binding(json_name(p), b, c);
		if (r < 0)
			return r;
	}
	return r;
}

static int take_ulimits(struct creation *c)
{
	const struct json *list;
	int r = call_get_list(c->host, "Ulimits", &list, c->e);

	for (const struct json *u = json_first(r < 0 ? NULL : list); u; u = json_next(u)) {
		const char *name = "";
		int64_t soft = 0, hard = 0;

		if (!json_is_object(u))
			return err_set(c->e, EBADMSG,
				       "invalid JSON: Ulimits: not a list of objects");
		if ((r = str(u, "Name", &name, c)) < 0 ||
		    (r = call_get_int(u, "Soft", &soft, c->e)) < 0 ||
		    (r = call_get_int(u, "Hard", &hard, c->e)) < 0)
			return r;
		strv_take(&c->a.ulimits,
			  str_printf("%s=%lld:%lld", name, (long long)soft, (long long)hard));
	}
	return r;
}

static int take_devices(struct creation *c)
{
	const struct json *list;
	int r = call_get_list(c->host, "Devices", &list, c->e);

	for (const struct json *d = json_first(r < 0 ? NULL : list); d; d = json_next(d)) {
		const char *outside = "", *inside = "", *rights = "rwm";

		if (!json_is_object(d))
			return err_set(c->e, EBADMSG,
				       "invalid JSON: Devices: not a list of objects");
		if ((r = str(d, "PathOnHost", &outside, c)) < 0 ||
		    (r = str(d, "PathInContainer", &inside, c)) < 0 ||
		    (r = str(d, "CgroupPermissions", &rights, c)) < 0)
			return r;
		strv_take(&c->a.devices, str_printf("%s:%s:%s", outside, inside, rights));
	}
	return r;
}

static int take_restart(struct creation *c)
{
	const struct json *policy;
	const char *name = NULL;
	int64_t most = 0;
	int r = call_get_object(c->host, "RestartPolicy", &policy, c->e);

	if (r < 0 || (r = str(policy, "Name", &name, c)) < 0 ||
	    (r = call_get_int(policy, "MaximumRetryCount", &most, c->e)) < 0)
		return r;
	if (name)
		c->a.restart = most ? keep(c, str_printf("%s:%lld", name, (long long)most)) : name;
	return 0;
}

static int take_limits(struct creation *c)
{
	struct docker_run_args *a = &c->a;
	const struct json *h = c->host;
	uint64_t nano = 0;
	int64_t pids = 0;
	int r;

	if ((r = size(h, "Memory", &a->memory_bytes, c)) < 0 ||
	    (r = size(h, "MemoryReservation", &a->memory_reservation_bytes, c)) < 0 ||
	    (r = call_get_int(h, "MemorySwap", &a->memory_swap_bytes, c->e)) < 0 ||
	    (r = size(h, "ShmSize", &a->shm_bytes, c)) < 0 ||
	    (r = size(h, "CpuPeriod", &a->cpu_period, c)) < 0 ||
	    (r = size(h, "CpuQuota", &a->cpu_quota, c)) < 0 ||
	    (r = size(h, "NanoCpus", &nano, c)) < 0 ||
	    (r = call_get_int(h, "PidsLimit", &pids, c->e)) < 0)
		return r;
	if (nano)
		a->cpus =
			keep(c, str_printf("%llu.%03llu", (unsigned long long)(nano / 1000000000u),
					   (unsigned long long)(nano / 1000000u % 1000u)));
	if (pids)
		a->pids = pids;
	r = take_ulimits(c);
	return r < 0 ? r : take_restart(c);
}

/* What csbx does not act on: refused or warned about by the words of the command line. */
static int take_others(struct creation *c)
{
	static const struct {
		const char *key;
		enum docker_other other;
		char kind; /* s: string, n: number, l: a list, b: true or false */
	} rows[] = {
		{"CpuShares", DOCKER_OTHER_cpu_shares, 'n'},
		{"CpusetCpus", DOCKER_OTHER_cpuset_cpus, 's'},
		{"CpusetMems", DOCKER_OTHER_cpuset_mems, 's'},
		{"CpuRealtimePeriod", DOCKER_OTHER_cpu_rt_period, 'n'},
		{"CpuRealtimeRuntime", DOCKER_OTHER_cpu_rt_runtime, 'n'},
		{"CgroupParent", DOCKER_OTHER_cgroup_parent, 's'},
		{"BlkioWeight", DOCKER_OTHER_blkio_weight, 'n'},
		{"BlkioDeviceReadBps", DOCKER_OTHER_device_read_bps, 'l'},
		{"BlkioDeviceWriteBps", DOCKER_OTHER_device_write_bps, 'l'},
		{"DeviceCgroupRules", DOCKER_OTHER_device_rule, 'l'},
		{"DeviceRequests", DOCKER_OTHER_gpus, 'l'},
		{"OomScoreAdj", DOCKER_OTHER_oom_score_adj, 'n'},
		{"OomKillDisable", DOCKER_OTHER_oom_kill_disable, 'b'},
		{"Privileged", DOCKER_OTHER_privileged, 'b'},
		{"VolumeDriver", DOCKER_OTHER_volume_driver, 's'},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct json *list = NULL;
		const char *text = NULL;
		int64_t number = 0;
		bool truth = false;
		int r = rows[i].kind == 's'   ? str(c->host, rows[i].key, &text, c)
			: rows[i].kind == 'n' ? call_get_int(c->host, rows[i].key, &number, c->e)
			: rows[i].kind == 'b' ? call_get_bool(c->host, rows[i].key, &truth, c->e)
					      : call_get_list(c->host, rows[i].key, &list, c->e);

		if (r < 0)
			return r;
		if (number)
			text = keep(c, str_printf("%lld", (long long)number));
		if (truth || json_first(list))
			text = rows[i].key;
		/* Of docker's own command line: "local" is the driver there is. */
		if (text && !(rows[i].other == DOCKER_OTHER_volume_driver && str_eq(text, "local")))
			c->a.other[rows[i].other] = text;
	}
	return 0;
}

static int take_host(struct creation *c)
{
	struct docker_run_args *a = &c->a;
	const struct json *h = c->host, *log = NULL;
	int r;

	if (!h)
		return 0;
	if ((r = take_binds(c)) < 0 || (r = take_mounts(c)) < 0 || (r = take_ports(c)) < 0 ||
	    (r = pairs(h, "Tmpfs", ":", &a->tmpfs, c)) < 0 ||
	    (r = str(h, "NetworkMode", &a->network, c)) < 0 ||
	    (r = call_get_bool(h, "AutoRemove", &a->rm, c->e)) < 0 ||
	    (r = call_get_bool(h, "ReadonlyRootfs", &a->read_only, c->e)) < 0 ||
	    (r = call_get_bool(h, "Init", &a->init, c->e)) < 0 ||
	    (r = call_get_strv(h, "CapAdd", &a->cap_add, c->e)) < 0 ||
	    (r = call_get_strv(h, "CapDrop", &a->cap_drop, c->e)) < 0 ||
	    (r = call_get_strv(h, "SecurityOpt", &a->security, c->e)) < 0 ||
	    (r = call_get_strv(h, "ExtraHosts", &a->add_hosts, c->e)) < 0 ||
	    (r = call_get_strv(h, "Links", &a->links, c->e)) < 0 ||
	    (r = call_get_strv(h, "VolumesFrom", &a->volumes_from, c->e)) < 0 ||
	    (r = call_get_strv(h, "Dns", &a->dns, c->e)) < 0 ||
	    (r = call_get_strv(h, "DnsSearch", &a->dns_search, c->e)) < 0 ||
	    (r = call_get_strv(h, "DnsOptions", &a->dns_options, c->e)) < 0 ||
	    (r = call_get_strv(h, "GroupAdd", &a->groups, c->e)) < 0 ||
	    (r = pairs(h, "Sysctls", "=", &a->sysctls, c)) < 0 ||
	    (r = str(h, "PidMode", &a->pid, c)) < 0 || (r = str(h, "IpcMode", &a->ipc, c)) < 0 ||
	    (r = str(h, "UTSMode", &a->uts, c)) < 0 ||
	    (r = str(h, "UsernsMode", &a->userns, c)) < 0 ||
	    (r = str(h, "CgroupnsMode", &a->cgroupns, c)) < 0 ||
	    (r = str(h, "Runtime", &a->runtime, c)) < 0 ||
	    (r = call_get_object(h, "LogConfig", &log, c->e)) < 0 ||
	    (r = str(log, "Type", &a->log_driver, c)) < 0 || (r = take_devices(c)) < 0 ||
	    (r = take_limits(c)) < 0)
		return r;
	return take_others(c);
}

static void reply_made(struct call *k, const struct docker_new *made)
{
	struct value *v = value_new(VALUE_STRUCT);

	value_str(v, "Id", made->id);
	value_strv(v, "Warnings", &made->warnings, VALUE_LIST);
	call_reply_value(k, 201, v);
}

static void make(struct call *k, struct creation *c)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_new made = {0};
	int r;

	c->e = &f.err;
	r = call_get_object(c->body, "HostConfig", &c->host, c->e);
	if (r >= 0)
		r = take_config(c);
	if (r >= 0)
		r = take_host(c);
	if (r >= 0)
		r = call_get_networks(c->body, &c->a.endpoints, c->e);
	if (r >= 0)
		r = strv_check(&c->words, c->e);
	if (r >= 0)
		r = docker_new(k->cmd, &c->a, &made, &f);
	if (r < 0)
		call_reply_fault(k, &f);
	else
		reply_made(k, &made);
	docker_new_free(&made);
}

void call_container_create(struct call *k)
{
	_free_ char *name = NULL, *platform = NULL;
	_json_ struct json *body = NULL;
	struct creation c = {0};

	if (call_query(k, "name", &name) < 0 || call_query(k, "platform", &platform) < 0 ||
	    call_read_json(k, &body) < 0)
		return;
	docker_run_args_init(&c.a);
	c.body = body;
	c.a.name = name && *name ? name : NULL;
	c.a.platform = platform && *platform ? platform : NULL;
	make(k, &c);
	docker_run_args_done(&c.a);
	strv_free(&c.words);
}
