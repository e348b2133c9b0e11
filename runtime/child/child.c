/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/child/child.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/kernel/affinity.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/kernel/cap.h"
#include "runtime/kernel/cap_exec.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/child/fetch.h"
#include "runtime/child/init_msg.h"
#include "runtime/child/launch.h"
#include "runtime/spec/plan.h"
#include "runtime/kernel/process_id.h"
#include "runtime/spec/spec.h"

typedef int op_function(struct child *c, const struct op *op, struct err *e);

/* The descriptors that seeds have opened are no longer needed. */
static int make_overlay(struct child *c, const struct op *op, struct err *e)
{
	int r;

	rootfs_seeds_end(c);
	r = op->flags & OP_DIRECT ? rootfs_direct(c, e) : 0;
	if (r)
		return r < 0 ? r : 0;
	return rootfs_overlay(c, op, e);
}

static op_function *const functions[OP_MAX] = {
	[OP_LOOPBACK] = net_loopback,
	[OP_HOSTNAME] = net_hostname,
	[OP_BASE] = rootfs_base,
	[OP_LOWER_IMAGE] = rootfs_lower_image,
	[OP_LOWER_DIRECTORY] = rootfs_lower_directory,
	[OP_LOWER_LAYER] = rootfs_lower_directory,
	[OP_UPPER_DIRECTORY] = rootfs_upper_directory,
	[OP_SEED] = rootfs_seed,
	[OP_OVERLAY] = make_overlay,
	[OP_DEV] = dev_template,
	[OP_DEV_OWN] = dev_own,
	[OP_DEVPTS] = dev_pts,
	[OP_SHM] = dev_shm,
	[OP_SHM_HOST] = dev_shm_host,
	[OP_MQUEUE] = dev_mqueue,
	[OP_PROC] = proc_mount,
	[OP_PROC_MASK] = proc_mask,
	[OP_PROC_READONLY] = proc_readonly,
	[OP_SYSFS] = sysfs_mount,
	[OP_SYSFS_HOST] = sysfs_mount_host,
	[OP_SYS_MASK] = sysfs_mask,
	[OP_BIND] = mount_bind,
	[OP_DEVICE] = mount_device,
	[OP_TMPFS] = mount_tmpfs,
	[OP_COPY] = mount_copy,
	[OP_SELF] = mount_self,
	[OP_HOOKS] = hooks_run,
	[OP_HIDE] = hide_own_directory,
	[OP_READONLY_ROOT] = rootfs_readonly,
	[OP_PIVOT] = rootfs_pivot,
	[OP_LANDLOCK] = landlock_apply,
	[OP_UNIX_SOCKETS] = unix_sockets_filter,
};

static int place_streams(const int stdio[3], struct err *e)
{
	for (int i = 0; i < 3; i++) {
		if (stdio[i] >= 0 && dup2(stdio[i], i) < 0)
			return err_sys(e, "stream %d", i);
	}
	return 0;
}

/*
 * A terminal of the container's own: the slave becomes the standard streams (stderr only where
 * the caller's is a terminal too), the master goes to the supervisor. The caller's terminal
 * itself never enters.
 */
