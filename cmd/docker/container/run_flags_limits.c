/* SPDX-License-Identifier: Apache-2.0 */

/* Flags of run and create: mounts, isolation, limits. */

#include <stddef.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/mount_flag.h"
#include "cmd/docker/container/run_flags.h"
#include "runtime/base/err.h"
#include "runtime/base/num.h"

#define AT(member) offsetof(struct docker_run_args, member)

static int add(void *strv, const char *value, struct err *e)
{
	strv_add(strv, value);
	return strv_check(strv, e);
}

static int set_add_host(void *strv, const char *value, struct err *e)
{
	int r = docker_check_add_host(value, e);

	return r < 0 ? r : add(strv, value, e);
}

static int set_dns(void *strv, const char *value, struct err *e)
{
	int r = docker_check_dns(value, e);

	return r < 0 ? r : add(strv, value, e);
}

static int set_ulimit(void *strv, const char *value, struct err *e)
{
	int r = docker_check_ulimit(value, e);

	return r < 0 ? r : add(strv, value, e);
}

int docker_flag_memory_swap(void *bytes, const char *value, struct err *e)
{
	uint64_t v = 0;

	if (str_eq(value, "-1")) {
		*(int64_t *)bytes = -1;
		return 0;
	}
	if (docker_set_bytes(&v, value, e) < 0)
		return -EINVAL;
	*(int64_t *)bytes = (int64_t)(v & INT64_MAX);
	return 0;
}

int docker_flag_count(void *uint64, const char *value, struct err *e)
{
	int64_t v;
	int r = docker_set_int(&v, value, e);

	if (r >= 0)
		*(uint64_t *)uint64 = v > 0 ? (uint64_t)v : 0;
	return r;
}

int docker_flag_cpus(void *cpus, const char *value, struct err *e)
{
	uint64_t milli;

	if (num_parse_milli(value, 1000u * 65536u, &milli) < 0)
		return err_set(e, EINVAL, "failed to parse %s as a rational number", value);
	*(const char **)cpus = value;
	return 0;
}

static int set_sysctl(void *strv, const char *value, struct err *e)
{
	int r = docker_check_sysctl(value, e);

	return r < 0 ? r : add(strv, value, e);
}

static const struct opt opts[] = {
	{OPT_CALL, 0, "add-host", "list", AT(add_hosts), set_add_host,
	 .help = "Add a custom host-to-IP mapping (host:ip)"},
	{OPT_LIST, 0, "cap-add", "list", AT(cap_add), .help = "Add Linux capabilities"},
	{OPT_LIST, 0, "cap-drop", "list", AT(cap_drop), .help = "Drop Linux capabilities"},
	{OPT_STR, 0, "cgroupns", "string", AT(cgroupns), .help = "Cgroup namespace: private"},
	{OPT_CALL, 0, "cpu-period", "int", AT(cpu_period), docker_flag_count,
	 .help = "Limit CPU CFS (Completely Fair Scheduler) period"},
	{OPT_CALL, 0, "cpu-quota", "int", AT(cpu_quota), docker_flag_count,
	 .help = "Limit CPU CFS (Completely Fair Scheduler) quota"},
	{OPT_CALL, 0, "cpus", "decimal", AT(cpus), docker_flag_cpus, .help = "Number of CPUs"},
	{OPT_LIST, 0, "device", "list", AT(devices), .help = "Add a host device to the container"},
	{OPT_CALL, 0, "dns", "list", AT(dns), set_dns, .help = "Set custom DNS servers"},
	{OPT_LIST, 0, "dns-opt", "list", AT(dns_options)},
	{OPT_LIST, 0, "dns-option", "list", AT(dns_options), .help = "Set DNS options"},
	{OPT_LIST, 0, "dns-search", "list", AT(dns_search),
	 .help = "Set custom DNS search domains"},
	{OPT_LIST, 0, "expose", "list", AT(expose), .help = "Expose a port or a range of ports"},
	{OPT_STR, 0, "ipc", "string", AT(ipc), .help = "IPC mode: private or host"},
	{OPT_CALL, 'm', "memory", "bytes", AT(memory_bytes), docker_set_bytes,
	 .help = "Memory limit"},
	{OPT_CALL, 0, "memory-reservation", "bytes", AT(memory_reservation_bytes), docker_set_bytes,
	 .help = "Memory soft limit (accepted)"},
	{OPT_CALL, 0, "memory-swap", "bytes", AT(memory_swap_bytes), docker_flag_memory_swap,
	 .help = "Swap limit equal to memory plus swap: '-1' to enable unlimited swap"},
	{OPT_CALL, 0, "mount", "mount", AT(mounts), docker_set_mount,
	 .help = "Attach a filesystem mount to the container"},
	{OPT_STR, 0, "net", "network", AT(network)},
	{OPT_STR, 0, "network", "network", AT(network),
	 .help = "Connect a container to a network: none, host, default, which is the host's, or "
		 "one of docker network create"},
	{OPT_LIST, 0, "network-alias", "list", AT(network_aliases),
	 .help = "Add network-scoped alias for the container"},
	{OPT_LIST, 0, "volumes-from", "list", AT(volumes_from),
	 .help = "Mount volumes from the specified container(s)"},
	{OPT_LIST, 0, "link", "list", AT(links), .help = "Add link to another container"},
	{OPT_LIST, 0, "net-alias", "list", AT(network_aliases)},
	{OPT_STR, 0, "pid", "string", AT(pid), .help = "PID namespace: always its own"},
	{OPT_CALL, 0, "pids-limit", "int", AT(pids), docker_set_int,
	 .help = "Tune container pids limit (set -1 for unlimited)"},
	{OPT_LIST, 'p', "publish", "list", AT(publish),
	 .help = "Publish a port: on the host's network, so PORT:PORT only"},
	{OPT_FLAG, 0, "read-only", NULL, AT(read_only),
	 .help = "Mount the container's root filesystem as read only"},
	{OPT_LIST, 0, "security-opt", "list", AT(security), .help = "Security Options"},
	{OPT_CALL, 0, "shm-size", "bytes", AT(shm_bytes), docker_set_bytes,
	 .help = "Size of /dev/shm"},
	{OPT_CALL, 0, "sysctl", "map", AT(sysctls), set_sysctl, .help = "Sysctl options"},
	{OPT_LIST, 0, "tmpfs", "list", AT(tmpfs), .help = "Mount a tmpfs directory"},
	{OPT_CALL, 0, "ulimit", "ulimit", AT(ulimits), set_ulimit, .help = "Ulimit options"},
	{OPT_STR, 0, "userns", "string", AT(userns), .help = "User namespace: always its own"},
	{OPT_STR, 0, "uts", "string", AT(uts), .help = "UTS namespace: always its own"},
	{OPT_LIST, 'v', "volume", "list", AT(volumes), .help = "Bind mount a volume"},
	{0},
};

const struct opt_table docker_limits_table = {"Limits", opts};
