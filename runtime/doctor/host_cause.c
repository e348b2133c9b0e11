/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/settings/policy.h"
#include "runtime/doctor/host_cause.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/doctor/host.h"
#include "runtime/doctor/host_try.h"

#define MOUNTINFO_MAX (4u << 20)

void host_reason(struct host_fact *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->reason, sizeof(f->reason), fmt, ap);
	va_end(ap);
}

void host_remedy(struct host_fact *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->remedy, sizeof(f->remedy), fmt, ap);
	va_end(ap);
}

void host_miss(struct host_fact *f, const char *fmt, ...)
{
	va_list ap;

	f->ok = false;
	va_start(ap, fmt);
	vsnprintf(f->reason, sizeof(f->reason), fmt, ap);
	va_end(ap);
}

const char *host_login(void)
{
	const char *name = getenv("USER");

	return name && *name ? name : "USER";
}

static bool read_text(const char *path, char *buf, size_t size)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (n < 0)
		return false;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return true;
}

bool host_read_number(const char *path, unsigned long *ret)
{
	char text[64], *end;

	if (!read_text(path, text, sizeof(text)))
		return false;
	errno = 0;
	*ret = strtoul(text, &end, 10);
	return !errno && end != text;
}

/* The "Seccomp:" line of our own status: 2 = someone around us filters. */
static bool is_filtered(void)
{
	_strbuf_ struct strbuf status = STRBUF_INIT;
	_close_ int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	const char *line;

	if (fd < 0 || io_read_all(fd, 65536, &status, NULL) < 0)
		return false;
	line = strstr(strbuf_str(&status), "\nSeccomp:");
	return line && strtoul(line + strlen("\nSeccomp:"), NULL, 10) == 2;
}

/* Each switch as the kernel shows it; false when it does not stand in the way. */
static bool blame_limit(const char *name, struct host_fact *f)
{
	_free_ char *path = str_printf("/proc/sys/user/%s", name);
	unsigned long max;

	if (!path || !host_read_number(path, &max))
		return false;
	if (max) {
		host_miss(f, "as many namespaces as user.%s allows (%lu) exist", name, max);
		host_remedy(f, "sysctl user.%s=%lu", name, max * 2);
	} else {
		host_miss(f, "user.%s is 0", name);
		host_remedy(f,
			    "sysctl user.%s=31000; inside a csbx container nothing can be done: "
			    "namespaces are off there on purpose",
			    name);
	}
	return true;
}

static bool blame_clone_switch(struct host_fact *f)
{
	unsigned long on;

	if (!host_read_number("/proc/sys/kernel/unprivileged_userns_clone", &on) || on)
		return false;
	host_miss(f, "kernel.unprivileged_userns_clone is 0");
	host_remedy(f, "sysctl kernel.unprivileged_userns_clone=1");
	return true;
}

static bool apparmor_restricts(void)
{
	unsigned long on;

	return host_read_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", &on) &&
	       on;
}

static bool blame_apparmor(struct host_fact *f)
{
	if (!apparmor_restricts())
		return false;
	host_miss(f,
		  "AppArmor allows user namespaces only to programs with a profile that says so");
	host_remedy(f, "make install places a profile for csbx; load it with: apparmor_parser -r "
		       "/etc/apparmor.d/csbx");
	return true;
}

static bool blame_filter(struct host_fact *f)
{
	if (!is_filtered())
		return false;
	host_miss(f,
		  "a system call filter around this session refuses namespaces or mounts, as in a "
		  "container");
	host_remedy(f, "let the outer container allow user namespaces and mount (docker, podman: "
		       "--security-opt seccomp=unconfined --device /dev/fuse)");
	return true;
}

/* No process makes a user namespace whose own ids do not exist in the one it is in (clone(2)). */
static bool blame_unmapped(struct host_fact *f)
{
	_strbuf_ struct strbuf map = STRBUF_INIT;
	_close_ int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	unsigned long first, outside, count;

	if (fd < 0 || io_read_all(fd, 65536, &map, NULL) < 0)
		return false;
	for (const char *line = strbuf_str(&map); line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%lu %lu %lu", &first, &outside, &count) == 3 &&
		    geteuid() >= first && geteuid() - first < count)
			return false;
	}
	host_miss(f, "this session runs in a user namespace in which its user id does not exist");
	host_remedy(f, "give it an id map (unshare --map-current-user), or start csbx outside");
	return true;
}

/* Only what can be reached from the root is listed, and so a mere directory as root is not. */
static bool root_is_listed(void)
{
	_strbuf_ struct strbuf mounts = STRBUF_INIT;
	_close_ int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	char target[4];

	if (fd < 0 || io_read_all(fd, MOUNTINFO_MAX, &mounts, NULL) < 0)
		return true;
	for (const char *line = strbuf_str(&mounts); line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%*s %*s %*s %*s %3s", target) == 1 && str_eq(target, "/"))
			return true;
	}
	return false;
}

