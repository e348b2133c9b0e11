/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/lane.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/cgroup/lend.h"
#include "runtime/child/fetch.h"
#include "runtime/child/init_msg.h"
#include "runtime/child/launch.h"
#include "runtime/exec/forwarded_signals.h"
#include "runtime/exec/server.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/helpers/init/abi/msg_check.h"
#include "runtime/kernel/process_ns.h"
#include "runtime/limit/watchdog.h"
#include "runtime/server/hung.h"
#include "runtime/server/init_file.h"
#include "runtime/server/unpacked.h"
#include "runtime/spec/result.h"
#include "runtime/spec/spec.h"
#include "runtime/start/container.h"
#include "runtime/start/container_setup.h"
#include "runtime/start/lane_priv.h"
#include "runtime/start/supervise.h"

#define START_MS 10000

struct lane *lane_new(const struct container_spec *spec, const struct paths *paths,
		      const char *warm_program)
{
	struct lane *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->spec = *spec;
	l->warm_program = warm_program;
	l->view = (struct watchdog_view)WATCHDOG_VIEW_INIT;
	l->state = (struct lane_state)LANE_STATE_INIT;
	l->groups = (struct cgroup_parent)CGROUP_PARENT_INIT;
	l->lender_fd = -1;
	container_init(&l->c, &l->spec, paths);
	l->c.is_lane = true;
	return l;
}

bool lane_is_possible(const struct container_spec *s)
{
	const struct security_spec *sec = &s->sec;

	return s->rootfs.kind == ROOTFS_SQUASHFS && s->rootfs.upper == UPPER_THROWAWAY &&
	       !s->n_mounts && !s->hooks.n && !s->fetch.n && s->ns.net == NET_NONE &&
	       s->ns.ipc == IPC_PRIVATE && s->ns.pid == PID_PRIVATE && s->ns.uts == UTS_PRIVATE &&
	       s->ns.cgroup == CGROUPNS_PRIVATE && !s->ns.host_sys && !s->ns.host_dev &&
	       !(sec->caps & ~SPEC_CAPS_DEFAULT) && !sec->new_privs && !sec->seccomp_off &&
	       !sec->landlock_off && !sec->masks_off && !sec->fake_ids && !sec->fake_nodes &&
	       s->proc.tty == TTY_NO && !s->proc.pid1_signals && s->proc.close_stdin &&
	       s->capture_output && s->limits.memory_bytes && !s->limits.oom_single;
}

/*
 * --- opening --------------------------------------------------------------------------------------
 */

static void take_view(struct lane *l, int fds[], bool has_sysv)
{
	struct watchdog_view *v = &l->view;
	unsigned i = 0;

	v->proc_fd = take_fd(&fds[i++]);
	for (unsigned k = 0; has_sysv && k < WATCHDOG_SYSV; k++)
		v->sysv_fds[k] = take_fd(&fds[i++]);
	while (i < FD_PASS_MAX && fds[i] >= 0 && v->n_tmpfs < WATCHDOG_TMPFS_MAX)
		v->tmpfs_fds[v->n_tmpfs++] = take_fd(&fds[i++]);
}

/* Of the process that only makes the namespaces; 1: none is left. */
static int read_end(const struct init_event *ev, struct err *e)
{
	if (!(ev->arg & INIT_LANE_EMPTIED))
		return 0;
	return ev->arg & INIT_LANE_TOUCHED
		       ? err_set(e, EOPNOTSUPP, "lane: process ids cannot be set back")
		       : 1;
}

/* One message of pid 1's; 1: it is ready for the first program. */
static int read_control(struct lane *l, struct err *e)
{
	struct init_event ev = {0};
	int fds[FD_PASS_MAX], r = 0;
	ssize_t n = fd_recv(l->c.control[0], &ev, sizeof(ev), fds, FD_PASS_MAX, e);

	if (n != sizeof(ev) || ev.magic != INIT_MAGIC)
		r = err_set(e, EIO, "lane: csbx-init has ended");
	else if (ev.type == LAUNCH_EV_VIEW && l->view.proc_fd < 0)
		take_view(l, fds, ev.arg);
	else if (ev.type == INIT_EV_EXITED || ev.type == INIT_EV_EMPTIED)
		r = read_end(&ev, e);
	for (int i = 0; i < FD_PASS_MAX; i++)
		fd_close(&fds[i]);
	return r;
}

