/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csbx-init lives in A and has the payload's mount namespace (runtime/helpers/init/main.c), so its
 * files in /proc name both. It cannot be stopped or fooled from inside. As long as the instance's
 * lock is held by its supervisor, the pid in the record is init's; the lock is looked at after the
 * files were opened.
 */
#include "runtime/life/container_root.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/instance.h"
#include "runtime/settings/paths.h"

static int open_of(pid_t pid, const char *name, int flags, struct err *e)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return err_set(e, ESRCH, "not running");
	return fd < 0 ? err_sys(e, "its %s", name) : fd;
}

int container_root_open(const struct paths *p, const struct instance_record *rec,
			struct container_root *ret, struct err *e)
{
	_close_ int instances = paths_open(p->runtime, "instances", e);
	_close_ int root = -1, ns = -1;

	if (instances < 0)
		return instances;
	root = open_of(rec->init, "root", O_PATH | O_DIRECTORY, e);
	if (root < 0)
		return root;
	ns = open_of(rec->init, "ns/user", O_RDONLY, e);
	if (ns < 0)
		return ns;
	if (!instance_is_live(instances, rec->id))
		return err_set(e, ESRCH, "not running");
	*ret = (struct container_root){take_fd(&root), take_fd(&ns)};
	return 0;
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
