/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/doctor/host.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/doctor/host_cause.h"
#include "runtime/doctor/host_try.h"
#include "runtime/kernel/local_socket.h"
#include "runtime/kernel/peer.h"
#include "runtime/record/engine_dir.h"
#include "runtime/settings/paths.h"

#define KERNEL_MAJOR 5
#define KERNEL_MINOR 14

static void probe_kernel(const struct paths *p, struct host_fact *f)
{
	struct utsname u;
	int major = 0, minor = 0;

	(void)p;
	if (uname(&u) < 0 || sscanf(u.release, "%d.%d", &major, &minor) != 2) {
		host_miss(f, "the kernel's version cannot be read");
		return;
	}
	f->ok = major > KERNEL_MAJOR || (major == KERNEL_MAJOR && minor >= KERNEL_MINOR);
	host_reason(f, "Linux %.100s", u.release);
	if (!f->ok)
		host_remedy(f, "boot a kernel of %d.%d or later", KERNEL_MAJOR, KERNEL_MINOR);
}

static void probe_userns(const struct paths *p, struct host_fact *f)
{
	struct try_result r = try_namespaces();

	(void)p;
	f->ok = r.stage == TRY_OK;
	if (f->ok)
		host_reason(f, "user, mount, pid, ipc, uts, net and cgroup namespaces can be made");
	else
		host_cause_userns(&r, f);
}

static void probe_proc(const struct paths *p, struct host_fact *f)
{
	struct try_result r = try_proc();

	(void)p;
	f->ok = r.stage == TRY_OK;
	if (f->ok) {
		host_reason(f, "a fresh /proc can be mounted");
	} else if (r.stage == TRY_PROC) {
		host_miss(f, "mount proc: %s: parts of this /proc are covered, as in a container",
			  err_text(r.code));
		host_remedy(
			f,
			"give the outer container an unmasked /proc (docker, podman: "
			"--security-opt systempaths=unconfined; Kubernetes: securityContext.procMount "
			"Unmasked, with hostUsers false)");
	} else {
		host_cause_userns(&r, f);
	}
}

static void probe_tmpfs_xattr(const struct paths *p, struct host_fact *f)
{
	struct try_result r = try_tmpfs_xattr();

	(void)p;
	f->ok = r.stage == TRY_OK;
	if (f->ok) {
		host_reason(f, "throw-away layers lie in memory");
	} else if (r.stage == TRY_XATTR) {
		host_miss(f,
			  "tmpfs takes no user attributes (%s; Linux 6.6 has them): throw-away "
			  "layers lie in the scratch directory",
			  err_text(r.code));
	} else {
		host_cause_userns(&r, f);
	}
}

static void overlay_fact(const struct try_result *r, const char *where, struct host_fact *f)
{
	f->ok = r->stage == TRY_OK;
	if (f->ok) {
		host_reason(f, "overlay works with its upper layer on %s", where);
	} else if (r->stage == TRY_OVERLAY) {
		host_miss(f, "mount overlay with its upper layer on %s: %s", where,
			  err_text(r->code));
		host_remedy(f,
			    "load the module (modprobe overlay); the kernel must be 5.11 or later "
			    "and %s must not be a network file system",
			    where);
	} else if (r->stage == TRY_RMDIR) {
		host_miss(f,
			  "remove a directory of the image, upper layer on %s: %s: no user "
			  "attributes there",
			  where, err_text(r->code));
	} else {
		host_cause_userns(r, f);
	}
}

static void probe_overlay(const struct paths *p, struct host_fact *f)
{
	struct try_result r = try_overlay(NULL);

	(void)p;
	overlay_fact(&r, "tmpfs", f);
	if (r.stage ==
	    TRY_RMDIR) { /* HOST_TMPFS_XATTR says so; the scratch directory serves then */
		f->ok = true;
		host_reason(f, "overlay works, with its upper layer on a disk");
	}
}

static void probe_overlay_disk(const struct paths *p, struct host_fact *f)
{
	_close_ int dir = -1;
	_free_ char *path = NULL;
	struct err e = ERR_INIT;
	struct try_result r;

	if (!p) {
		host_miss(f, "not tried: no layer path is known");
		return;
	}
	dir = paths_open(p->layers, NULL, &e);
	path = str_printf("%s/.probe-%d", p->layers, (int)getpid());
	if (dir < 0 || !path || mkdirat(dir, strrchr(path, '/') + 1, 0700) < 0) {
		host_miss(f, "%s: %s", p->layers, dir < 0 ? e.msg : err_text(errno));
		host_remedy(f,
			    "set CSBX_LAYER_PATH to a directory of yours on a local file system");
		return;
	}
	r = try_overlay(path);
	path_remove_tree_at(dir, strrchr(path, '/') + 1, NULL);
	overlay_fact(&r, p->layers, f);
	if (r.stage == TRY_OVERLAY || r.stage == TRY_RMDIR)
		host_remedy(f, "set CSBX_LAYER_PATH to a directory on a local file system (ext4, "
			       "xfs, btrfs)");
}