/* The status pipe has the error of a start that failed; pid 1 ends then. */
static int read_status(struct lane *l, struct err *e)
{
	union {
		struct err err;
		struct init_status init;
	} msg;
	ssize_t n = read(l->c.status[0], &msg, sizeof(msg));

	fd_close(&l->c.status[0]);
	if (!n)
		return 0;
	if (n == sizeof(msg.err)) {
		err_sanitize(&msg.err);
		*e = msg.err;
		return -e->code;
	}
	if (n == sizeof(msg.init) && msg.init.magic == INIT_MAGIC)
		init_status_error(&msg.init, &l->spec.proc, e);
	else
		err_set(e, EPROTO, "garbled start-up status");
	return -e->code;
}

static int wait_until_ready(struct lane *l, struct err *e)
{
	uint64_t end_ns = clock_monotonic_ns() + START_MS * UINT64_C(1000000);
	int r = 0;

	while (!r) {
		struct pollfd p[2] = {{.fd = l->c.status[0], .events = POLLIN},
				      {.fd = l->c.control[0], .events = POLLIN}};

		if (clock_monotonic_ns() >= end_ns)
			return err_set(e, ETIMEDOUT, "lane: csbx-init does not answer");
		if (poll(p, 2, START_MS) < 0 && errno != EINTR)
			return err_sys(e, "poll");
		if (p[0].revents)
			r = read_status(l, e);
		if (!r && p[1].revents)
			r = read_control(l, e);
	}
	return r < 0 ? r : 0;
}

/* An exec is bounded by the message of the start, which csbx-init has kept as well. */
int lane_read_message(struct lane *l, struct err *e)
{
	int r = lseek(l->c.msg_fd, 0, SEEK_SET) < 0
			? err_sys(e, "lane: message")
			: io_read_all(l->c.msg_fd, INIT_MSG_MAX, &l->message, e);

	if (r >= 0 && init_msg_check(l->message.data, l->message.len) < 0)
		r = err_set(e, EBADMSG, "lane: message");
	return r;
}

/*
 * Programs of a lane are forks of csbx-init and have its file as their own, /proc/self/exe. It is
 * sealed, but its owner may change its mode, and a file that all containers of an image have could
 * be started no more. So a lane has one of its own, and is given up when that has changed.
 */
static int take_own_init(struct container *c, struct err *e)
{
	_close_ int fd = init_file_open(c->paths, e);

	if (fd < 0)
		return fd;
	if (fcntl(fd, F_GET_SEALS) < 0)
		return err_set(e, EOPNOTSUPP, "lane: csbx-init cannot be sealed");
	fd_close(&c->link.init_fd);
	c->link.init_fd = take_fd(&fd);
	return 0;
}

static int open_container(struct lane *l, bool is_lent, struct err *e)
{
	struct container *c = &l->c;
	int r = container_prepare(c, false, e);

	/* Who borrows it is in a group of another's, and may not place anything in ours. */
	if (r >= 0 && is_lent && cgroup_is_made(&c->limits.cgroup))
		r = err_set(e, EOPNOTSUPP, "lane: control groups hold the limits");
	if (r >= 0 && c->limits.holders.cpus_milli.by == ENFORCED_AFFINITY)
		r = err_set(e, EOPNOTSUPP, "lane: no control group holds the CPUs");
	if (r >= 0)
		r = take_own_init(c, e);
	if (r >= 0)
		r = container_launch(c, e);
	if (r >= 0)
		r = container_publish(c, false, e);
	streams_done(&c->streams);
	if (r >= 0)
		r = lane_read_message(l, e);
	if (r >= 0)
		r = wait_until_ready(l, e);
	if (r >= 0 && !l->view.n_tmpfs)
		r = err_set(e, EIO, "lane: nothing to look at");
	if (r >= 0 && cgroup_is_made(&c->limits.cgroup))
		r = cgroup_lend(&c->limits.cgroup, c->spec->id, &l->groups, e);
	return r;
}

static int send_warm(const struct lane *l, const struct lane_warm *warm, struct err *e)
{
	const struct init_request rq = {.magic = INIT_MAGIC, .type = INIT_REQ_WARM};

	return fd_send_patient(l->c.control[0], &rq, sizeof(rq), &warm->fd, 1, e);
}

