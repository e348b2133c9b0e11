/* SPDX-License-Identifier: Apache-2.0 */

/* The part HostConfig of a container, in the Engine API's order. */

#include <stdlib.h>
#include <string.h>

#include "cmd/docker/frame/notes.h"
#include "cmd/docker/container/inspect_container.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/fd.h"
#include "runtime/spec/rlimit.h"

static void add_notes(struct value *host, const char *json, const char *note,
		      const struct inspected *x, enum value_kind empty)
{
	_strv_ struct strv all = STRV_INIT;

	notes_get_all(&x->record->notes, note, &all);
	value_strv(host, json, &all, empty);
}

static const char *note_or(const struct inspected *x, const char *note, const char *otherwise)
{
	const char *found = notes_get(&x->record->notes, note, 0);

	return found ? found : otherwise;
}

static void add_zeros(struct value *host, const char *const *names)
{
	for (; *names; names++)
		value_int(host, *names, 0);
}

/* "on-failure:3" */
static void add_restart(struct value *host, const struct inspected *x)
{
	struct value *v = value_add(host, "RestartPolicy", VALUE_STRUCT);
	const char *policy = note_or(x, "restart", "no");
	size_t len = strcspn(policy, ":");

	value_strn(v, "Name", policy, len);
	value_int(v, "MaximumRetryCount", policy[len] ? atoi(policy + len + 1) : 0);
}

static void add_log(struct value *host, const struct inspected *x)
{
	struct value *v = value_add(host, "LogConfig", VALUE_STRUCT);

	value_str(v, "Type", note_or(x, "log-driver", "json-file"));
	value_add(v, "Config", VALUE_MAP);
}

static void add_tmpfs(struct value *host, const struct inspected *x)
{
	struct value *map = NULL;
	const char *note;

	for (size_t i = 0; (note = notes_get(&x->record->notes, "tmpfs", i)); i++) {
		size_t len = strcspn(note, ":");
		_free_ char *target = strndup(note, len);

		if (!map)
			map = value_add(host, "Tmpfs", VALUE_MAP);
		if (target)
			value_str(map, target, note[len] ? note + len + 1 : "");
	}
	if (!map && (map = value_add(host, "Tmpfs", VALUE_NOMAP)))
		map->flags |= VALUE_GO_ONLY;
}

static void add_devices(struct value *host, const struct inspected *x)
{
	struct value *list = value_add(host, "Devices", VALUE_LIST);

	for (size_t i = 0; i < x->spec.n_mounts; i++) {
		const struct mount_spec *m = &x->spec.mounts[i];
		struct value *v;

		if (m->kind != MOUNT_DEVICE)
			continue;
		v = value_add(list, NULL, VALUE_STRUCT);
		value_str(v, "PathOnHost", m->source);
		value_str(v, "PathInContainer", m->target);
		value_str(v, "CgroupPermissions", m->readonly ? "r" : "rwm");
	}
}

static bool is_asked(const struct inspected *x, const char *name)
{
	size_t len = strlen(name);
	const char *note;

	for (size_t i = 0; (note = notes_get(&x->record->notes, "ulimit", i)); i++) {
		if (!strncmp(note, name, len) && note[len] == '=')
			return true;
	}
	return false;
}

static void add_ulimits(struct value *host, const struct inspected *x)
{
	struct value *list = NULL;

	for (size_t i = 0; i < x->spec.limits.n_rlimits; i++) {
		const struct rlimit_spec *r = &x->spec.limits.rlimits[i];
		const char *name = rlimit_name(r->resource);
		struct value *v;

		if (!name || !is_asked(x, name))
			continue;
		if (!list)
			list = value_add(host, "Ulimits", VALUE_LIST);
		v = value_add(list, NULL, VALUE_STRUCT);
		value_str(v, "Name", name);
		value_int(v, "Hard", (int64_t)r->value.rlim_max);
		value_int(v, "Soft", (int64_t)r->value.rlim_cur);
	}
	if (!list)
		value_add(host, "Ulimits", VALUE_NOLIST);
}

