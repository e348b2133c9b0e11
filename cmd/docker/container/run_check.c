/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What docker says of flags that do not fit together or cannot be had, in the order in which its
 * command line and then its daemon look at them.
 */

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/errno_text.h"
#include "cmd/docker/container/run_args.h"
#include "cmd/options/signal_name.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/kernel/cap.h"

#define MEMORY_BYTES_MIN (UINT64_C(6) << 20)

static int check_terminal(const struct docker *d, const struct docker_run_args *a)
{
	bool asked = false;

	for (size_t i = 0; i < a->attach.n; i++)
		asked |= str_eq(a->attach.items[i], "stdin");
	if (a->detach && a->attach.n)
		return docker_say(DOCKER_EXIT_FAILED,
				  "conflicting options: cannot specify both --attach and --detach");
	if (!a->detach && a->tty && (a->attach.n ? asked : a->interactive) &&
	    str_eq(d->verb->name, "run") && !isatty(STDIN_FILENO))
		return docker_say(DOCKER_EXIT_FAILED, "the input device is not a TTY");
	return 0;
}

static int check_readable(const struct docker *d, const struct strv *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		if (access(paths->items[i], R_OK) < 0)
			return docker_fail(d, "open %s: %s", paths->items[i], docker_errno(errno));
	}
	return 0;
}

/* Before anything is made: of a container whose id could not be told nobody would know. */
static int check_cidfile(const struct docker *d, const char *path)
{
	_close_ int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) : -1;

	if (fd >= 0)
		(void)unlink(path);
	if (!path || fd >= 0)
		return 0;
	if (errno == EEXIST)
		return docker_fail(d,
				   "container ID file found, make sure the other container isn't "
				   "running or delete %s",
				   path);
	return docker_fail(d, "failed to create the container ID file: open %s: %s", path,
			   docker_errno(errno));
}

static int check_files(const struct docker *d, const struct docker_run_args *a)
{
	int code = check_readable(d, &a->env_files);

	if (!code)
		code = check_readable(d, &a->label_files);
	return code ? code : check_cidfile(d, a->cidfile);
}

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && !str_eq(word, *words))
		words++;
	return *words;
}

static int check_security(const struct docker *d, const struct docker_run_args *a)
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
			return docker_fail(d, "Invalid --security-opt: \"%s\"", word);
		*mark = '=';
		if (is_one_of(plain, had))
			continue;
		if (str_has_prefix(plain, "seccomp=") || str_has_prefix(plain, "apparmor=") ||
		    str_has_prefix(plain, "label="))
			return docker_fail(d,
					   "--security-opt %s is not available in csbx: its own "
					   "filter is the only one",
					   word);
		return docker_daemon_fail(d, "invalid --security-opt 2: \"%s\"", word);
	}
	return 0;
}

static int check_restart(const struct docker *d, const struct docker_run_args *a)
{
	static const char *const known[] = {"no", "always", "unless-stopped", "on-failure", NULL};
	const char *policy = a->restart;
	_free_ char *name = policy ? strndup(policy, strcspn(policy, ":")) : NULL;

	if (!policy || !*policy || str_eq(policy, "no"))
		return 0;
	if (a->rm)
		return docker_fail(d,
				   "conflicting options: cannot specify both --restart and --rm");
	if (!name || !is_one_of(name, known))
		return docker_daemon_fail(d,
					  "invalid restart policy: unknown policy '%s'; use one of "
					  "'no', 'always', 'on-failure', or 'unless-stopped'",
					  name ? name : policy);
	return docker_say(0, "WARNING: --restart is without effect in csbx: nothing starts a "
			     "container again");
}

static int check_pull(const struct docker *d, const struct docker_run_args *a)
{
	static const char *const known[] = {"always", "missing", "never", "", NULL};

	if (a->pull && !is_one_of(a->pull, known))
		return docker_fail(d,
				   "invalid pull option: '%s': must be one of \"always\", "
				   "\"missing\" or \"never\"",
				   a->pull);
	return 0;
}