int lane_open(const struct container_spec *spec, const struct paths *paths, const char *file,
	      const struct lane_warm *warm, bool is_lent, struct lane **ret, struct err *e)
{
	struct lane *l = lane_new(spec, paths, warm->program);
	struct lane_place place;
	sigset_t old;
	int r, signal_fd = -1;

	if (!l)
		return err_oom(e);
	r = unpacked_is_needed() ? err_set(e, EOPNOTSUPP, "lane: no FUSE")
				 : forwarded_signals_block(&old, &signal_fd, e);
	if (r >= 0) {
		r = open_container(l, is_lent, e);
		fd_close(&signal_fd);
		forwarded_signals_restore(&old, false);
	}
	if (r >= 0)
		r = send_warm(l, warm, e);
	place = (struct lane_place){
		.base_fd = l->view.tmpfs_fds[0],
		.exe_fd = l->c.link.init_fd,
		.pid1 = l->c.pid1.pid,
		.map = &l->c.map,
	};
	if (r >= 0)
		r = lane_state_open(&l->state, &place, file, e);
	if (r >= 0)
		r = lane_state_note(&l->state, e);
	if (r >= 0 && l->c.link.sock >= 0) {
		_close_ int mounts = process_ns(l->c.pid1.pidfd, l->c.pid1.pid, PROCESS_NS_MNT);

		squashd_keep_mounts(l->c.link.sock, mounts);
	}
	*ret = l;
	if (r < 0)
		lane_close(ret);
	return r;
}

void lane_close(struct lane **lane)
{
	struct lane *l = *lane;
	struct watchdog w = WATCHDOG_INIT;

	if (!l)
		return;
	lane_state_close(&l->state);
	w.view = l->view;
	watchdog_done(&w);
	if (l->lender_fd < 0 && l->c.pid1.pidfd >= 0) {
		(void)syscall(SYS_pidfd_send_signal, l->c.pid1.pidfd, SIGKILL, NULL, 0);
		while (waitid(P_PIDFD, (id_t)l->c.pid1.pidfd, NULL, WEXITED | __WALL) < 0 &&
		       errno == EINTR)
			;
	}
	strbuf_free(&l->message);
	fd_close(&l->lender_fd);
	cgroup_parent_close(&l->groups);
	container_done(&l->c);
	free(l);
	*lane = NULL;
}

bool lane_fits(const struct lane *l, const struct container_spec *spec)
{
	return spec->limits.memory_bytes &&
	       container_base_bytes(spec) <= container_base_bytes(&l->spec);
}

/*
 * --- a program ------------------------------------------------------------------------------------
 */

static int request(const struct lane *l, struct container *c, struct err *e)
{
	const struct process_spec *p = &c->spec->proc;
	const struct init_request rq = {
		.magic = INIT_MAGIC, .type = INIT_REQ_SPAWN, .id = INIT_LANE_ID};
	_strbuf_ struct strbuf msg = STRBUF_INIT, all = STRBUF_INIT;
	const bool has_group = cgroup_is_made(&c->limits.cgroup);
	const uint32_t flags = (str_eq(p->argv.items[0], l->warm_program) ? INIT_WARM : 0) |
			       (has_group ? INIT_OWN_CGROUP : 0);
	int fds[FD_PASS_MAX], r;
	size_t n = 0;

	r = init_msg_build_exec((const void *)l->message.data, p, flags, &msg, e);
	if (r < 0)
		return r;
	strbuf_add(&all, &rq, sizeof(rq));
	if (msg.len <= INIT_SENT_MAX) {
		strbuf_add(&all, strbuf_str(&msg), msg.len);
	} else {
		c->msg_fd = init_msg_memfd(&msg, e);
		if (c->msg_fd < 0)
			return c->msg_fd;
		fds[n++] = c->msg_fd;
	}
	if (strbuf_check(&all, e) < 0)
		return -ENOMEM;
	if (pipe2(c->status, O_CLOEXEC) < 0)
		return err_sys(e, "make channels");
	for (int i = 0; i < 3; i++)
		fds[n++] = c->streams.child[i] >= 0 ? c->streams.child[i] : i;
	fds[n++] = c->status[1];
	for (size_t i = 0; i < p->n_keep_fds && n < FD_PASS_MAX - 1; i++)
		fds[n++] = p->keep_fds[i];
	if (has_group)
		fds[n++] = c->limits.cgroup.payload_fd;
	r = fd_send_patient(l->c.control[0], strbuf_str(&all), all.len, fds, n, e);
	fd_close(&c->status[1]);
	streams_started(&c->streams);
	return r < 0 ? err_wrap(e, "lane") : 0;
}

