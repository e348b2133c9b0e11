/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CGROUP_TEXT_H
#define CSBX_RUNTIME_CGROUP_TEXT_H

/* Parsers of the kernel's cgroup v2 files (cgroups(7), admin-guide/cgroup-v2.rst). All pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Controllers that hold a limit of csbx's; a set of them is an unsigned. */
enum cgroup_controller {
	CGROUP_MEMORY = 1u << 0,
	CGROUP_CPU = 1u << 1,
	CGROUP_PIDS = 1u << 2,
	CGROUP_ALL = (1u << 3) - 1,
};

/* The set named in "cpu memory pids\n"; other words are passed over. */
unsigned cgroup_parse_controllers(const char *text);
/* One controller's word; "?" for anything else. */
const char *cgroup_controller_name(unsigned controller);
/* "+memory +pids" for cgroup.subtree_control; ret holds all of them. */
void cgroup_print_controllers(unsigned set, char ret[32]);

/* The value of "KEY NUMBER" in a flat keyed file, 0 when it is missing or no number. */
uint64_t cgroup_parse_key(const char *text, const char *key);
/* The microseconds of the "full" line of a pressure file, false where there is none. */
bool cgroup_parse_stalled(const char *text, uint64_t *ret_us);
/* A file of one number; "max" and garbage are 0. */
uint64_t cgroup_parse_number(const char *text);
/* "QUOTA PERIOD" in microseconds for cpu.max: exact, and never below the kernel's 1 ms of quota. */
void cgroup_print_cpu_max(uint64_t cpus_milli, char ret[48]);

/* PATH of the line "0::PATH" in /proc/PID/cgroup; caller frees, NULL when there is none. */
char *cgroup_own_path(const char *cgroups);

/*
 * Directory of the group `own` in the first cgroup2 mount of mountinfo (proc_pid_mountinfo(5))
 * that shows it, and in ret_top_len how much of it is the mount point. A mount may show only a
 * part of the tree. Caller frees; NULL when no mount shows it.
 */
char *cgroup_find_directory(const char *mountinfo, const char *own, size_t *ret_top_len);

/*
 * The length of that part of the group's path which belongs to the whole batch job `id`: up to the
 * step (step_*), else up to the first component that has the id between characters that are no
 * digits, else all. A container's group must not be outside it.
 */
size_t cgroup_job_len(const char *own, const char *id);

#endif
