/* SPDX-License-Identifier: Apache-2.0 */
/* HostConfig of a request that makes a container. */
#include <stdlib.h>

#include "cmd/engine/call/call.h"
#include "cmd/engine/call/create.h"
#include "cmd/engine/call/endpoint.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"

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

/*
 * What csbx has not: refused by the words of the command line, since a mount without it may show
 * more than was asked for.
 */
static int add_refused_options(const struct json *volume, const struct json *tmpfs,
			       struct strbuf *out, struct creation *c)
{
	const struct json *driver, *options, *flags;
	const char *subpath = NULL, *name = NULL;
	int r;

	if ((r = creation_str(volume, "Subpath", &subpath, c)) < 0 ||
	    (r = call_get_object(volume, "DriverConfig", &driver, c->e)) < 0 ||
	    (r = creation_str(driver, "Name", &name, c)) < 0 ||
	    (r = call_get_object(driver, "Options", &options, c->e)) < 0 ||
	    (r = call_get_list(tmpfs, "Options", &flags, c->e)) < 0)
		return r;
	add_field(out, "volume-subpath", subpath);
	if (name && !str_eq(name, "local"))
		add_field(out, "volume-driver", name);
	if (json_first(options))
		add_field(out, "volume-opt", json_name(json_first(options)));
	if (json_first(flags))
		add_field(out, "tmpfs-options", "TmpfsOptions");
	return 0;
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
	    (r = creation_str(bind, "Propagation", &propagation, c)) < 0 ||
	    (r = call_get_bool(bind, "NonRecursive", &non_recursive, c->e)) < 0 ||
	    (r = call_get_bool(volume, "NoCopy", &no_copy, c->e)) < 0 ||
	    (r = creation_size(tmpfs, "SizeBytes", &bytes, c)) < 0 ||
	    (r = creation_size(tmpfs, "Mode", &mode, c)) < 0)
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
	return add_refused_options(volume, tmpfs, out, c);
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
		if ((r = creation_str(m, "Type", &type, c)) < 0 ||
		    (r = creation_str(m, "Source", &source, c)) < 0 ||
		    (r = creation_str(m, "Target", &target, c)) < 0 ||
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

/* A number, or a range of them; none means any port. */
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
	if ((r = creation_str(b, "HostIp", &ip, c)) < 0 ||
	    (r = creation_str(b, "HostPort", &host, c)) < 0 ||
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
		if ((r = creation_str(u, "Name", &name, c)) < 0 ||
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
		if ((r = creation_str(d, "PathOnHost", &outside, c)) < 0 ||
		    (r = creation_str(d, "PathInContainer", &inside, c)) < 0 ||
		    (r = creation_str(d, "CgroupPermissions", &rights, c)) < 0)
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

	if (r < 0 || (r = creation_str(policy, "Name", &name, c)) < 0 ||
	    (r = call_get_int(policy, "MaximumRetryCount", &most, c->e)) < 0)
		return r;
	if (name)
		c->a.restart = most ? creation_keep(c, str_printf("%s:%lld", name, (long long)most))
				    : name;
	return 0;
}

static int take_limits(struct creation *c)
{
	struct docker_run_args *a = &c->a;
	const struct json *h = c->host;
	uint64_t nano = 0;
	int64_t pids = 0;
	int r;

	if ((r = creation_size(h, "Memory", &a->memory_bytes, c)) < 0 ||
	    (r = creation_size(h, "MemoryReservation", &a->memory_reservation_bytes, c)) < 0 ||
	    (r = call_get_int(h, "MemorySwap", &a->memory_swap_bytes, c->e)) < 0 ||
	    (r = creation_size(h, "ShmSize", &a->shm_bytes, c)) < 0 ||
	    (r = creation_size(h, "CpuPeriod", &a->cpu_period, c)) < 0 ||
	    (r = creation_size(h, "CpuQuota", &a->cpu_quota, c)) < 0 ||
	    (r = creation_size(h, "NanoCpus", &nano, c)) < 0 ||
	    (r = call_get_int(h, "PidsLimit", &pids, c->e)) < 0)
		return r;
	if (nano)
		a->cpus = creation_keep(
			c, str_printf("%llu.%03llu", (unsigned long long)(nano / 1000000000u),
				      (unsigned long long)(nano / 1000000u % 1000u)));
	if (pids)
		a->pids = pids;
	r = take_ulimits(c);
	return r < 0 ? r : take_restart(c);
}

/* Settings that csbx does not act on: refused or warned about by the words of the command line. */
static int take_others(struct creation *c)
{
	static const struct {
		const char *key;
		enum docker_other other;
		char kind; /* s: string, n: number, l: list, o: object, b: true or false */
	} rows[] = {
		{"CpuShares", DOCKER_OTHER_cpu_shares, 'n'},
		{"CpusetCpus", DOCKER_OTHER_cpuset_cpus, 's'},
		{"CpusetMems", DOCKER_OTHER_cpuset_mems, 's'},
		{"CpuRealtimePeriod", DOCKER_OTHER_cpu_rt_period, 'n'},
		{"CpuRealtimeRuntime", DOCKER_OTHER_cpu_rt_runtime, 'n'},
		{"CgroupParent", DOCKER_OTHER_cgroup_parent, 's'},
		{"BlkioWeight", DOCKER_OTHER_blkio_weight, 'n'},
		{"BlkioWeightDevice", DOCKER_OTHER_blkio_device, 'l'},
		{"BlkioDeviceReadBps", DOCKER_OTHER_device_read_bps, 'l'},
		{"BlkioDeviceReadIOps", DOCKER_OTHER_device_read_iops, 'l'},
		{"BlkioDeviceWriteBps", DOCKER_OTHER_device_write_bps, 'l'},
		{"BlkioDeviceWriteIOps", DOCKER_OTHER_device_write_iops, 'l'},
		{"DeviceCgroupRules", DOCKER_OTHER_device_rule, 'l'},
		{"DeviceRequests", DOCKER_OTHER_gpus, 'l'},
		{"OomScoreAdj", DOCKER_OTHER_oom_score_adj, 'n'},
		{"OomKillDisable", DOCKER_OTHER_oom_kill_disable, 'b'},
		{"Privileged", DOCKER_OTHER_privileged, 'b'},
		{"PublishAllPorts", DOCKER_OTHER_publish_all, 'b'},
		{"StorageOpt", DOCKER_OTHER_storage_opt, 'o'},
		{"VolumeDriver", DOCKER_OTHER_volume_driver, 's'},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct json *list = NULL;
		const char *text = NULL;
		int64_t number = 0;
		bool truth = false;
		int r = rows[i].kind == 's'   ? creation_str(c->host, rows[i].key, &text, c)
			: rows[i].kind == 'n' ? call_get_int(c->host, rows[i].key, &number, c->e)
			: rows[i].kind == 'b' ? call_get_bool(c->host, rows[i].key, &truth, c->e)
			: rows[i].kind == 'o' ? call_get_object(c->host, rows[i].key, &list, c->e)
					      : call_get_list(c->host, rows[i].key, &list, c->e);

		if (r < 0)
			return r;
		if (number)
			text = creation_keep(c, str_printf("%lld", (long long)number));
		if (truth || json_first(list))
			text = rows[i].key;
		/* docker's own command line sends "local", the only driver. */
		if (text && !(rows[i].other == DOCKER_OTHER_volume_driver && str_eq(text, "local")))
			c->a.other[rows[i].other] = text;
	}
	return 0;
}

/* csbx's masks are of /proc and /sys; a client that wants more hidden is not to be left without. */
static int check_masks(struct creation *c)
{
	static const char *const keys[] = {"MaskedPaths", "ReadonlyPaths"};
	int r = 0;

	for (size_t k = 0; r >= 0 && k < sizeof(keys) / sizeof(keys[0]); k++) {
		_strv_ struct strv paths = STRV_INIT;

		r = call_get_strv(c->host, keys[k], &paths, c->e);
		for (size_t i = 0; r >= 0 && i < paths.n; i++) {
			const char *path = paths.items[i];

			if (!str_has_prefix(path, "/proc/") && !str_has_prefix(path, "/sys/"))
				r = err_set(
					c->e, EINVAL,
					"%s: %s is not available in csbx: the masks are its own, "
					"of /proc and /sys",
					keys[k], path);
		}
	}
	return r;
}

int creation_take_host(struct creation *c)
{
	struct docker_run_args *a = &c->a;
	const struct json *h = c->host, *log = NULL;
	int r;

	if (!h)
		return 0;
	if ((r = check_masks(c)) < 0 || (r = take_binds(c)) < 0 || (r = take_mounts(c)) < 0 ||
	    (r = take_ports(c)) < 0 || (r = creation_pairs(h, "Tmpfs", ":", &a->tmpfs, c)) < 0 ||
	    (r = creation_str(h, "NetworkMode", &a->network, c)) < 0 ||
	    (r = call_get_size(h, &a->tty_rows, &a->tty_columns, c->e)) < 0 ||
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
	    (r = creation_pairs(h, "Sysctls", "=", &a->sysctls, c)) < 0 ||
	    (r = creation_str(h, "PidMode", &a->pid, c)) < 0 ||
	    (r = creation_str(h, "IpcMode", &a->ipc, c)) < 0 ||
	    (r = creation_str(h, "UTSMode", &a->uts, c)) < 0 ||
	    (r = creation_str(h, "UsernsMode", &a->userns, c)) < 0 ||
	    (r = creation_str(h, "CgroupnsMode", &a->cgroupns, c)) < 0 ||
	    (r = creation_str(h, "Runtime", &a->runtime, c)) < 0 ||
	    (r = call_get_object(h, "LogConfig", &log, c->e)) < 0 ||
	    (r = creation_str(log, "Type", &a->log_driver, c)) < 0 || (r = take_devices(c)) < 0 ||
	    (r = take_limits(c)) < 0)
		return r;
	return take_others(c);
}
