/* SPDX-License-Identifier: Apache-2.0 */

/*
 * docker's answers to a request whose parts do not fit together or cannot be had, in the order in
 * which its command line and then its daemon look at them.
 */

#include <stddef.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "cmd/docker/daemon/network_member.h"
#include "cmd/docker/daemon/restart.h"
#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/options/signal_name.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/kernel/cap.h"
#include "runtime/stream/detach_keys.h"

#define MEMORY_BYTES_MIN (UINT64_C(6) << 20)

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && !str_eq(word, *words))
		words++;
	return *words;
}

static int check_security(const struct docker_run_args *a, struct docker_fault *f)
{
	static const char *const had[] = {"seccomp=unconfined",      "seccomp=builtin",
					  "seccomp=default",         "apparmor=unconfined",
					  "apparmor=docker-default", "label=disable",
					  "systempaths=unconfined",  "no-new-privileges=true",
					  "no-new-privileges=false", NULL};

	for (size_t i = 0; i < a->security.n; i++) {
		const char *word = a->security.items[i];
		_free_ char *plain = strdup(word);
		char *mark = plain ? strpbrk(plain, "=:") : NULL;

		if (str_eq(word, "no-new-privileges"))
			continue;
		if (!mark)
			return docker_refuse_early(f, "Invalid --security-opt: \"%s\"", word);
		*mark = '=';
		if (is_one_of(plain, had))
			continue;
		if (str_has_prefix(plain, "seccomp=") || str_has_prefix(plain, "apparmor=") ||
		    str_has_prefix(plain, "label="))
			return docker_refuse_early(
				f,
				"--security-opt %s is not available in csbx: its own "
				"filter is the only one",
				word);
		return docker_refuse(f, "invalid --security-opt 2: \"%s\"", word);
	}
	return 0;
}

static int check_restart(const struct docker_run_args *a, struct docker_fault *f)
{
	const char *policy = a->restart;
	struct docker_restart parsed;

	if (!policy || !*policy || str_eq(policy, "no"))
		return 0;
	if (a->rm)
		return docker_refuse_early(
			f, "conflicting options: cannot specify both --restart and --rm");
	return docker_restart_parse(policy, &parsed, f);
}

/* A namespace that is always the container's own; "host" and another container's are refused. */
static int check_own(const char *flag, const char *what, const char *mode, struct docker_fault *f)
{
	if (!mode || !*mode || str_eq(mode, "private"))
		return 0;
	if (!str_eq(mode, "host") && !str_has_prefix(mode, "container:"))
		return docker_refuse_early(f, "--%s: invalid %s mode", flag, what);
	return docker_refuse_early(
		f, "--%s=%s is not available in csbx: a container always has its own", flag, mode);
}

static int check_namespaces(const struct docker_run_args *a, struct docker_fault *f)
{
	static const char *const ipc[] = {"", "private", "shareable", "none", "host", NULL};
	int r = check_own("pid", "PID", a->pid, f);

	if (r >= 0)
		r = check_own("uts", "UTS", a->uts, f);
	if (r >= 0)
		r = check_own("userns", "USER", a->userns, f);
	if (r >= 0)
		r = check_own("cgroupns", "CGROUP", a->cgroupns, f);
	if (r < 0 || !a->ipc || is_one_of(a->ipc, ipc))
		return r;
	if (str_has_prefix(a->ipc, "container:"))
		return docker_refuse_early(
			f,
			"--ipc=%s is not available in csbx: a container has its own "
			"or the host's",
			a->ipc);
	return docker_refuse(f, "Invalid IPC mode: %s", a->ipc);
}

static int check_network(const struct docker_run_args *a, struct docker_fault *f)
{
	/* A name is looked up where the container is made (create.c). */
	return docker_network_join_check(a, f);
}

