/* SPDX-License-Identifier: Apache-2.0 */

/* The part HostConfig of a container, in the Engine API's order. */

#include <stdlib.h>
#include <string.h>

#include "cmd/docker/frame/notes.h"
#include "cmd/docker/container/inspect_container.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/fd.h"
#include "runtime/spec/rlimit.h"

static void add_notes(struct docker_value *host, const char *json, const char *note,
		      const struct inspected *x, enum docker_value_kind empty)
{
	_strv_ struct strv all = STRV_INIT;

	notes_get_all(&x->record->notes, note, &all);
	docker_value_strv(host, json, &all, empty);
}

static const char *note_or(const struct inspected *x, const char *note, const char *otherwise)
{
	const char *found = notes_get(&x->record->notes, note, 0);

	return found ? found : otherwise;
}

static void add_zeros(struct docker_value *host, const char *const *names)
{
	for (; *names; names++)
		docker_value_int(host, *names, 0);
}

/* "on-failure:3" */
static void add_restart(struct docker_value *host, const struct inspected *x)
{
	struct docker_value *v = docker_value_add(host, "RestartPolicy", DOCKER_VALUE_STRUCT);
	const char *policy = note_or(x, "restart", "no");
	size_t len = strcspn(policy, ":");

	docker_value_strn(v, "Name", policy, len);
	docker_value_int(v, "MaximumRetryCount", policy[len] ? atoi(policy + len + 1) : 0);
}

static void add_log(struct docker_value *host, const struct inspected *x)
{
	struct docker_value *v = docker_value_add(host, "LogConfig", DOCKER_VALUE_STRUCT);

	docker_value_str(v, "Type", note_or(x, "log-driver", "json-file"));
	docker_value_add(v, "Config", DOCKER_VALUE_MAP);
}

static void add_tmpfs(struct docker_value *host, const struct inspected *x)
{
	struct docker_value *map = NULL;
	const char *note;

	for (size_t i = 0; (note = notes_get(&x->record->notes, "tmpfs", i)); i++) {
		size_t len = strcspn(note, ":");
		_free_ char *target = strndup(note, len);

		if (!map)
			map = docker_value_add(host, "Tmpfs", DOCKER_VALUE_MAP);
		if (target)
			docker_value_str(map, target, note[len] ? note + len + 1 : "");
	}
	if (!map && (map = docker_value_add(host, "Tmpfs", DOCKER_VALUE_NOMAP)))
		map->flags |= DOCKER_VALUE_GO_ONLY;
}

