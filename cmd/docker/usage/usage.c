/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/usage/usage.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "cmd/docker/show/value.h"
#include "cmd/docker/usage/processes.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/cgroup/text.h"
#include "runtime/record/instance.h"

#define PROC_STAT_BYTES (1u << 20)

static uint64_t ticks_ns(uint64_t ticks)
{
	return ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* --- of the machine ------------------------------------------------------------------------- */

static uint64_t machine_bytes(void)
{
	struct sysinfo si;

	return sysinfo(&si) < 0 ? 0 : (uint64_t)si.totalram * si.mem_unit;
}

/* user nice system idle iowait irq softirq of the line "cpu": docker's own sum */
static uint64_t host_cpu_ns(void)
{
	unsigned long long v[7] = {0};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t sum = 0;

	if (io_read_path("/proc/stat", PROC_STAT_BYTES, &text, NULL) < 0 ||
	    sscanf(strbuf_str(&text), "cpu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2],
		   &v[3], &v[4], &v[5], &v[6]) < 4)
		return 0;
	for (size_t i = 0; i < 7; i++)
		sum += v[i];
	return ticks_ns(sum);
}

/* --- of the container ----------------------------------------------------------------------- */

static int add_processes(pid_t init, struct docker_usage *u, struct err *e)
{
	_process_list_ struct process_list l = {0};
	int r = process_list_read(&l, init, e);

	for (size_t i = 0; i < l.n; i++) {
		u->cpu_ns += ticks_ns(l.items[i].ticks);
		u->system_ns += ticks_ns(l.items[i].system_ticks);
		u->tasks += l.items[i].threads;
		u->memory_bytes += process_memory_bytes(l.items[i].pid);
	}
	return r;
}

/* The group's counts take the place of the sums. */
static void add_group(const char *path, struct docker_usage *u)
{
	char text[16384];
	uint64_t n;

	if (cgroup_show(path, "cpu.stat", text, sizeof(text))) {
		u->cpu_ns = cgroup_parse_key(text, "usage_usec") * 1000;
		u->system_ns = cgroup_parse_key(text, "system_usec") * 1000;
	}
	if (cgroup_show(path, "pids.current", text, sizeof(text)) &&
	    (n = cgroup_parse_number(text)))
		u->tasks = n;
	if (!cgroup_show(path, "memory.current", text, sizeof(text)))
		return;
	u->memory_bytes = cgroup_parse_number(text);
	if (cgroup_show(path, "memory.peak", text, sizeof(text)))
		u->memory_peak_bytes = cgroup_parse_number(text);
	if (cgroup_show(path, "memory.stat", text, sizeof(text))) {
		u->file_bytes = cgroup_parse_key(text, "file");
		u->inactive_file_bytes = cgroup_parse_key(text, "inactive_file");
	}
}

int docker_usage_look(const struct paths *p, const char *id, uint64_t memory_limit_bytes,
		      struct docker_usage *ret, struct err *e)
{
	uint64_t machine = machine_bytes();
	struct instance_record i;
	int r;

	*ret = (struct docker_usage){
		.realtime_ns = clock_realtime_ns(),
		.monotonic_ns = clock_monotonic_ns(),
		.host_cpu_ns = host_cpu_ns(),
		.memory_limit_bytes =
			memory_limit_bytes && (!machine || memory_limit_bytes < machine)
				? memory_limit_bytes
				: machine,
	};
	/* A container that has ended, or ends now, uses nothing. */
	if (instance_read(p, id, &i, NULL) < 0)
		return 0;
	ret->runs = true;
	r = add_processes(i.init, ret, e);
	if (r >= 0 && i.cgroup)
		add_group(i.cgroup, ret);
	instance_record_free(&i);
	return r;
}

unsigned docker_usage_cpu(const struct docker_usage *before, const struct docker_usage *now)
{
	if (!before->monotonic_ns || now->monotonic_ns <= before->monotonic_ns ||
	    now->cpu_ns <= before->cpu_ns)
		return 0;
	return (unsigned)((double)(now->cpu_ns - before->cpu_ns) * 1e4 /
			  (double)(now->monotonic_ns - before->monotonic_ns));
}

/* --- as JSON -------------------------------------------------------------------------------- */

static void add_cpu(struct docker_value *at, const char *key, const struct docker_usage *u)
{
	struct docker_value *v = docker_value_add(at, key, DOCKER_VALUE_STRUCT);
	struct docker_value *usage = docker_value_add(v, "cpu_usage", DOCKER_VALUE_STRUCT);
	struct docker_value *throttled;

	docker_value_int(usage, "total_usage", u ? (int64_t)u->cpu_ns : 0);
	docker_value_int(usage, "usage_in_kernelmode", u ? (int64_t)u->system_ns : 0);
	docker_value_int(usage, "usage_in_usermode", u ? (int64_t)(u->cpu_ns - u->system_ns) : 0);
	if (u && u->runs) {
		docker_value_int(v, "system_cpu_usage", (int64_t)u->host_cpu_ns);
		docker_value_int(v, "online_cpus", sysconf(_SC_NPROCESSORS_ONLN));
	}
	throttled = docker_value_add(v, "throttling_data", DOCKER_VALUE_STRUCT);
	docker_value_int(throttled, "periods", 0);
	docker_value_int(throttled, "throttled_periods", 0);
	docker_value_int(throttled, "throttled_time", 0);
}

static void add_memory(struct docker_value *at, const struct docker_usage *u)
{
	struct docker_value *v = docker_value_add(at, "memory_stats", DOCKER_VALUE_STRUCT), *stats;

	if (!u->runs)
		return;
	docker_value_int(v, "usage", (int64_t)u->memory_bytes);
	if (u->memory_peak_bytes)
		docker_value_int(v, "max_usage", (int64_t)u->memory_peak_bytes);
	stats = docker_value_add(v, "stats", DOCKER_VALUE_STRUCT);
	docker_value_int(stats, "anon", (int64_t)(u->memory_bytes - u->file_bytes));
	docker_value_int(stats, "file", (int64_t)u->file_bytes);
	docker_value_int(stats, "inactive_file", (int64_t)u->inactive_file_bytes);
	docker_value_int(v, "limit", (int64_t)u->memory_limit_bytes);
}

static void add_devices(struct docker_value *at)
{
	static const char *const names[] = {
		"io_service_bytes_recursive", "io_serviced_recursive",  "io_queue_recursive",
		"io_service_time_recursive",  "io_wait_time_recursive", "io_merged_recursive",
		"io_time_recursive",          "sectors_recursive"};
	struct docker_value *v = docker_value_add(at, "blkio_stats", DOCKER_VALUE_STRUCT);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		docker_value_add(v, names[i], DOCKER_VALUE_NOLIST);
}

struct docker_value *docker_usage_value(const char *name, const char *id,
					const struct docker_usage *before,
					const struct docker_usage *now)
{
	struct docker_value *v = docker_value_new(DOCKER_VALUE_STRUCT), *pids;

	if (before && !before->runs)
		before = NULL;
	docker_value_time(v, "read", now->runs ? now->realtime_ns : 0);
	docker_value_time(v, "preread", before ? before->realtime_ns : 0);
	pids = docker_value_add(v, "pids_stats", DOCKER_VALUE_STRUCT);
	if (now->runs)
		docker_value_int(pids, "current", (int64_t)now->tasks);
	add_devices(v);
	docker_value_int(v, "num_procs", 0);
	docker_value_add(v, "storage_stats", DOCKER_VALUE_STRUCT);
	add_cpu(v, "cpu_stats", now);
	add_cpu(v, "precpu_stats", before);
	add_memory(v, now);
	docker_value_strf(v, "name", "/%s", name);
	docker_value_str(v, "id", id);
	return v;
}
