/* SPDX-License-Identifier: Apache-2.0 */
/* Pid 1 of a container that has been prepared, and what it waits for. */
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/child/child.h"
#include "runtime/start/container_setup.h"

static unsigned long namespace_flags(const struct container_spec *s)
{
	return CLONE_NEWNS | CLONE_NEWPID | (s->ns.uts == UTS_PRIVATE ? CLONE_NEWUTS : 0) |
	       (s->ns.ipc == IPC_PRIVATE ? CLONE_NEWIPC : 0) |
	       (s->ns.net == NET_NONE ? CLONE_NEWNET : 0);
}

/* The size of a new terminal: that of the caller's terminal where the caller's streams are the
 * container's, else the one that the spec says. */
static struct winsize terminal_size(const struct container *c)
{
	const struct process_spec *p = &c->spec->proc;
	struct winsize own = {0};

	if (p->tty == TTY_YES && !c->streams.options.lent && ioctl(0, TIOCGWINSZ, &own) == 0)
		return own;
	own.ws_row = (unsigned short)p->tty_rows;
	own.ws_col = (unsigned short)p->tty_columns;
	return own;
}

static int launch_once(struct container *c, struct err *e)
{
	const struct container_limits *l = &c->limits;
	const struct winsize size = terminal_size(c);
	struct child child = {
		.spec = c->spec,
		.plan = &c->plan,
		.supervisor_pidfd = c->self_pidfd,
		.status_fd = c->status[1],
		.control_fd = c->control[1],
		.tty_takes_stderr = c->streams.options.lent || isatty(2),
		.tty_rows = size.ws_row,
		.tty_columns = size.ws_col,
		.msg_fd = -1,
		.init_fd = c->link.init_fd,
		.init_is_file = c->link.init_is_file,
		.dev_fd = c->link.dev_fd,
		.image_fds = c->link.image_fds,
		.n_images = c->link.n_images,
		.stdio = {c->streams.child[0], c->streams.child[1], c->streams.child[2]},
		.keep_fds = c->spec->proc.keep_fds,
		.n_keep_fds = (uint32_t)c->spec->proc.n_keep_fds,
		.helper_cgroup_fd = l->cgroup.helper_fd,
		.cgroup_fd = l->cgroup.payload_fd,
		.has_affinity = l->holders.cpus_milli.by == ENFORCED_AFFINITY,
		.is_watched = l->holders.watch_memory || l->holders.watch_pids || c->is_lane,
		.is_lane = c->is_lane,
		.has_net = c->link.net.ns_fd >= 0,
		.net_was_had = net_traces_are_open(&c->link.net),
	};
	const bool is_apart = c->link.apart_id && !plan_needs_host(&c->plan);
	int made[2] = {-1, -1}, r;
	const struct launch_namespaces ns = {
		.userns_fd = c->link.userns_fd,
		.net_fd = c->link.net.ns_fd,
		.apart_fd = is_apart ? c->link.apart_fd : -1,
		.made_apart_fd = c->link.wants_apart && !c->link.started ? &made[0] : NULL,
		.made_apart_net_fd = &made[1],
		.host_copy_fd = is_apart && c->link.apart_fd >= 0 && plan_has_layers(&c->plan)
					? &c->host_copy_fd
					: NULL,
		.traces = container_net_may_return(c) && !child.net_was_had ? &c->net_traces : NULL,
		.flags = namespace_flags(c->spec),
	};

	child.is_apart = ns.apart_fd >= 0;
	net_traces_close(&c->net_traces);
	fd_close(&c->host_copy_fd);
	r = launch_child(&child, &ns, &c->pid1, e);
	if (made[0] >= 0)
		squashd_lend_apart(&c->link, made);
	fd_close(&made[0]);
	fd_close(&made[1]);
	return r;
}

/*
 * Pid 1 needs none of this before it has built the root, and so does not wait for it: the message
 * for csbx-init, and whether the csbx-init that the server has sent is ours.
 */
static int approve(struct container *c, struct err *e)
{
	int r = squashd_link_check_init(&c->link, c->paths, e);

	r = r < 0 ? err_wrap(e, "image %s", c->spec->rootfs.path) : container_make_message(c, e);
	if (r >= 0)
		r = launch_approve(c->control[0], c->msg_fd, e);
	if (r < 0)
		launch_abandon(&c->pid1);
	return r;
}

/* When the first process cannot be made in the cgroup, nothing has happened yet: it is made
 * without. */
int container_launch(struct container *c, struct err *e)
{
	int r = launch_once(c, e);

	if (r < 0 && cgroup_is_made(&c->limits.cgroup)) {
		r = container_limits_give_up(&c->limits, c->spec, &c->map, e);
		if (r >= 0)
			r = launch_once(c, e);
	}
	if (r >= 0)
		r = approve(c, e);
	fd_close(&c->status[1]);
	fd_close(&c->control[1]);
	streams_started(&c->streams);
	return r;
}
