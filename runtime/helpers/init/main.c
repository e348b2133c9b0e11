/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csbx-init, pid 1 of every container: how it works.
 *
 * It is exec'd in the outer user namespace A, after the container's root has been built, and never
 * leaves A. It makes B, the payload's user and mount namespace (a child of A, so that every mount
 * made before is locked there), starts the main process W in it (payload.c), keeps descriptors of
 * B's namespaces to place exec'd processes there later (spawn.c), and then drops every capability.
 * One privilege stays, which cannot be dropped: its user id owns B, so user_namespaces(7) gives it
 * all capabilities over B. For this reason exec goes through it.
 *
 * Of the mount namespaces it joins B's copy and gives up the one it was exec'd in, which no process
 * needs any longer. To take a mount namespace down the kernel waits for an RCU grace period; this
 * one's passes while the payload runs and not at the end, where somebody waits for it.
 *
 * The payload cannot reach it: it lives in another user namespace (no ptrace, no /proc/1/mem), is
 * not dumpable, and as pid 1 it gets no signal from inside but those it has a handler for: none.
 * Only SIGCHLD is blocked and read from a signalfd; all else the kernel drops when it is sent. With
 * INIT_PAYLOAD_SIGNALS all are read from it, and passed on or dropped (pid1.c).
 *
 * With INIT_LANE it outlives the main process, empties the container behind it, and takes the next
 * one (lane.c); the one capability that this needs it keeps.
 *
 * Otherwise it ends when the main process does (the kernel then kills all that is left), when the supervisor
 * closes the control socket, or by the parent-death signal that was set before it was exec'd.
 * Failures before that are told once, on the status pipe, and end it.
 *
 * No libc, no heap, no recursion. Memory: one page table's worth and the spawn table's touched
 * pages. It trusts the supervisor that sent the message, yet checks it (msg_check.c): a bug there
 * must not become one here. It does not even believe that the sender of an exec may ask: it holds
 * the start's message and gives no process more than that (msg_bounds.c).
 */
#include "runtime/helpers/init/init.h"
#include "runtime/helpers/init/abi/msg_check.h"

__attribute__((noreturn)) void init_main(void);

static __attribute__((noreturn)) void init_fail(unsigned stage, int result)
{
	status_send(INIT_FD_STATUS, stage, result, 0);
	sys_exit(INIT_EXIT_FAILED);
}

/* Signals, descriptors and the keyring: all that later children inherit as well. */
static void prepare(struct init *in, const struct init_msg *m)
{
	const uint64_t sigchld = UINT64_C(1) << (SIGCHLD - 1);
	const uint64_t mask = m->flags & INIT_PAYLOAD_SIGNALS ? ~UINT64_C(0) : sigchld;
	int r = reset_dispositions();

	if (r >= 0)
		r = sys_rt_sigprocmask(SIG_SETMASK, &mask);
	if (r >= 0)
		r = in->signal_fd = sys_signalfd4(&mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r < 0)
		init_fail(INIT_STAGE_SIGNALS, r);
	sys_prctl(PR_SET_DUMPABLE, 0, 0);
	/* One anonymous session keyring a container: the caller's keys stay out of reach. */
	r = sys_keyctl(KEYCTL_JOIN_SESSION_KEYRING, 0);
	if (r == -ENOSYS) /* a kernel without keys has none to hide */
		r = 0;
	if (r == -EDQUOT && (m->flags & INIT_KEYRING_TRY))
		in->degraded |= INIT_DEGRADED_KEYRING;
	else if (r < 0)
		init_fail(INIT_STAGE_KEYRING, r);
}

static __attribute__((noreturn)) void run_main(const struct init_msg *m, int sync_fd)
{
	struct payload p = {
		.m = m,
		.flags = m->flags,
		.fds = {0, 1, 2},
		.status_fd = INIT_FD_STATUS,
		.sync_fd = sync_fd,
	};

	for (uint32_t i = 0; i < m->n_keep_fds; i++)
		p.fds[3 + i] = INIT_FD_FIRST_KEPT + (int)i;
	payload_run(&p);
}

/* Of csbx-init or W, which cannot go away meanwhile. */
struct process {
	int pid; /* 0: csbx-init itself */
	int pidfd;
};

static struct process process_of(int pid)
{
	return (struct process){.pid = pid, .pidfd = sys_pidfd_open(pid ? pid : sys_getpid())};
}

/*
 * By the pidfd (Linux 6.11), or else by /proc, where the kernel makes objects for each name on the
 * way and takes them down when the process is reaped.
 */
static int open_namespace(struct process p, unsigned request, const char *name)
{
	char path[PROC_NAME_BYTES];
	int fd = p.pidfd < 0 ? p.pidfd : sys_ioctl(p.pidfd, request, 0);

	if (fd >= 0)
		return fd;
	proc_name(path, p.pid, name);
	return sys_openat(INIT_FD_PROC, path, O_RDONLY | O_CLOEXEC);
}

#define GET_NS(number) (0xff00u | (number)) /* PIDFD_GET_*_NAMESPACE, linux/pidfd.h */