static void add_first(struct value *host, const struct inspected *x)
{
	struct value *size;

	add_notes(host, "Binds", "bind", x, VALUE_NOLIST);
	value_str(host, "ContainerIDFile", "");
	add_log(host, x);
	value_str(host, "NetworkMode", note_or(x, "network", inspect_network(x)));
	inspect_add_ports(host, "PortBindings", true, x);
	add_restart(host, x);
	value_bool(host, "AutoRemove", x->record->auto_remove);
	value_str(host, "VolumeDriver", "");
	add_notes(host, "VolumesFrom", "volumes-from", x, VALUE_NOLIST);
	size = value_add(host, "ConsoleSize", VALUE_LIST);
	value_int(size, NULL, x->spec.proc.tty_rows);
	value_int(size, NULL, x->spec.proc.tty_columns);
	add_notes(host, "CapAdd", "cap-add", x, VALUE_NOLIST);
	add_notes(host, "CapDrop", "cap-drop", x, VALUE_NOLIST);
	value_str(host, "CgroupnsMode", "private");
	add_notes(host, "Dns", "dns", x, VALUE_LIST);
	value_add(host, "DnsOptions", VALUE_LIST);
	value_add(host, "DnsSearch", VALUE_LIST);
	add_notes(host, "ExtraHosts", "add-host", x, VALUE_NOLIST);
	add_notes(host, "GroupAdd", "group-add", x, VALUE_NOLIST);
	value_str(host, "IpcMode", x->spec.ns.ipc == IPC_HOST ? "host" : "private");
	value_str(host, "Cgroup", "");
	value_add(host, "Links", VALUE_NOLIST);
	value_int(host, "OomScoreAdj", 0);
}

static void add_modes(struct value *host, const struct inspected *x)
{
	value_str(host, "PidMode", "");
	value_bool(host, "Privileged", notes_get(&x->record->notes, "privileged", 0) != NULL);
	value_bool(host, "PublishAllPorts", false);
	value_bool(host, "ReadonlyRootfs", x->spec.rootfs.upper == UPPER_READONLY);
	add_notes(host, "SecurityOpt", "security-opt", x, VALUE_NOLIST);
	add_tmpfs(host, x);
	value_str(host, "UTSMode", "");
	value_str(host, "UsernsMode", "");
	value_int(host, "ShmSize",
		  (int64_t)(x->spec.limits.shm_bytes ? x->spec.limits.shm_bytes : 64u << 20));
	value_str(host, "Runtime", "runc");
	if (notes_get(&x->record->notes, "init", 0))
		value_bool(host, "Init", true);
	value_str(host, "Isolation", "");
}

static void add_limits(struct value *host, const struct inspected *x)
{
	static const char *const blkio[] = {"BlkioWeightDevice", "BlkioDeviceReadBps",
					    "BlkioDeviceWriteBps", "BlkioDeviceReadIOps",
					    "BlkioDeviceWriteIOps"};
	static const char *const cpu[] = {"CpuPeriod", "CpuQuota", "CpuRealtimePeriod",
					  "CpuRealtimeRuntime", NULL};
	static const char *const last[] = {"CpuCount", "CpuPercent", "IOMaximumIOps",
					   "IOMaximumBandwidth", NULL};
	const struct limit_spec *l = &x->spec.limits;
	const char *swap = notes_get(&x->record->notes, "memory-swap", 0);

	value_in_go(value_int(host, "CpuShares", 0), "CPUShares");
	value_int(host, "Memory", (int64_t)l->memory_bytes);
	value_in_go(value_int(host, "NanoCpus", (int64_t)l->cpus_milli * 1000000), "NanoCPUs");
	value_str(host, "CgroupParent", "");
	value_int(host, "BlkioWeight", 0);
	for (size_t i = 0; i < sizeof(blkio) / sizeof(blkio[0]); i++)
		value_add(host, blkio[i], VALUE_NOLIST);
	add_zeros(host, cpu);
	value_str(host, "CpusetCpus", "");
	value_str(host, "CpusetMems", "");
	add_devices(host, x);
	value_add(host, "DeviceCgroupRules", VALUE_NOLIST);
	value_add(host, "DeviceRequests", VALUE_NOLIST);
	value_int(host, "MemoryReservation", 0);
	value_int(host, "MemorySwap",
		  swap ? strtoll(swap, NULL, 10) : (int64_t)l->memory_bytes * 2);
	value_add(host, "MemorySwappiness", VALUE_NIL);
	value_bool(host, "OomKillDisable", false);
	if (l->pids && !l->pids_is_default && l->pids != UINT64_MAX)
		value_int(host, "PidsLimit", (int64_t)l->pids);
	else
		value_add(host, "PidsLimit", VALUE_NIL);
	add_ulimits(host, x);
	add_zeros(host, last);
	inspect_add_mount_flags(host, x);
}

void inspect_add_host_config(struct value *root, const struct inspected *x)
{
	struct value *host = value_add(root, "HostConfig", VALUE_STRUCT);

	if (host)
		host->type = "container.HostConfig";
	add_first(host, x);
	add_modes(host, x);
	add_limits(host, x);
	/*
	 * This list does not have the files that are hidden in /proc; clients look for its members.
	 */
	value_add(host, "MaskedPaths", VALUE_NOLIST);
	value_add(host, "ReadonlyPaths", VALUE_NOLIST);
}