static void probe_fuse(const struct paths *p, struct host_fact *f)
{
	struct try_result r = try_fuse();

	(void)p;
	f->ok = r.stage == TRY_OK;
	if (f->ok) {
		host_reason(f, "images are mounted through /dev/fuse");
	} else if (r.stage == TRY_FUSE_OPEN || r.stage == TRY_FUSE_MOUNT) {
		host_miss(f, "%s: %s: images are unpacked into the cache instead",
			  r.stage == TRY_FUSE_OPEN ? "open /dev/fuse" : "mount through /dev/fuse",
			  err_text(r.code));
		host_remedy(f, r.code == ENOENT || r.code == ENODEV || r.code == ENXIO
				       ? "modprobe fuse (in a container: --device /dev/fuse)"
				       : "chmod 666 /dev/fuse, as distributions ship it");
	} else {
		host_cause_userns(&r, f);
	}
}

static void call_missing(struct host_fact *f, const char *name)
{
	host_miss(f, "%s: %s", name, err_text(errno));
	if (errno == ENOSYS)
		host_remedy(f,
			    "boot a kernel of %d.%d or later; if it is one, a seccomp filter "
			    "refuses %s(2)",
			    KERNEL_MAJOR, KERNEL_MINOR, name);
}

/* A call with arguments that every kernel which has it refuses. */
static void call_fact(struct host_fact *f, const char *name, long r)
{
	f->ok = r >= 0 || errno != ENOSYS;
	if (f->ok)
		host_reason(f, "%s is there", name);
	else
		call_missing(f, name);
}

static void probe_seccomp(const struct paths *p, struct host_fact *f)
{
	unsigned action = SECCOMP_RET_KILL_PROCESS;

	(void)p;
	f->ok = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
	if (f->ok)
		host_reason(f, "system call filters work");
	else
		call_missing(f, "seccomp");
}

static void probe_landlock(const struct paths *p, struct host_fact *f)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);

	(void)p;
	f->ok = abi >= 2;
	if (abi >= 0) {
		host_reason(f, "ABI %ld", abi);
		return;
	}
	host_miss(f, errno == EOPNOTSUPP ? "switched off at boot" : "not in this kernel");
	if (errno == EOPNOTSUPP)
		host_remedy(f, "add landlock to the kernel's lsm= parameter");
}

static void probe_openat2(const struct paths *p, struct host_fact *f)
{
	(void)p;
	call_fact(f, "openat2", syscall(SYS_openat2, -1, "", NULL, 0));
}

static void probe_open_tree(const struct paths *p, struct host_fact *f)
{
	(void)p;
	call_fact(f, "open_tree", syscall(SYS_open_tree, -1, "", ~0u));
	if (f->ok)
		call_fact(f, "move_mount", syscall(SYS_move_mount, -1, "", -1, "", ~0u));
	if (f->ok)
		call_fact(f, "fsopen", syscall(SYS_fsopen, NULL, ~0u));
}

static void probe_mount_setattr(const struct paths *p, struct host_fact *f)
{
	(void)p;
	call_fact(f, "mount_setattr", syscall(SYS_mount_setattr, -1, "", 0, NULL, 0));
}

static void probe_pidfd(const struct paths *p, struct host_fact *f)
{
	(void)p;
	call_fact(f, "pidfd_open", syscall(SYS_pidfd_open, -1, 0));
}

static void probe_clone3(const struct paths *p, struct host_fact *f)
{
	(void)p;
	call_fact(f, "clone3", syscall(SYS_clone3, NULL, 0));
}

static void probe_close_range(const struct paths *p, struct host_fact *f)
{
	(void)p;
	call_fact(f, "close_range", syscall(SYS_close_range, ~0u, 0u, 0));
}