static int make_terminal(struct child *c, struct err *e)
{
	_close_ int master = openat(c->root_fd, "dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct init_event ev = {.magic = INIT_MAGIC, .type = LAUNCH_EV_TERMINAL};
	const struct winsize size = {.ws_row = (unsigned short)c->tty_rows,
				     .ws_col = (unsigned short)c->tty_columns};
	_close_ int slave = -1;
	int zero = 0, r;

	if (master < 0 || ioctl(master, TIOCSPTLCK, &zero) < 0)
		return err_sys(e, "terminal");
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return err_sys(e, "terminal");
	if (c->tty_rows && c->tty_columns && ioctl(master, TIOCSWINSZ, &size) < 0)
		return err_sys(e, "terminal");
	if (fchown(slave, c->spec->proc.uid, (gid_t)-1) < 0 && errno != EINVAL)
		return err_sys(e, "terminal");
	r = place_streams((int[]){slave, slave, c->tty_takes_stderr ? slave : -1}, e);
	if (r < 0)
		return r;
	return fd_send_patient(c->control_fd, &ev, sizeof(ev), &master, 1, e);
}

/* Shows the supervisor's watchdog what the container's memory can be in. */
static int send_view(const struct child *c, struct err *e)
{
	static const char *const names[LAUNCH_SYSV] = {"sysvipc/shm", "sysvipc/sem", "sysvipc/msg"};
	struct init_event ev = {.magic = INIT_MAGIC, .type = LAUNCH_EV_VIEW};
	int fds[LAUNCH_TMPFS_MAX + LAUNCH_SYSV + 1], r;
	unsigned n = 0, n_sysv = 0;

	fds[n++] = c->clean_proc_fd;
	for (unsigned i = 0; i < LAUNCH_SYSV; i++) {
		fds[n] = openat(c->clean_proc_fd, names[i], O_RDONLY | O_CLOEXEC);
		n_sysv += fds[n] >= 0;
		n += fds[n] >= 0;
	}
	/* A kernel has all of them or none. */
	ev.arg = n_sysv == LAUNCH_SYSV;
	if (!ev.arg)
		n = 1;
	for (unsigned i = 0; i < c->n_watch; i++)
		fds[n++] = c->watch_fds[i];
	r = fd_send_patient(c->control_fd, &ev, sizeof(ev), fds, n, e);
	for (unsigned i = 1; i <= LAUNCH_SYSV && ev.arg; i++)
		close(fds[i]);
	return r;
}

static bool has_target(enum op_kind kind)
{
	return kind == OP_BIND || kind == OP_DEVICE || kind == OP_TMPFS || kind == OP_COPY ||
	       kind == OP_SELF || kind == OP_HOOKS;
}

/*
 * A target is found, and made, through what is mounted by then, and a link in the image or in a
 * mount may lead it anywhere there. So csbx's own directories are hidden beneath each mount before
 * the next target is looked for, and beneath the last ones at the end.
 */
static int run_op(struct child *c, const struct op *op, struct err *e)
{
	int r = c->has_unhidden && has_target(op->kind) ? hide_so_far(c, e) : 0;

	if (r >= 0)
		r = functions[op->kind](c, op, e);
	c->has_unhidden |=
		op->kind == OP_LOWER_DIRECTORY || op->kind == OP_SHM_HOST || op->kind == OP_HOOKS;
	return r;
}

static int run_plan(struct child *c, struct err *e)
{
	for (size_t i = 0; i < c->plan->n; i++) {
		const struct op *op = &c->plan->ops[i];
		int r;

		c->n_done = i;
		r = run_op(c, op, e);
		if (r >= 0 && op->kind == OP_DEVPTS && c->spec->proc.tty == TTY_YES)
			r = make_terminal(c, e);
		if (r < 0) {
			log_trace("operation %s failed: %s", op_name(op->kind), e->msg);
			return r;
		}
	}
	return 0;
}

/* Moves descriptors to the numbers of the init ABI, by way of numbers that none of them has. */
static int place_descriptors(const struct child *c, struct err *e)
{
	int from[INIT_FD_FIRST_KEPT + INIT_MAX_KEEP_FDS], n = INIT_FD_FIRST_KEPT;

	for (int i = 0; i < INIT_FD_FIRST_KEPT; i++)
		from[i] = -1;
	from[INIT_FD_CONTROL] = c->control_fd;
	from[INIT_FD_MSG] = c->msg_fd;
	from[INIT_FD_STATUS] = c->status_fd;
	from[INIT_FD_PROC] = c->clean_proc_fd;
	from[INIT_FD_CGROUP] = c->cgroup_fd;
	for (uint32_t i = 0; i < c->n_keep_fds; i++)
		from[n++] = c->keep_fds[i];
	for (int i = 0; i < n; i++) {
		if (from[i] < 0)
			continue;
		from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, n);
		if (from[i] < 0)
			return err_sys(e, "place descriptors");
	}
	/* Whatever the caller leaked into us ends here; the payload's own pass comes later. */
	(void)syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_CLOEXEC);
	for (int i = 0; i < n; i++) {
		if (from[i] >= 0 && dup2(from[i], i) < 0)
			return err_sys(e, "place descriptors");
	}
	return 0;
}