/* A namespace that is always the container's own; "host" and another container's are refused. */
static int check_own(const struct docker *d, const char *flag, const char *what, const char *mode)
{
	if (!mode || !*mode || str_eq(mode, "private"))
		return 0;
	if (!str_eq(mode, "host") && !str_has_prefix(mode, "container:"))
		return docker_fail(d, "--%s: invalid %s mode", flag, what);
	return docker_fail(d, "--%s=%s is not available in csbx: a container always has its own",
			   flag, mode);
}

static int check_namespaces(const struct docker *d, const struct docker_run_args *a)
{
	static const char *const ipc[] = {"", "private", "shareable", "none", "host", NULL};
	int code = check_own(d, "pid", "PID", a->pid);

	if (!code)
		code = check_own(d, "uts", "UTS", a->uts);
	if (!code)
		code = check_own(d, "userns", "USER", a->userns);
	if (!code)
		code = check_own(d, "cgroupns", "CGROUP", a->cgroupns);
	if (code || !a->ipc || is_one_of(a->ipc, ipc))
		return code;
	if (str_has_prefix(a->ipc, "container:"))
		return docker_fail(d,
				   "--ipc=%s is not available in csbx: a container has its own "
				   "or the host's",
				   a->ipc);
	return docker_daemon_fail(d, "Invalid IPC mode: %s", a->ipc);
}

static int check_network(const struct docker *d, const struct docker_run_args *a)
{
	static const char *const known[] = {"", "none", "host", "default", "bridge", NULL};

	if (!a->network || is_one_of(a->network, known))
		return 0;
	if (str_has_prefix(a->network, "container:"))
		return docker_fail(d,
				   "--network=%s is not available in csbx: a container has its "
				   "own network or the host's",
				   a->network);
	return docker_daemon_fail(d, "network %s not found", a->network);
}

static int check_caps(const struct docker *d, const char *what, const struct strv *caps)
{
	for (size_t i = 0; i < caps->n; i++) {
		const char *name = caps->items[i];
		bool has_prefix = !strncasecmp(name, "CAP_", 4);

		if (!cap_parse(name))
			return docker_daemon_fail(d, "invalid %s: unknown capability: \"%s%s\"",
						  what, has_prefix ? "" : "CAP_", name);
	}
	return 0;
}

static int check_both_caps(const struct docker *d, const struct docker_run_args *a)
{
	int code = check_caps(d, "CapAdd", &a->cap_add);

	return code ? code : check_caps(d, "CapDrop", &a->cap_drop);
}

static int check_memory(const struct docker *d, const struct docker_run_args *a)
{
	uint64_t swap = a->memory_swap_bytes > 0 ? (uint64_t)a->memory_swap_bytes : 0;

	if (a->memory_bytes && a->memory_bytes < MEMORY_BYTES_MIN)
		return docker_daemon_fail(d, "Minimum memory limit allowed is 6MB");
	if (swap && !a->memory_bytes)
		return docker_daemon_fail(d, "You should always set the Memory limit when using "
					     "Memoryswap limit, see usage");
	if (swap && swap < a->memory_bytes)
		return docker_daemon_fail(d,
					  "Minimum memoryswap limit should be larger than memory "
					  "limit, see usage");
	if (a->memory_bytes && a->memory_reservation_bytes > a->memory_bytes)
		return docker_daemon_fail(d, "Minimum memory limit can not be less than memory "
					     "reservation limit, see usage");
	return 0;
}

static int check_cpus(const struct docker *d, const struct docker_run_args *a)
{
	uint64_t milli = 0;
	unsigned here = (unsigned)get_nprocs();

	if (!a->cpus || num_parse_milli(a->cpus, 1000u * 65536u, &milli) < 0 || !milli)
		return 0;
	if (a->cpu_quota || a->cpu_period)
		return docker_daemon_fail(
			d, "Conflicting options: Nano CPUs and CPU Period cannot both "
			   "be set.");
	if (milli < 10 || milli > here * 1000u)
		return docker_daemon_fail(
			d,
			"range of CPUs is from 0.01 to %u.00, as there are only %u "
			"CPUs available",
			here, here);
	return 0;
}