static int check_caps(const char *what, const struct strv *caps, struct docker_fault *f)
{
	for (size_t i = 0; i < caps->n; i++) {
		const char *name = caps->items[i];
		bool has_prefix = !strncasecmp(name, "CAP_", 4);

		if (!cap_parse(name))
			return docker_refuse(f, "invalid %s: unknown capability: \"%s%s\"", what,
					     has_prefix ? "" : "CAP_", name);
	}
	return 0;
}

static int check_both_caps(const struct docker_run_args *a, struct docker_fault *f)
{
	int r = check_caps("CapAdd", &a->cap_add, f);

	return r < 0 ? r : check_caps("CapDrop", &a->cap_drop, f);
}

static int check_memory(const struct docker_run_args *a, struct docker_fault *f)
{
	uint64_t swap = a->memory_swap_bytes > 0 ? (uint64_t)a->memory_swap_bytes : 0;

	if (a->memory_bytes && a->memory_bytes < MEMORY_BYTES_MIN)
		return docker_refuse(f, "Minimum memory limit allowed is 6MB");
	if (swap && !a->memory_bytes)
		return docker_refuse(f, "You should always set the Memory limit when using "
					"Memoryswap limit, see usage");
	if (swap && swap < a->memory_bytes)
		return docker_refuse(f, "Minimum memoryswap limit should be larger than memory "
					"limit, see usage");
	if (a->memory_bytes && a->memory_reservation_bytes > a->memory_bytes)
		return docker_refuse(f, "Minimum memory limit can not be less than memory "
					"reservation limit, see usage");
	return 0;
}

static int check_cpus(const struct docker_run_args *a, struct docker_fault *f)
{
	uint64_t milli = 0;
	unsigned here = (unsigned)get_nprocs();

	if (a->cpu_period && (a->cpu_period < 1000 || a->cpu_period > 1000000))
		return docker_refuse(f, "CPU cfs period can not be less than 1ms (i.e. 1000) or "
					"larger than 1s (i.e. 1000000)");
	if (a->cpu_quota && a->cpu_quota < 1000)
		return docker_refuse(f, "CPU cfs quota can not be less than 1ms (i.e. 1000)");
	if (!a->cpus || num_parse_milli(a->cpus, 1000u * 65536u, &milli) < 0 || !milli)
		return 0;
	if (a->cpu_quota || a->cpu_period)
		return docker_refuse(f, "Conflicting options: Nano CPUs and CPU Period cannot both "
					"be set.");
	if (milli < 10 || milli > here * 1000u)
		return docker_refuse(f,
				     "range of CPUs is from 0.01 to %u.00, as there are only %u "
				     "CPUs available",
				     here, here);
	return 0;
}

static int check_platform(const struct docker_run_args *a, struct docker_fault *f)
{
	struct utsname host;
	const char *arch, *asked = a->platform;

	if (!asked || !*asked || uname(&host) < 0)
		return 0;
	arch = str_eq(host.machine, "x86_64")    ? "amd64"
	       : str_eq(host.machine, "aarch64") ? "arm64"
						 : host.machine;
	if (str_has_prefix(asked, "linux/"))
		asked += strlen("linux/");
	if (str_eq(asked, "linux") || str_eq(asked, arch) || str_eq(asked, host.machine) ||
	    (str_eq(arch, "arm64") && str_eq(asked, "arm64/v8")))
		return 0;
	return docker_refuse_early(
		f,
		"--platform %s: this machine is linux/%s, and csbx does not emulate "
		"another",
		a->platform, arch);
}

/* A port, or a range of them; 0: none was given. */
static int parse_port(const char *s, size_t len, uint64_t *ret)
{
	_free_ char *text = strndup(s, strcspn(s, "-") < len ? strcspn(s, "-") : len);

	*ret = 0;
	return !len ? 0 : text ? num_parse_u64(text, 65535, ret) : -ENOMEM;
}