static void probe_memfd(const struct paths *p, struct host_fact *f)
{
	_close_ int fd = memfd_create("csbx-probe", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	unsigned long noexec = 0;

	(void)p;
	f->ok = fd >= 0;
	if (fd < 0) {
		call_missing(f, "memfd_create");
		return;
	}
	host_reason(f, "csbx-init runs from a sealed memory file");
	if (host_read_number("/proc/sys/vm/memfd_noexec", &noexec) && noexec >= 2) {
		host_miss(f, "vm.memfd_noexec is %lu: csbx-init runs from its installed file",
			  noexec);
		host_remedy(f, "sysctl vm.memfd_noexec=1, or install csbx owned by root");
	}
}

/* Whether --allow-root or its key was given is not known here: cmd/verb/doctor.c looks. */
static void probe_user(const struct paths *p, struct host_fact *f)
{
	(void)p;
	f->ok = geteuid() != 0;
	if (f->ok) {
		host_reason(f, "user %u", geteuid());
		return;
	}
	host_miss(f, "you are root, and csbx starts nothing for root");
	host_remedy(f, "be an ordinary user (runuser -u NAME -- csbx ...; USER in a Dockerfile, "
		       "runAsUser in a pod); CSBX_ALLOW_ROOT=yes or --allow-root insists");
}

static int check_engine(const struct paths *p, struct err *e)
{
	_close_ int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	_close_ int dirfd = open(p->runtime, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct sockaddr_un a;
	int r = sock < 0 || dirfd < 0 ? err_sys(e, "socket")
				      : local_socket_address(NULL, dirfd, ENGINE_SOCKET, &a, e);

	if (r >= 0 && connect(sock, (struct sockaddr *)&a, sizeof(a)) < 0)
		r = err_sys(e, "connect");
	return r < 0 ? r : peer_check_listener(sock, e);
}

/* Not needed by anything but clients of Docker's socket. */
static void probe_engine(const struct paths *p, struct host_fact *f)
{
	const char *host = getenv("DOCKER_HOST");
	struct err why = ERR_INIT;
	int r = p ? check_engine(p, &why) : -ENOENT;

	f->ok = r >= 0;
	if (f->ok)
		host_reason(f, "listens at %.120s/" ENGINE_SOCKET "; DOCKER_HOST is %.60s",
			    p->runtime, host && *host ? host : "not set");
	else if (r == -EPERM)
		host_miss(f, "%.60s/" ENGINE_SOCKET ": %.180s", p->runtime, why.msg);
	else if (r == -EAGAIN)
		host_miss(f,
			  "what listens at %.120s/" ENGINE_SOCKET " takes no connections: stopped?",
			  p->runtime);
	else
		host_miss(f, "none listens; DOCKER_HOST is %.120s",
			  host && *host ? host : "not set");
	host_remedy(f, "for programs that ask for Docker's socket: eval \"$(csbx engine --env)\"");
}

typedef void probe_fn(const struct paths *p, struct host_fact *f);

static const struct {
	const char *name, *summary;
	probe_fn *probe;
	bool needed;
} features[] = {
	[HOST_KERNEL] = {"kernel", "kernel", probe_kernel, true},
	[HOST_USERNS] = {"userns", "namespaces", probe_userns, true},
	[HOST_PROC] = {"proc", "fresh /proc", probe_proc, true},
	[HOST_OVERLAY] = {"overlay", "overlay", probe_overlay, true},
	[HOST_OVERLAY_DISK] = {"overlay-disk", "kept layers", probe_overlay_disk, false},
	[HOST_TMPFS_XATTR] = {"tmpfs-xattr", "layers in memory", probe_tmpfs_xattr, false},
	[HOST_FUSE] = {"fuse", "FUSE", probe_fuse, false},
	[HOST_SUBID] = {"subuid", "several users", host_probe_subid, false},
	[HOST_SECCOMP] = {"seccomp", "system call filter", probe_seccomp, true},
	[HOST_LANDLOCK] = {"landlock", "Landlock", probe_landlock, false},
	[HOST_OPENAT2] = {"openat2", "openat2", probe_openat2, true},
	[HOST_OPEN_TREE] = {"open_tree", "mounts by descriptor", probe_open_tree, true},
	[HOST_MOUNT_SETATTR] = {"mount_setattr", "mount_setattr", probe_mount_setattr, true},
	[HOST_PIDFD] = {"pidfd", "pidfd", probe_pidfd, true},
	[HOST_CLONE3] = {"clone3", "clone3", probe_clone3, false},
	[HOST_CLOSE_RANGE] = {"close_range", "close_range", probe_close_range, false},
	[HOST_MEMFD] = {"memfd", "sealed init", probe_memfd, false},
	[HOST_CGROUP] = {"cgroup", "cgroup v2", host_probe_cgroup, false},
	[HOST_CGROUP_MEMORY] = {"cgroup-memory", "limit of memory", host_probe_cgroup_memory,
				false},
	[HOST_CGROUP_CPU] = {"cgroup-cpu", "limit of CPUs", host_probe_cgroup_cpu, false},
	[HOST_CGROUP_PIDS] = {"cgroup-pids", "limit of processes", host_probe_cgroup_pids, false},
	[HOST_USER] = {"user", "an ordinary user", probe_user, true},
	[HOST_RUNTIME_DIR] = {"runtime-dir", "runtime directory", host_probe_runtime_dir, false},
	[HOST_DATA_DIR] = {"data-dir", "data and cache", host_probe_data_dir, false},
	[HOST_HELPERS] = {"helpers", "helper programs", host_probe_helpers, true},
	[HOST_ENGINE] = {"engine", "socket for clients of Docker", probe_engine, false},
	[HOST_APPARMOR] = {"apparmor", "AppArmor", host_probe_apparmor, false},
	[HOST_POLICY] = {"policy", "the site's policy", host_probe_policy, true},
};

_Static_assert(sizeof(features) / sizeof(features[0]) == HOST_FEATURE_MAX, "a row a feature");

const char *host_feature_name(enum host_feature f)
{
	return features[f].name;
}

const char *host_feature_summary(enum host_feature f)
{
	return features[f].summary;
}

bool host_feature_is_needed(enum host_feature f)
{
	return features[f].needed;
}

enum host_feature host_feature_find(const char *name)
{
	int f = 0;

	while (f < HOST_FEATURE_MAX && !str_eq(features[f].name, name))
		f++;
	return (enum host_feature)f;
}

void host_probe(const struct paths *paths, enum host_feature f, struct host_fact *ret)
{
	*ret = (struct host_fact){0};
	features[f].probe(paths, ret);
}
