/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_HOST_CAUSE_H
#define CSBX_RUNTIME_HOST_CAUSE_H

/* Why a probe failed and what helps. Part of host.c. */

#include <stdbool.h>

struct host_fact;
struct paths;
struct try_result;

void host_reason(struct host_fact *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void host_remedy(struct host_fact *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The reason, and ok = false. */
void host_miss(struct host_fact *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The caller's login name, "USER" when it is not known. */
const char *host_login(void);
/* The number in a file of /proc or /sys. */
bool host_read_number(const char *path, unsigned long *ret);

/* Finds which of the kernel's many switches forbids namespaces, and puts it into f. */
void host_cause_userns(const struct try_result *r, struct host_fact *f);

void host_probe_helpers(const struct paths *p, struct host_fact *f);
void host_probe_runtime_dir(const struct paths *p, struct host_fact *f);
void host_probe_data_dir(const struct paths *p, struct host_fact *f);
void host_probe_subid(const struct paths *p, struct host_fact *f);
void host_probe_apparmor(const struct paths *p, struct host_fact *f);
void host_probe_policy(const struct paths *p, struct host_fact *f);
void host_probe_cgroup(const struct paths *p, struct host_fact *f);
void host_probe_cgroup_memory(const struct paths *p, struct host_fact *f);
void host_probe_cgroup_cpu(const struct paths *p, struct host_fact *f);
void host_probe_cgroup_pids(const struct paths *p, struct host_fact *f);

#endif