/* [[IP:][HOSTPORT]:]PORT[/PROTOCOL]: on the host's network a port is what it is. */
static int check_port(const char *text, struct docker_fault *f)
{
	size_t len = strcspn(text, "/");
	const char *last = memrchr(text, ':', len);
	const char *inner = last ? last + 1 : text;
	size_t inner_len = len - (size_t)(inner - text);
	const char *outer = last ? memrchr(text, ':', (size_t)(last - text)) : NULL;
	uint64_t host = 0, port = 0;

	outer = last ? (outer ? outer + 1 : text) : NULL;
	if (parse_port(inner, inner_len, &port) < 0 || !port)
		return docker_refuse_early(f, "invalid containerPort: %.*s", (int)inner_len, inner);
	if (outer && parse_port(outer, (size_t)(last - outer), &host) < 0)
		return docker_refuse_early(f, "invalid hostPort: %.*s", (int)(last - outer), outer);
	if (host && host != port)
		return docker_refuse_early(
			f,
			"--publish %s is not available in csbx: the container has the "
			"host's network, where port %llu is port %llu",
			text, (unsigned long long)port, (unsigned long long)port);
	return 0;
}

static int check_publish(const struct docker_run_args *a, struct docker_fault *f)
{
	bool is_none = a->network && str_eq(a->network, "none");
	int r = 0;

	for (size_t i = 0; r >= 0 && !is_none && i < a->publish.n; i++)
		r = check_port(a->publish.items[i], f);
	return r;
}

static int check_groups(const struct docker_run_args *a, struct docker_fault *f)
{
	for (size_t i = 0; i < a->groups.n && a->groups.n > 1; i++) {
		if (str_eq(a->groups.items[i], "keep-groups"))
			return docker_refuse_early(
				f, "--group-add keep-groups leaves the caller's own "
				   "groups: there can be no others");
	}
	return 0;
}

static int check_rest(const struct docker_run_args *a, struct docker_fault *f)
{
	static const char *const drivers[] = {"", "json-file", "local", "none", NULL};
	struct detach_keys keys;
	int signal;

	if (a->stop_signal && *a->stop_signal && signal_parse(a->stop_signal, &signal, NULL) < 0)
		return docker_refuse(f, "invalid signal: %s", a->stop_signal);
	if (a->workdir && *a->workdir && *a->workdir != '/')
		return docker_refuse(f,
				     "the working directory '%s' is invalid, it needs to be an "
				     "absolute path",
				     a->workdir);
	if (a->log_driver && !is_one_of(a->log_driver, drivers))
		return docker_refuse(f,
				     "error looking up logging plugin %s: plugin \"%s\" not found",
				     a->log_driver, a->log_driver);
	if (detach_keys_parse(a->other[DOCKER_OTHER_detach_keys], &keys) < 0)
		return docker_refuse(f, "Invalid detach keys (%s) provided",
				     a->other[DOCKER_OTHER_detach_keys]);
	if (a->runtime && *a->runtime && !str_eq(a->runtime, "runc"))
		return docker_refuse(f, "unknown or invalid runtime name: %s", a->runtime);
	return 0;
}

int docker_run_check(const struct docker_run_args *a, struct docker_fault *f)
{
	static int (*const checks[])(const struct docker_run_args *, struct docker_fault *) = {
		check_security,  check_restart, check_namespaces, check_network,
		check_both_caps, check_memory,  check_cpus,       check_platform,
		check_publish,   check_groups,  check_rest,       docker_run_check_others,
	};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sizeof(checks) / sizeof(checks[0]); i++)
		r = checks[i](a, f);
	return r;
}

int docker_run_warnings(const struct docker_run_args *a, struct strv *out, struct err *e)
{
	if (a->publish.n && a->network && str_eq(a->network, "host"))
		strv_add(out, "Published ports are discarded when using host network mode");
	if (a->sysctls.n)
		strv_take(out, str_printf("--sysctl is without effect in csbx: %s keeps its value",
					  a->sysctls.items[0]));
	docker_run_warn_others(a, out);
	return strv_check(out, e);
}