static void add_devices(struct docker_value *host, const struct inspected *x)
{
	struct docker_value *list = docker_value_add(host, "Devices", DOCKER_VALUE_LIST);

	for (size_t i = 0; i < x->spec.n_mounts; i++) {
		const struct mount_spec *m = &x->spec.mounts[i];
		struct docker_value *v;

		if (m->kind != MOUNT_DEVICE)
			continue;
		v = docker_value_add(list, NULL, DOCKER_VALUE_STRUCT);
		docker_value_str(v, "PathOnHost", m->source);
		docker_value_str(v, "PathInContainer", m->target);
		docker_value_str(v, "CgroupPermissions", m->readonly ? "r" : "rwm");
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

static void add_ulimits(struct docker_value *host, const struct inspected *x)
{
	struct docker_value *list = NULL;

	for (size_t i = 0; i < x->spec.limits.n_rlimits; i++) {
		const struct rlimit_spec *r = &x->spec.limits.rlimits[i];
		const char *name = rlimit_name(r->resource);
		struct docker_value *v;

		if (!name || !is_asked(x, name))
			continue;
		if (!list)
			list = docker_value_add(host, "Ulimits", DOCKER_VALUE_LIST);
		v = docker_value_add(list, NULL, DOCKER_VALUE_STRUCT);
		docker_value_str(v, "Name", name);
		docker_value_int(v, "Hard", (int64_t)r->value.rlim_max);
		docker_value_int(v, "Soft", (int64_t)r->value.rlim_cur);
	}
	if (!list)
		docker_value_add(host, "Ulimits", DOCKER_VALUE_NOLIST);
}

static void add_first(struct docker_value *host, const struct inspected *x)
{
	struct docker_value *size;

	add_notes(host, "Binds", "bind", x, DOCKER_VALUE_NOLIST);
	docker_value_str(host, "ContainerIDFile", "");
	add_log(host, x);
	docker_value_str(host, "NetworkMode", note_or(x, "network", inspect_network(x)));
	inspect_add_ports(host, "PortBindings", true, x);
	add_restart(host, x);
	docker_value_bool(host, "AutoRemove", x->record->auto_remove);
	docker_value_str(host, "VolumeDriver", "");
	add_notes(host, "VolumesFrom", "volumes-from", x, DOCKER_VALUE_NOLIST);
	size = docker_value_add(host, "ConsoleSize", DOCKER_VALUE_LIST);
	docker_value_int(size, NULL, x->spec.proc.tty_rows);
	docker_value_int(size, NULL, x->spec.proc.tty_columns);
	add_notes(host, "CapAdd", "cap-add", x, DOCKER_VALUE_NOLIST);
	add_notes(host, "CapDrop", "cap-drop", x, DOCKER_VALUE_NOLIST);
	docker_value_str(host, "CgroupnsMode", "private");
	add_notes(host, "Dns", "dns", x, DOCKER_VALUE_LIST);
	docker_value_add(host, "DnsOptions", DOCKER_VALUE_LIST);
	docker_value_add(host, "DnsSearch", DOCKER_VALUE_LIST);
	add_notes(host, "ExtraHosts", "add-host", x, DOCKER_VALUE_NOLIST);
	add_notes(host, "GroupAdd", "group-add", x, DOCKER_VALUE_NOLIST);
	docker_value_str(host, "IpcMode", x->spec.ns.ipc == IPC_HOST ? "host" : "private");
	docker_value_str(host, "Cgroup", "");
	docker_value_add(host, "Links", DOCKER_VALUE_NOLIST);
	docker_value_int(host, "OomScoreAdj", 0);
}

static void add_modes(struct docker_value *host, const struct inspected *x)
{
	docker_value_str(host, "PidMode", "");
	docker_value_bool(host, "Privileged",
			  notes_get(&x->record->notes, "privileged", 0) != NULL);
	docker_value_bool(host, "PublishAllPorts",
			  notes_get(&x->record->notes, "publish-all", 0) != NULL);
	docker_value_bool(host, "ReadonlyRootfs", x->spec.rootfs.upper == UPPER_READONLY);
	add_notes(host, "SecurityOpt", "security-opt", x, DOCKER_VALUE_NOLIST);
	add_tmpfs(host, x);
	docker_value_str(host, "UTSMode", "");
	docker_value_str(host, "UsernsMode", "");
	docker_value_int(
		host, "ShmSize",
		(int64_t)(x->spec.limits.shm_bytes ? x->spec.limits.shm_bytes : 64u << 20));
	docker_value_str(host, "Runtime", "runc");
	if (notes_get(&x->record->notes, "init", 0))
		docker_value_bool(host, "Init", true);
	docker_value_str(host, "Isolation", "");
}

static void add_limits(struct docker_value *host, const struct inspected *x)
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

	docker_value_in_go(docker_value_int(host, "CpuShares", 0), "CPUShares");
	docker_value_int(host, "Memory", (int64_t)l->memory_bytes);
	docker_value_in_go(docker_value_int(host, "NanoCpus", (int64_t)l->cpus_milli * 1000000),
			   "NanoCPUs");
	docker_value_str(host, "CgroupParent", "");
	docker_value_int(host, "BlkioWeight", 0);
	for (size_t i = 0; i < sizeof(blkio) / sizeof(blkio[0]); i++)
		docker_value_add(host, blkio[i], DOCKER_VALUE_NOLIST);
	add_zeros(host, cpu);
	docker_value_str(host, "CpusetCpus", "");
	docker_value_str(host, "CpusetMems", "");
	add_devices(host, x);
	docker_value_add(host, "DeviceCgroupRules", DOCKER_VALUE_NOLIST);
	docker_value_add(host, "DeviceRequests", DOCKER_VALUE_NOLIST);
	docker_value_int(host, "MemoryReservation", 0);
	docker_value_int(host, "MemorySwap",
			 swap ? strtoll(swap, NULL, 10) : (int64_t)l->memory_bytes * 2);
	docker_value_add(host, "MemorySwappiness", DOCKER_VALUE_NIL);
	docker_value_bool(host, "OomKillDisable", false);
	if (l->pids && !l->pids_is_default && l->pids != UINT64_MAX)
		docker_value_int(host, "PidsLimit", (int64_t)l->pids);
	else
		docker_value_add(host, "PidsLimit", DOCKER_VALUE_NIL);
	add_ulimits(host, x);
	add_zeros(host, last);
	inspect_add_mount_flags(host, x);
}

void inspect_add_host_config(struct docker_value *root, const struct inspected *x)
{
	struct docker_value *host = docker_value_add(root, "HostConfig", DOCKER_VALUE_STRUCT);

	if (host)
		host->type = "container.HostConfig";
	add_first(host, x);
	add_modes(host, x);
	add_limits(host, x);
	/*
	 * This list does not have the files that are hidden in /proc; clients look for its members.
	 */
	docker_value_add(host, "MaskedPaths", DOCKER_VALUE_NOLIST);
	docker_value_add(host, "ReadonlyPaths", DOCKER_VALUE_NOLIST);
}
