/* SPDX-License-Identifier: Apache-2.0 */

/*
 * docker's flags as values of csbx's own run options. The tables of these know the configuration as
 * well, so that CSBX_* variables and csbx.conf are in force where docker's command line is silent,
 * as for every other verb.
 */

#include <stdio.h>
#include <stdlib.h>

#include "cmd/docker/daemon/groups.h"
#include "cmd/docker/daemon/run_args.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "cmd/frame/frame.h"
#include "runtime/settings/config.h"
#include "runtime/settings/policy.h"
#include "runtime/spec/spec.h"

#define PERIOD_US_DEFAULT 100000u

static void add(struct strv *out, const char *option, const char *value)
{
	if (!value)
		return;
	strv_add(out, option);
	strv_add(out, value);
}

static void add_number(struct strv *out, const char *option, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	add(out, option, value ? text : NULL);
}

static void add_all(struct strv *out, const char *option, const struct strv *values)
{
	for (size_t i = 0; i < values->n; i++)
		add(out, option, values->items[i]);
}

static void add_cpus(const struct docker_run_args *a, struct strv *out)
{
	uint64_t period = a->cpu_period ? a->cpu_period : PERIOD_US_DEFAULT, milli;
	char text[48];

	if (a->cpus && strspn(a->cpus, "0.") != strlen(a->cpus))
		add(out, "cpus", a->cpus);
	if (!a->cpu_quota)
		return;
	milli = a->cpu_quota > UINT64_MAX / 1000u ? UINT64_MAX : a->cpu_quota * 1000u / period;
	snprintf(text, sizeof(text), "%llu.%03llu", (unsigned long long)(milli / 1000u),
		 (unsigned long long)(milli % 1000u));
	add(out, "cpus", text);
}

/* Those csbx has; the others are true of every container. */
static void add_security(const struct docker_run_args *a, struct strv *out)
{
	for (size_t i = 0; i < a->security.n; i++) {
		const char *word = a->security.items[i];

		if (strpbrk(word, "=:") && str_has_prefix(word, "apparmor"))
			continue;
		add(out, "security-opt",
		    str_eq(word, "seccomp=builtin") ? "seccomp=default" : word);
	}
}

/* Only asked-for modes: default and bridge are what the configuration says (docker_spec.c). */
static void add_modes(const struct docker_run_args *a, struct strv *out)
{
	if (a->network && (str_eq(a->network, "none") || str_eq(a->network, "host")))
		add(out, "network", a->network);
	if (a->ipc && *a->ipc)
		add(out, "ipc", str_eq(a->ipc, "host") ? "host" : "private");
}

int docker_run_options(const struct docker_run_args *a, struct strv *out, struct err *e)
{
	add_all(out, "env-file", &a->env_files);
	add_all(out, "env", &a->env);
	add_all(out, "label", &a->labels);
	add_all(out, "cap-add", &a->cap_add);
	add_all(out, "cap-drop", &a->cap_drop);
	add_all(out, "device", &a->devices);
	/* Others are not csbx's: groups.c */
	if (a->groups.n == 1 && str_eq(a->groups.items[0], "keep-groups"))
		add_all(out, "group-add", &a->groups);
	add_all(out, "ulimit", &a->ulimits);
	add_security(a, out);
	add_modes(a, out);
	add(out, "user", docker_user(a->user));
	add(out, "workdir", a->workdir && *a->workdir ? a->workdir : NULL);
	add(out, "hostname", a->hostname && *a->hostname ? a->hostname : NULL);
	add(out, "entrypoint", a->entrypoint);
	add_number(out, "memory", a->memory_bytes);
	add_number(out, "shm-size", a->shm_bytes);
	add_cpus(a, out);
	if (a->pids > 0)
		add_number(out, "pids-limit", (uint64_t)a->pids);
	else if (a->pids > INT64_MIN)
		add(out, "pids-limit", "unlimited");
	add(out, "read-only", a->read_only ? "yes" : NULL);
	add(out, "interactive", a->interactive ? "yes" : "no");
	add(out, "tty", a->tty ? "yes" : "no");
	return strv_check(out, e);
}

/* bridge is the network of a run that names none; some clients always say it. */
static bool is_network_named(const struct docker_run_args *a)
{
	static const char *const plain[] = {"", "default", "bridge"};

	for (size_t i = 0; a->network && i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (str_eq(a->network, plain[i]))
			return false;
	}
	return a->network != NULL;
}

int docker_defaults_settle(const struct cmd *c, const struct docker_run_args *a, bool has_networks,
			   struct container_spec *s, struct err *e)
{
	s->ns.net_is_default = !is_network_named(a) && !has_networks &&
			       !config_get(c->config, "CSBX_DOCKER_NETWORK") &&
			       !config_get(c->config, "CSBX_NETWORK");
	for (size_t i = 0; i < a->security.n; i++)
		s->sec.new_privs_is_default &=
			!str_has_prefix(a->security.items[i], "no-new-privileges");
	return policy_settle_defaults(s, e);
}
