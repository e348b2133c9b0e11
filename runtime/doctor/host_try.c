/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/doctor/host_try.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/kernel/mount_abi.h"
#include "runtime/kernel/overlay.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define TRY_TIMEOUT_MS 5000
#define SCRATCH "/tmp" /* covered by a tmpfs, in the child's own mount namespace */

struct attempt {
	int (*run)(struct attempt *a); /* in the child, within fresh namespaces; 0 or -1 */
	const char *upper;
	enum try_stage stage; /* being tried */
	int kind;             /* of namespace, in TRY_NAMESPACES */
};

static int write_file(const char *path, const char *text)
{
	_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
}

static int map_self(uid_t uid, gid_t gid)
{
	char map[64];

	if (write_file("/proc/self/setgroups", "deny") < 0)
		return -1;
	snprintf(map, sizeof(map), "0 %u 1", uid);
	if (write_file("/proc/self/uid_map", map) < 0)
		return -1;
	snprintf(map, sizeof(map), "0 %u 1", gid);
	return write_file("/proc/self/gid_map", map);
}

/* One by one: each kind has a limit of its own below /proc/sys/user. */
static int make_namespaces(struct attempt *a)
{
	static const int kinds[] = {CLONE_NEWNS,  CLONE_NEWPID, CLONE_NEWIPC,
				    CLONE_NEWUTS, CLONE_NEWNET, CLONE_NEWCGROUP};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		a->kind = kinds[i];
		if (unshare(a->kind) < 0)
			return -1;
	}
	return 0;
}

/*
 * A root that is our own to mount in: nothing propagates back. The directory to try is made the
 * current one before the namespaces change, so that SCRATCH may cover its path.
 */
static int enter(struct attempt *a)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	a->stage = TRY_OVERLAY;
	if (a->upper && chdir(a->upper) < 0)
		return -1;
	a->stage = TRY_USERNS;
	if (unshare(CLONE_NEWUSER) < 0)
		return -1;
	a->stage = TRY_MAPS;
	if (map_self(uid, gid) < 0)
		return -1;
	a->stage = TRY_NAMESPACES;
	if (make_namespaces(a) < 0)
		return -1;
	a->stage = TRY_MOUNT;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", SCRATCH, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m") < 0)
		return -1;
	return 0;
}

static int run_inner(struct attempt *a)
{
	a->stage = TRY_INNER;
	return unshare(CLONE_NEWUSER | CLONE_NEWNS);
}

/* procfs shows a pid namespace, which needs a process in it: the caller's next child. */
static int run_proc(struct attempt *a)
{
	int status;
	pid_t pid;

	a->stage = TRY_PROC;
	pid = fork();
	if (!pid)
		_exit(mount("proc", SCRATCH, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0
			      ? errno
			      : 0);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
	return errno ? -1 : 0;
}

static int run_xattr(struct attempt *a)
{
	a->stage = TRY_XATTR;
	return setxattr(SCRATCH, "user.csbx", "1", 1, 0);
}

/* Removing a directory of the lower layer is what fails where the upper takes no attributes. */
static int run_overlay(struct attempt *a)
{
	a->stage = TRY_OVERLAY;
	if (!a->upper && chdir(SCRATCH) < 0)
		return -1;
	if (mkdir(SCRATCH "/lower", 0755) < 0 || mkdir(SCRATCH "/lower/d", 0755) < 0 ||
	    mkdir(SCRATCH "/merged", 0755) < 0 || mkdir("upper", 0755) < 0 ||
	    mkdir("work", 0755) < 0)
		return -1;
	if (mount("overlay", SCRATCH "/merged", "overlay", MS_NOSUID | MS_NODEV,
		  "lowerdir=" SCRATCH "/lower,upperdir=upper,workdir=work," OVERLAY_OPTIONS) < 0)
		return -1;
	a->stage = TRY_RMDIR;
	if (rmdir(SCRATCH "/merged/d") < 0 || mkdir(SCRATCH "/merged/d", 0755) < 0)
		return -1;
	return umount(SCRATCH "/merged");
}

static int run_fuse(struct attempt *a)
{
	_close_ int fd = -1;
	char options[96];

	a->stage = TRY_FUSE_OPEN;
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	a->stage = TRY_FUSE_MOUNT;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	return mount("csbx", SCRATCH, "fuse", MS_NOSUID | MS_NODEV | MS_RDONLY, options);
}

static _Noreturn void child(struct attempt *a, int report_fd)
{
	struct try_result r = {TRY_OK, 0, 0};

	if (enter(a) < 0 || a->run(a) < 0)
		r = (struct try_result){a->stage, errno ? errno : EIO, a->kind};
	_exit(write(report_fd, &r, sizeof(r)) != sizeof(r));
}

static struct try_result collect(pid_t pid, int report_fd)
{
	struct try_result r = {TRY_SILENT, ETIMEDOUT, 0};
	struct pollfd p = {.fd = report_fd, .events = POLLIN};

	if (poll(&p, 1, TRY_TIMEOUT_MS) == 1 && read(report_fd, &r, sizeof(r)) != sizeof(r))
		r = (struct try_result){TRY_SILENT, EPIPE, 0};
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return r;
}

static struct try_result try_in_child(struct attempt *a)
{
	struct try_result r = {TRY_FORK, 0, 0};
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0) {
		r.code = errno;
		return r;
	}
	pid = fork();
	if (!pid)
		child(a, fds[1]);
	r.code = errno;
	close(fds[1]);
	if (pid > 0)
		r = collect(pid, fds[0]);
	close(fds[0]);
	return r;
}

struct try_result try_namespaces(void)
{
	return try_in_child(&(struct attempt){.run = run_inner});
}

struct try_result try_proc(void)
{
	return try_in_child(&(struct attempt){.run = run_proc});
}

struct try_result try_tmpfs_xattr(void)
{
	return try_in_child(&(struct attempt){.run = run_xattr});
}

struct try_result try_overlay(const char *upper)
{
	return try_in_child(&(struct attempt){.run = run_overlay, .upper = upper});
}

struct try_result try_fuse(void)
{
	return try_in_child(&(struct attempt){.run = run_fuse});
}