/*
 * A main user other than 0 loses its capabilities over A at the exec of csbx-init, which has to
 * write the payload's id maps, to open its namespaces and to join one of them: ambient capabilities
 * survive (capabilities(7)). Init drops them with all others before the payload runs.
 */
static int keep_init_caps(const struct child *c, struct err *e)
{
	const uint64_t lane = c->is_lane ? UINT64_C(1) << 40 /* CAP_CHECKPOINT_RESTORE */ : 0;
	const uint64_t needed = lane | CAP_BIT(CAP_SETUID) | CAP_BIT(CAP_SETGID) |
				CAP_BIT(CAP_SETFCAP) | CAP_BIT(CAP_SYS_PTRACE) |
				CAP_BIT(CAP_SYS_ADMIN) | CAP_BIT(CAP_SYS_CHROOT);

	/* A bare start makes B by unshare(2), which needs none. */
	if (!spec_map_uid(c->spec) || c->spec->ns.pid == PID_HOST)
		return 0;
	return cap_keep_over_exec(needed, e);
}

int child_become_init(struct child *c, struct err *e)
{
	static char name[] = "csbx-init";
	char *argv[] = {name, NULL}, *env[] = {NULL};
	/* Above all numbers of the ABI, but not far: the caller's limit may be low. */
	_close_ int init =
		fcntl(c->init_fd, F_DUPFD_CLOEXEC, INIT_FD_FIRST_KEPT + (int)c->n_keep_fds);
	int r;

	if (init < 0)
		return err_sys(e, "csbx-init");
	r = c->hook_env.n ? init_msg_replace_env(&c->msg_fd, &c->hook_env, e) : 0;
	if (r >= 0)
		r = place_descriptors(c, e);
	if (r >= 0)
		r = keep_init_caps(c, e);
	if (r < 0)
		return r;
	c->status_fd = INIT_FD_STATUS;
	sources_restore_limit(c);
	syscall(SYS_execveat, init, "", argv, env, AT_EMPTY_PATH);
	return err_sys(e, "exec csbx-init");
}

int child_build(struct child *c, struct err *e)
{
	c->base_fd = c->root_fd = c->proc_fd = c->clean_proc_fd = c->sys_fd = -1;
	c->seeds.top.upper = c->seeds.first.upper = -1;
	umask(0);
	/* The caller's /proc: the container's own comes in its place. */
	if (c->spec->ns.pid == PID_HOST) {
		c->clean_proc_fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (c->clean_proc_fd < 0)
			return err_sys(e, "open /proc");
	}
	return run_plan(c, e);
}

/* Without it, or without the descriptor, there is no csbx-init to become. */
static int await_message(struct child *c, struct err *e)
{
	ssize_t n;
	char go;

	if (c->msg_fd >= 0)
		return 0;
	n = fd_recv(c->control_fd, &go, 1, &c->msg_fd, 1, e);
	if (n < 0)
		return (int)n;
	return n == 1 && c->msg_fd >= 0 ? 0 : err_set(e, EPIPE, "the supervisor went away");
}

void child_main(struct child *c)
{
	struct err e = ERR_INIT;
	int r;

	r = process_end_with(c->supervisor_pidfd, &e);
	if (r >= 0 && c->spec->proc.tty != TTY_YES)
		r = place_streams(c->stdio, &e);
	if (r >= 0)
		r = child_build(c, &e);
	if (r >= 0 && c->has_affinity)
		r = affinity_limit(c->spec->limits.cpus_milli, &e);
	if (r >= 0 && c->is_watched)
		r = send_view(c, &e);
	if (r >= 0 && c->spec->fetch.n)
		r = fetch_send_root(c->control_fd, c->clean_proc_fd, &e);
	if (r >= 0)
		r = await_message(c, &e);
	if (r >= 0)
		(void)child_become_init(c, &e);
	/* One atomic write; the reader tells it from init's own status by its size. */
	if (write(c->status_fd, &e, sizeof(e)) != sizeof(e))
		_exit(CHILD_EXIT_SILENT);
	_exit(CHILD_EXIT_FAILED);
}
