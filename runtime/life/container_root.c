/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csbx-init lives in A and has the payload's mount namespace (runtime/helpers/init/main.c), so its
 * files in /proc name both. It cannot be stopped or fooled from inside. As long as the instance's
 * lock is held by its supervisor, the pid in the record is init's; the lock is looked at after the
 * files were opened.
 *
 * A start is on record before its process 1 has built the root: until then the root of that process
 * is the host's, or one where csbx's own directories are still to be seen. It becomes csbx-init, or
 * csbx-init of a bare container makes B, when all is in place, and never goes back.
 */
#include "runtime/life/container_root.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/peer.h"
#include "runtime/record/instance.h"
#include "runtime/settings/paths.h"

#define START_MS 10000 /* to wait for a start that is not done */
#define LOOK_MS 2

static int open_of(int proc, const char *name, int flags, struct err *e)
{
	int fd = openat(proc, name, flags | O_CLOEXEC);

	if (fd < 0 && (errno == ENOENT || errno == ESRCH))
		return err_set(e, ESRCH, "not running");
	return fd < 0 ? err_sys(e, "its %s", name) : fd;
}

static int open_proc(pid_t pid, struct err *e)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%ld", (long)pid);
	return open_of(AT_FDCWD, path, O_PATH | O_DIRECTORY, e);
}

/* Its program: a sealed memfd, or the installed file, which an upgrade may have taken away. */
static int is_csbx_init(int proc, struct err *e)
{
	char path[PATH_MAX + 1];
	ssize_t n = readlinkat(proc, "exe", path, sizeof(path) - 1);
	const char *name;

	if (n < 0 && (errno == ENOENT || errno == ESRCH))
		return err_set(e, ESRCH, "not running");
	if (n < 0)
		return err_sys(e, "its program");
	path[n] = 0;
	name = strrchr(path, '/');
	name = name ? name + 1 : path;
	if (str_has_prefix(name, "memfd:"))
		name += strlen("memfd:");
	return str_eq(name, "csbx-init") || str_eq(name, "csbx-init (deleted)");
}

/* It goes from the caller's user namespace by way of A, a child of it, to B. */
static int is_in_b(int proc, struct err *e)
{
	_close_ int own = peer_own_userns(e), its = -1;
	struct stat a, b;

	if (own < 0)
		return own;
	its = open_of(proc, "ns/user", O_RDONLY, e);
	if (its < 0)
		return its;
	if (fstat(its, &a) < 0 || fstat(own, &b) < 0)
		return err_sys(e, "its user namespace");
	return (a.st_dev != b.st_dev || a.st_ino != b.st_ino) &&
	       peer_check_child(its, own, NULL) < 0;
}

/* -EAGAIN: the start is not done. The look comes first: what is opened then is the container's. */
static int open_files(const struct instance_record *rec, struct container_root *ret, struct err *e)
{
	_close_ int proc = open_proc(rec->init, e), root = -1;
	int r = proc;

	if (r >= 0)
		r = rec->is_bare ? is_in_b(proc, e) : is_csbx_init(proc, e);
	if (r == 0)
		r = err_set(e, EAGAIN, "its start is not done");
	if (r >= 0)
		r = root = open_of(proc, "root", O_PATH | O_DIRECTORY, e);
	if (r >= 0)
		r = ret->userns_fd = open_of(proc, "ns/user", O_RDONLY, e);
	if (r >= 0)
		ret->root_fd = take_fd(&root);
	return r < 0 ? r : 0;
}

static int open_once(int instances, const struct instance_record *rec, struct container_root *ret,
		     struct err *e)
{
	int r = open_files(rec, ret, e);

	if ((r >= 0 || r == -EAGAIN) && !instance_is_live(instances, rec->id))
		r = err_set(e, ESRCH, "not running");
	if (r < 0)
		container_root_close(ret);
	return r;
}

int container_root_open(const struct paths *p, const struct instance_record *rec,
			struct container_root *ret, struct err *e)
{
	_close_ int instances = paths_open(p->runtime, "instances", e);
	const uint64_t end_ms = clock_monotonic_ms() + START_MS;
	int r;

	*ret = (struct container_root)CONTAINER_ROOT_INIT;
	if (instances < 0)
		return instances;
	while ((r = open_once(instances, rec, ret, e)) == -EAGAIN && clock_monotonic_ms() < end_ms)
		(void)poll(NULL, 0, LOOK_MS);
	return r;
}

void container_root_close(struct container_root *r)
{
	fd_close(&r->root_fd);
	fd_close(&r->userns_fd);
}

int container_root_enter(const struct container_root *r, struct err *e)
{
	return setns(r->userns_fd, CLONE_NEWUSER) < 0
		       ? err_sys(e, "join the container's user namespace")
		       : 0;
}

int container_root_die_with(pid_t parent, struct err *e)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_sys(e, "prctl");
	return getppid() == parent ? 0 : err_set(e, ECANCELED, "interrupted");
}
