/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/child/launch.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/child/apart.h"
#include "runtime/child/child.h"
#include "runtime/kernel/loopback.h"
#include "runtime/kernel/net_traces.h"

#define HELPER_STACK_BYTES 65536u
#define MAKER_STACK_BYTES 8192u

struct launch {
	struct child *child;
	const struct launch_namespaces *ns;
	int pidfd;
	pid_t pid;
	bool net_may_return;
	int code;
	const char *step;
	struct err *e; /* says what is wrong where step is NULL */
};

/* clone3(2) only for the placement in a cgroup; with CLONE_PARENT it wants no exit signal. */
static long clone_child(struct launch *l, unsigned long namespaces)
{
	unsigned long flags = namespaces | CLONE_PARENT | CLONE_PIDFD;
	struct clone_args args = {
		.flags = flags | CLONE_INTO_CGROUP,
		.pidfd = (uint64_t)(uintptr_t)&l->pidfd,
		.cgroup = (uint64_t)l->child->helper_cgroup_fd,
	};

	if (l->child->helper_cgroup_fd < 0)
		return syscall(SYS_clone, flags, NULL, &l->pidfd, NULL, NULL);
	return syscall(SYS_clone3, &args, sizeof(args));
}

static bool a_has_ids(void)
{
	_close_ int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	char c;

	return fd < 0 || read(fd, &c, 1) != 0;
}

/* N, in the memory of M: a descriptor of its network namespace is what stays of it. */
static int show_network(void *arg)
{
	int *ret = arg, fd = loopback_up();

	*ret = fd < 0 ? -1 : ioctl(fd, SIOCGSKNS);
	fd_close(&fd);
	_exit(0);
}

/*
 * In a user namespace without ids, so that the files of /proc/PID/net are the kernel's. An owner
 * with an id in A could give them other modes, which stay for the next container. A child of A
 * wants A to have its ids; until it has, it is such a one itself.
 */
static int make_network(bool *ret_is_the_kernels)
{
	char stack[MAKER_STACK_BYTES] __attribute__((aligned(16)));
	int fd = -1, r;
	pid_t n = clone(
		show_network, stack + sizeof(stack),
		CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_NEWUSER | CLONE_NEWNET | SIGCHLD, &fd);

	while (n > 0 && waitpid(n, NULL, 0) < 0 && errno == EINTR)
		;
	if (fd < 0) {
		r = unshare(CLONE_NEWNET);
		*ret_is_the_kernels = !a_has_ids();
		return r;
	}
	r = setns(fd, CLONE_NEWNET);
	fd_close(&fd);
	*ret_is_the_kernels = true;
	return r;
}

/* The one that was made before, or a new one. */
static void enter_network(struct launch *l)
{
	bool is_the_kernels = true; /* the attendant makes no other */
	int r = l->ns->net_fd >= 0 ? setns(l->ns->net_fd, CLONE_NEWNET)
				   : make_network(&is_the_kernels);

	if (r < 0) {
		l->code = errno;
		l->step = "join the container's network namespace";
		_exit(1);
	}
	l->net_may_return = l->ns->traces && is_the_kernels;
}

/*
 * The mount namespace to copy has nothing of the host, and a layer on disk can be cloned only where
 * the host's mounts are: in a copy of them. A descriptor keeps that copy, or leaving it would take
 * as long as taking it down.
 */
static void clone_layers(struct launch *l)
{
	l->code = unshare(CLONE_NEWNS) < 0 ? errno : 0;
	l->step = "copy the mounts of the host";
	if (l->code)
		_exit(1);
	*l->ns->host_copy_fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	l->step = NULL;
	l->code = -sources_clone(l->child, l->e);
	if (l->code)
		_exit(1);
}

/* Runs as M in S's memory: no allocation, no stdio, results go into *l. */
static int join_and_clone(void *arg)
{
	struct launch *l = arg;
	unsigned long flags = l->ns->flags;
	long pid;

	if (setns(l->ns->userns_fd, CLONE_NEWUSER) < 0) {
		l->code = errno;
		l->step = "join the container's user namespace";
		_exit(1);
	}
	if ((flags & CLONE_NEWNET) && (l->ns->net_fd >= 0 || l->ns->traces)) {
		enter_network(l);
		flags &= ~(unsigned long)CLONE_NEWNET;
	}
	if (l->ns->apart_fd >= 0 && l->ns->host_copy_fd)
		clone_layers(l);
	if (l->ns->apart_fd >= 0 && setns(l->ns->apart_fd, CLONE_NEWNS) < 0) {
		l->code = errno;
		l->step = "join the mount namespace that containers are made in";
		_exit(1);
	}
	pid = clone_child(l, flags);
	if (!pid)
		child_main(l->child);
	if (pid < 0) {
		l->code = errno;
		l->step = "make the container's namespaces";
		_exit(1);
	}
	l->pid = (pid_t)pid;
	/* Pid 1 goes on beside this. Here, as M is in the namespace: a short program may be gone
	 * before S looks. */
	if (l->net_may_return)
		net_traces_open(l->ns->traces);
	if (l->ns->made_apart_fd)
		*l->ns->made_apart_fd = apart_make(l->ns->made_apart_net_fd);
	_exit(0);
}

int launch_child(struct child *c, const struct launch_namespaces *ns, struct launched *ret,
		 struct err *e)
{
	/* On the heap: the caller's stack may be small, and the child lives on this one. */
	_free_ char *stack = aligned_alloc(16, HELPER_STACK_BYTES);
	struct launch l = {.child = c, .ns = ns, .pidfd = -1, .e = e};
	pid_t m;

	if (!stack || (ns->host_copy_fd && !sources_prepare(c)))
		return err_oom(e);
	m = clone(join_and_clone, stack + HELPER_STACK_BYTES,
		  CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &l);
	if (m < 0)
		return err_sys(e, "start a helper process");
	while (waitpid(m, NULL, 0) < 0 && errno == EINTR)
		;
	/* Pid 1 has its own of each. */
	sources_close(c);
	if (l.code && !l.step)
		return -l.code;
	if (l.code) {
		err_code(e, l.code, "%s", l.step);
		if (l.code == ENOSPC)
			err_append(e, "a limit below /proc/sys/user is reached");
		return -l.code;
	}
	if (l.pid <= 0)
		return err_set(e, EIO, "the helper process died");
	*ret = (struct launched){l.pid, l.pidfd};
	return 0;
}

int launch_approve(int control_fd, int msg_fd, struct err *e)
{
	int r = fd_send_patient(control_fd, "", 1, &msg_fd, 1, e);

	/* It has told why on the status pipe. */
	return r == -EPIPE || r == -ECONNRESET ? 0 : r;
}

void launch_abandon(const struct launched *child)
{
	siginfo_t si;

	(void)syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0);
	while (waitid(P_PIDFD, (id_t)child->pidfd, &si, WEXITED | __WALL) < 0 && errno == EINTR)
		;
}