static int watch(const struct lane *l, struct container *c, struct run_result *ret, bool *ret_empty,
		 struct err *e)
{
	const struct limit_holders *h = &l->c.limits.holders;
	struct watchdog watchdog = WATCHDOG_INIT;
	struct exec_server exec = EXEC_SERVER_INIT;
	struct fetch_root fetch = FETCH_ROOT_INIT;
	struct supervise s = {
		.host_copy_fd = -1,
		.spec = c->spec,
		.pid1 = l->c.pid1,
		.status_fd = take_fd(&c->status[0]),
		.control_fd = fcntl(l->c.control[0], F_DUPFD_CLOEXEC, 3),
		.server_fd = l->c.link.sock,
		.server_pid = l->c.link.server_pid,
		.signal_fd = c->signal_fd,
		.watchdog = h->watch_memory || h->watch_pids ? &watchdog : NULL,
		.cgroup = &c->limits.cgroup,
		.thrash = container_thrash(c),
		.streams = &c->streams,
		.fetch = &fetch,
		.exec = &exec,
		.snmp_fd = lane_state_snmp(&l->state),
		.started_fd = c->hooks->started_fd,
		.owner_fd = c->hooks->owner_fd ? c->hooks->owner_fd : -1,
		.step_fd = -1,
		.channel = c->hooks->channel,
		.result = ret,
		.is_lane = true,
	};
	int r;

	watchdog.view = l->view;
	watchdog.limit_bytes = h->watch_memory ? c->spec->limits.memory_bytes : 0;
	watchdog.limit_pids = h->watch_pids ? c->spec->limits.pids : 0;
	exec.instance = &c->instance;
	exec.control_fd = s.control_fd;
	exec.msg_fd = -1;
	exec.streams = &c->streams;
	r = supervise_run(&s, e);
	exec_server_close(&exec);
	if (r >= 0)
		streams_finish(&c->streams, ret);
	watchdog.view = (struct watchdog_view)WATCHDOG_VIEW_INIT; /* the lane's */
	watchdog_done(&watchdog);
	fd_close(&s.status_fd);
	fd_close(&s.control_fd);
	*ret_empty = s.is_empty;
	return r;
}

static int make_group(const struct lane *l, struct container *c, struct err *e)
{
	const struct container_limits *its = &l->c.limits;

	if (l->groups.fd < 0)
		return 0;
	return cgroup_make_run(&its->cgroup, &l->groups, &c->spec->limits, its->need,
			       &c->limits.cgroup, e);
}

/* False where something is left of it, or of what was charged to it. */
static bool remove_group(const struct lane *l, struct container *c)
{
	const struct cgroup *lent = &l->c.limits.cgroup;

	return l->groups.fd < 0 || (cgroup_remove(&c->limits.cgroup, NULL) >= 0 &&
				    cgroup_kept_bytes(lent, LANE_KEPT_BYTES) <= LANE_KEPT_BYTES);
}

int lane_run(struct lane *l, const struct container_spec *spec, const struct lane_file *file,
	     const struct container_hooks *hooks, struct run_result *ret, bool *ret_clean,
	     struct err *e)
{
	uint64_t begin = clock_monotonic_ns();
	struct container c;
	bool is_empty = false, is_removed;
	sigset_t old;
	int r;

	*ret_clean = false;
	*ret = (struct run_result){.started_at_ns = clock_realtime_ns()};
	container_init(&c, spec, l->c.paths);
	c.hooks = hooks;
	r = forwarded_signals_block(&old, &c.signal_fd, e);
	if (r >= 0 && server_is_gone(l->c.link.sock))
		r = err_set(e, ESTALE, "lane: its image server has ended");
	if (r >= 0 && l->ask_lender)
		r = l->ask_lender(l, e);
	if (r >= 0)
		r = container_prepare_streams(&c, e);
	if (r >= 0)
		r = lane_state_write(&l->state, file->data, file->len, e);
	if (r >= 0)
		r = make_group(l, &c, e);
	if (r >= 0)
		r = request(l, &c, e);
	if (r >= 0) {
		container_note_degraded(&l->c, ret);
		container_limits_note(&l->c.limits, ret);
		ret->memory.asked = spec->limits.memory_bytes;
		ret->setup_ns = clock_monotonic_ns() - begin;
		r = watch(l, &c, ret, &is_empty, e);
		ret->wall_ns = clock_monotonic_ns() - begin - ret->setup_ns;
	}
	is_removed = remove_group(l, &c);
	*ret_clean = r >= 0 && ret->status != RUN_SANDBOX_ERROR && is_removed && is_empty &&
		     (l->lender_fd >= 0 || lane_state_is_same(&l->state));
	streams_done(&c.streams);
	fd_close(&c.msg_fd);
	fd_close(&c.status[0]);
	fd_close(&c.status[1]);
	fd_close(&c.signal_fd);
	forwarded_signals_restore(&old, r >= 0);
	ret->teardown_ns = clock_monotonic_ns() - begin - ret->setup_ns - ret->wall_ns;
	return r;
}