static int check_platform(const struct docker *d, const struct docker_run_args *a)
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
	return docker_fail(d,
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
static int check_port(const struct docker *d, const char *text)
{
	size_t len = strcspn(text, "/");
	const char *last = memrchr(text, ':', len);
	const char *inner = last ? last + 1 : text;
	size_t inner_len = len - (size_t)(inner - text);
	const char *outer = last ? memrchr(text, ':', (size_t)(last - text)) : NULL;
	uint64_t host = 0, port = 0;

	outer = last ? (outer ? outer + 1 : text) : NULL;
	if (parse_port(inner, inner_len, &port) < 0 || !port)
		return docker_fail(d, "invalid containerPort: %.*s", (int)inner_len, inner);
	if (outer && parse_port(outer, (size_t)(last - outer), &host) < 0)
		return docker_fail(d, "invalid hostPort: %.*s", (int)(last - outer), outer);
	if (host && host != port)
		return docker_fail(d,
				   "--publish %s is not available in csbx: the container has the "
				   "host's network, where port %llu is port %llu",
				   text, (unsigned long long)port, (unsigned long long)port);
	return 0;
}

static int check_publish(const struct docker *d, const struct docker_run_args *a)
{
	bool is_none = a->network && str_eq(a->network, "none");
	int code = 0;

	for (size_t i = 0; !code && !is_none && i < a->publish.n; i++)
		code = check_port(d, a->publish.items[i]);
	if (!code && a->publish.n && a->network && str_eq(a->network, "host"))
		return docker_say(0,
				  "WARNING: Published ports are discarded when using host network "
				  "mode");
	return code;
}

static int check_groups(const struct docker *d, const struct docker_run_args *a)
{
	for (size_t i = 0; i < a->groups.n && a->groups.n > 1; i++) {
		if (str_eq(a->groups.items[i], "keep-groups"))
			return docker_fail(d, "--group-add keep-groups leaves the caller's own "
					      "groups: there can be no others");
	}
	return 0;
}

static int check_rest(const struct docker *d, const struct docker_run_args *a)
{
	static const char *const drivers[] = {"", "json-file", "local", "none", NULL};
	int signal;

	if (a->stop_signal && *a->stop_signal && signal_parse(a->stop_signal, &signal, NULL) < 0)
		return docker_daemon_fail(d, "invalid signal: %s", a->stop_signal);
	if (a->workdir && *a->workdir && *a->workdir != '/')
		return docker_daemon_fail(
			d,
			"the working directory '%s' is invalid, it needs to be an "
			"absolute path",
			a->workdir);
	if (a->log_driver && !is_one_of(a->log_driver, drivers))
		return docker_daemon_fail(
			d, "error looking up logging plugin %s: plugin \"%s\" not found",
			a->log_driver, a->log_driver);
	if (a->runtime && *a->runtime && !str_eq(a->runtime, "runc"))
		return docker_daemon_fail(d, "unknown or invalid runtime name: %s", a->runtime);
	if (a->sysctls.n)
		return docker_say(0,
				  "WARNING: --sysctl is without effect in csbx: %s keeps its "
				  "value",
				  a->sysctls.items[0]);
	return 0;
}

int docker_run_check(const struct docker *d, const struct docker_run_args *a)
{
	static int (*const checks[])(const struct docker *, const struct docker_run_args *) = {
		check_terminal, check_files,      check_security,          check_restart,
		check_pull,     check_namespaces, check_network,           check_both_caps,
		check_memory,   check_cpus,       check_platform,          check_publish,
		check_groups,   check_rest,       docker_run_check_others,
	};
	int code = 0;

	for (size_t i = 0; !code && i < sizeof(checks) / sizeof(checks[0]); i++)
		code = checks[i](d, a);
	return code;
}