/*
 * With no switch and no missing id, two reasons for EPERM are left in clone(2). A chroot to a
 * directory shows; one to a mount point looks like any root to the one in it.
 */
static void blame_chroot(struct host_fact *f)
{
	if (root_is_listed())
		host_miss(f, "user namespaces are refused, as they are in a chroot, or by a "
			     "security module (SELinux, BPF)");
	else
		host_miss(f, "this session runs in a chroot, where user namespaces are refused");
	host_remedy(f, "start csbx outside, or enter the directory by pivot_root in a mount "
		       "namespace of its own (systemd-nspawn, bwrap)");
}

static const char *const stage_texts[] = {
	[TRY_OK] = "nothing",
	[TRY_FORK] = "start a process",
	[TRY_USERNS] = "make a user namespace",
	[TRY_MAPS] = "write the id maps of a user namespace",
	[TRY_NAMESPACES] = "make the other namespaces",
	[TRY_MOUNT] = "mount a tmpfs in a user namespace",
	[TRY_PROC] = "mount proc in a user namespace",
	[TRY_INNER] = "make a second user namespace within the first",
	[TRY_XATTR] = "set an attribute on a tmpfs",
	[TRY_OVERLAY] = "mount an overlay",
	[TRY_RMDIR] = "remove a directory in an overlay",
	[TRY_FUSE_OPEN] = "open /dev/fuse",
	[TRY_FUSE_MOUNT] = "mount through /dev/fuse",
	[TRY_SILENT] = "hear from the process that tries namespaces",
};

/* The file below /proc/sys/user that bounds what was tried, user_namespaces(7). */
static const char *limit_of(const struct try_result *r)
{
	switch (r->stage == TRY_NAMESPACES ? r->kind : CLONE_NEWUSER) {
	case CLONE_NEWNS:
		return "max_mnt_namespaces";
	case CLONE_NEWPID:
		return "max_pid_namespaces";
	case CLONE_NEWIPC:
		return "max_ipc_namespaces";
	case CLONE_NEWUTS:
		return "max_uts_namespaces";
	case CLONE_NEWNET:
		return "max_net_namespaces";
	case CLONE_NEWCGROUP:
		return "max_cgroup_namespaces";
	default:
		return "max_user_namespaces";
	}
}

void host_cause_userns(const struct try_result *r, struct host_fact *f)
{
	bool denied = r->code == EPERM || r->code == EACCES;

	host_miss(f, "%s: %s", stage_texts[r->stage], err_text(r->code));
	if (r->code == EINVAL && r->stage == TRY_USERNS)
		host_remedy(f, "a kernel with CONFIG_USER_NS");
	if (r->code == ENOSPC && blame_limit(limit_of(r), f))
		return;
	if (!denied)
		return;
	if (blame_clone_switch(f) || blame_apparmor(f) || blame_filter(f))
		return;
	if (r->stage == TRY_USERNS && r->code == EPERM && !blame_unmapped(f))
		blame_chroot(f);
}

void host_probe_apparmor(const struct paths *p, struct host_fact *f)
{
	char enabled[8] = "", profile[160] = "";

	(void)p;
	f->ok = true;
	if (!read_text("/sys/module/apparmor/parameters/enabled", enabled, sizeof(enabled)) ||
	    *enabled != 'Y') {
		host_reason(f, "not active");
		return;
	}
	if (!read_text("/proc/self/attr/apparmor/current", profile, sizeof(profile)))
		read_text("/proc/self/attr/current", profile, sizeof(profile));
	host_reason(f, "active, csbx runs as '%s'", *profile ? profile : "?");
	if (!apparmor_restricts() || str_has_prefix(profile, "csbx"))
		return;
	host_miss(f, "user namespaces need a profile, csbx runs as '%s'", *profile ? profile : "?");
	host_remedy(f, "make install places one; load it with: apparmor_parser -r "
		       "/etc/apparmor.d/csbx");
}

/* A policy with a fault refuses every start. */
void host_probe_policy(const struct paths *p, struct host_fact *f)
{
	_strbuf_ struct strbuf rules = STRBUF_INIT;
	struct policy policy = POLICY_INIT;
	struct err e = ERR_INIT;
	unsigned line;

	(void)p;
	if (policy_load(&policy, &e) < 0) {
		host_miss(f, "no container starts: %.200s", e.msg);
		host_remedy(f, "as root, mend that line or remove it");
		return;
	}
	f->ok = true;
	for (size_t i = 0; i < POLICY_RULES_MAX; i++) {
		_strbuf_ struct strbuf rule = STRBUF_INIT;

		if (policy_rule(&policy, i, &rule, &line))
			strbuf_addf(&rules, "%s%s", i ? ", " : "", strbuf_str(&rule));
	}
	if (policy.file)
		host_reason(f, "%s: %s", policy.file, rules.len ? strbuf_str(&rules) : "no rule");
	else
		host_reason(f, "the site has none");
	policy_free(&policy);
}