/* Namespaces that W shares with init need not be joined later. */
static int open_namespaces(struct init *in, struct process main)
{
	static const struct {
		char name[12];
		uint32_t flag; /* 0: always */
		uint32_t request;
	} ns[NS_MAX] = {
		[NS_USER] = {"ns/user", 0, GET_NS(9)},
		[NS_CGROUP] = {"ns/cgroup", INIT_NEW_CGROUP_NS, GET_NS(1)},
		[NS_NET] = {"ns/net", INIT_NEW_NET, GET_NS(4)},
		[NS_UTS] = {"ns/uts", INIT_NEW_UTS, GET_NS(10)},
		[NS_IPC] = {"ns/ipc", INIT_NEW_IPC, GET_NS(2)},
	};

	for (int i = 0; i < NS_MAX; i++) {
		in->ns_fds[i] = -1;
		if (ns[i].flag && !(in->flags & ns[i].flag))
			continue;
		in->ns_fds[i] = open_namespace(main, ns[i].request, ns[i].name);
		if (in->ns_fds[i] < 0)
			return in->ns_fds[i];
	}
	return 0;
}

/*
 * From the mount namespace that init was exec'd in to W's copy of it. The descriptor keeps the old
 * one until there is time to take it down.
 */
static int change_mounts(struct process main, int *ret_old)
{
	struct process self = process_of(0);
	int fd = open_namespace(main, GET_NS(3), "ns/mnt"), r;

	if (fd < 0)
		return fd;
	*ret_old = open_namespace(self, GET_NS(3), "ns/mnt");
	r = *ret_old < 0 ? *ret_old : sys_setns(fd, CLONE_NEWNS);
	sys_close(self.pidfd);
	sys_close(fd);
	return r;
}

/*
 * Only a process with CAP_SETPCAP can drop the bounding set; one without it has nothing to gain
 * from the set either, since init never execs. The payload's streams go too: the reader at the
 * other end of its stdout must see the end of it when the payload closes it. Their numbers stay
 * taken, so that descriptors received later do not land there.
 */
static int drop_all(const struct init *in)
{
	int r = drop_bounding(0);

	if (r == -EPERM)
		r = 0;
	if (r >= 0)
		r = drop_caps(in->flags & INIT_LANE ? LANE_CAPS : 0);
	if (r >= 0 && (in->flags & INIT_NO_NEW_PRIVS))
		r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
	for (int fd = 0; fd < 3 && r >= 0; fd++)
		r = sys_dup3(INIT_FD_PROC, fd, O_CLOEXEC);
	return r;
}

/* W with init's part of its making: its maps, B's namespaces, and what init gives up. */
static int finish_main(struct init *in, const struct init_msg *m, int sync_fd, int *ret_old_mounts,
		       unsigned *ret_stage)
{
	const struct process main = process_of(in->main_pid);
	int r = 0;

	*ret_stage = INIT_STAGE_IDMAP;
	if (!(m->flags & INIT_ONE_ID)) {
		r = idmap_write(m, in->main_pid);
		if (r >= 0 && sys_write(sync_fd, "", 1) != 1)
			r = -EPIPE;
	}
	sys_prctl(PR_SET_DUMPABLE, 0, 0);
	if (r >= 0) {
		*ret_stage = INIT_STAGE_NAMESPACE;
		r = open_namespaces(in, main);
	}
	if (r >= 0)
		r = change_mounts(main, ret_old_mounts);
	sys_close(main.pidfd);
	if (r >= 0) {
		*ret_stage = INIT_STAGE_CAPS;
		r = drop_all(in);
	}
	return r;
}

static void start_main(struct init *in, const struct init_msg *m)
{
	struct init_event ev = {.type = INIT_EV_STARTED, .arg = in->degraded};
	unsigned stage = INIT_STAGE_CLONE;
	int sync[2], old_mounts = -1, r;

	/* The maps are files of W, and W's files belong to init's user only if W is dumpable. */
	if (!(m->flags & INIT_ONE_ID))
		sys_prctl(PR_SET_DUMPABLE, 1, 0);
	r = sys_pipe2(sync, O_CLOEXEC);
	if (r >= 0)
		r = clone_payload(namespaces_of(m->flags), cgroup_of(m));
	if (!r)
		run_main(m, sync[0]);
	in->main_pid = ev.pid = r;
	if (r > 0)
		r = finish_main(in, m, sync[1], &old_mounts, &stage);
	if (r < 0)
		init_fail(stage, r);
	(void)sys_write(sync[1], "", 1); /* W is free to run the program */
	for (uint32_t i = 0; i < m->n_keep_fds; i++)
		sys_close(INIT_FD_FIRST_KEPT + (int)i);
	sys_close(INIT_FD_MSG);
	sys_close(INIT_FD_STATUS);
	sys_close(sync[0]);
	sys_close(sync[1]);
	if (m->flags & INIT_LANE)
		lane_begin(in);
	loop_send(in, &ev, NULL);
	sys_close(old_mounts);
}

void init_main(void)
{
	static struct init in;
	struct message msg = {0};
	int r;

	sys_prctl(PR_SET_DUMPABLE, 0, 0);
	r = message_map(INIT_FD_MSG, &msg);
	if (r >= 0 && msg.m->flags & (INIT_BARE | INIT_JOIN))
		alone_run(msg.m);
	if (r >= 0 && (msg.m->flags & INIT_EXEC))
		r = -EBADMSG;
	if (r >= 0)
		r = close_from(INIT_FD_FIRST_KEPT + msg.m->n_keep_fds);
	if (r < 0)
		init_fail(INIT_STAGE_MESSAGE, r);
	in.flags = msg.m->flags;
	in.start = msg.m;
	prepare(&in, msg.m);
	start_main(&in, msg.m);
	loop_run(&in);
}
