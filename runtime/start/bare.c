/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. One process does here in turn the work of a supervisor and its pid 1 (container.c,
 * child.c, csbx-init):
 *
 *  1. as the caller: id map, image server, record, layer, plan, message. All of it can still be
 *     undone, and a failure leaves nothing.
 *  2. in A (setns), in a mount namespace of its own: the plan. It cannot go back.
 *  3. the image server is handed what has to outlive the execve: the record's lock, the layer's,
 *     and a pidfd. No answer is waited for: the message is in its queue before the connection is
 *     closed.
 *  4. csbx-init, alone, from the server's sealed memfd (runtime/helpers/init/alone.c): B, and all
 *     that locks the program in; then the program.
 *
 * A second thread or a shared fs structure would make setns(2) fail: csbx has neither.
 */
#include "runtime/start/bare.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"
#include "runtime/cgroup/parent.h"
#include "runtime/child/child.h"
#include "runtime/start/container_setup.h"
#include "runtime/child/init_msg.h"
#include "runtime/settings/paths.h"
#include "runtime/kernel/process_id.h"
#include "runtime/server/list.h"
#include "runtime/spec/out.h"
#include "runtime/server/unpacked.h"

#define SPEC_RECORD_BYTES_MAX (256u << 10)

static const char *refusal_of_limits(const struct limit_spec *l)
{
	if (l->memory_bytes)
		return "--memory";
	if (l->cpus_milli)
		return "--cpus";
	if (!l->pids_is_default && l->pids != UINT64_MAX)
		return "--pids-limit";
	if (l->timeout_ms)
		return "--timeout";
	if (l->output_bytes || l->output_kill_bytes)
		return "--max-output";
	return l->strict ? "--limits strict" : NULL;
}

const char *bare_refusal(const struct container_spec *s)
{
	const char *limit = refusal_of_limits(&s->limits);

	if (limit)
		return limit;
	if (s->ns.pid != PID_HOST)
		return "process ids of its own";
	if (s->ns.userns != USERNS_ONE)
		return "more than one user id";
	if (s->proc.tty == TTY_YES)
		return "--tty";
	if (s->proc.close_stdin)
		return "an input that is closed";
	if (s->capture_output || s->fetch.n)
		return "a result";
	return NULL;
}

/* --- 1: as the caller --------------------------------------------------------------------- */

static int prepare(struct container *c, bool on_disk, struct err *e)
{
	const struct container_spec *s = c->spec;
	int r = container_prepare_root(c, on_disk, e);

	if (r >= 0)
		r = squashd_attach_finish(&c->attach, &c->link, e);
	if (r >= 0)
		r = squashd_link_check_init(&c->link, c->paths, e);
	/* Found out by the server: known before a root has been tried that cannot be made. */
	if (r >= 0 && c->link.lacks_xattrs && !c->has_layer)
		r = err_from(ERR_TMPFS_XATTR, e,
			     err_set(e, EOPNOTSUPP, "tmpfs has no user attributes here"));
	if (r >= 0 || on_disk || s->rootfs.upper == UPPER_KEPT || !e ||
	    e->origin != ERR_TMPFS_XATTR)
		return r;
	/* Files that are thrown away, and mount points of a read-only root, then lie on a disk. */
	container_remember_disk_upper(c);
	container_done(c);
	container_init(c, s, c->paths);
	*e = (struct err)ERR_INIT;
	return prepare(c, true, e);
}

static int make_message(struct container *c, const struct bare_how *how, struct err *e)
{
	mode_t mask = umask(0);
	struct init_msg_params params = {
		.umask = mask,
		.complaint = how->error_prefix ? how->error_prefix : "csbx: ",
		.failure_code = (uint32_t)how->failure_code,
	};
	_strbuf_ struct strbuf msg = STRBUF_INIT;
	int r = init_msg_build(c->spec, &c->map, &params, &msg, e);

	umask(mask);
	if (r < 0)
		return r;
	c->msg_fd = init_msg_memfd(&msg, e);
	return c->msg_fd < 0 ? c->msg_fd : 0;
}

static int publish(struct container *c, struct err *e)
{
	const struct container_spec *s = c->spec;
	struct json_out json = JSON_OUT_INIT;
	struct instance_record rec = {
		.id = s->id,
		.name = s->name,
		.image = s->rootfs.path,
		.layer = c->has_layer && !c->is_scratch ? c->layer.path : NULL,
		.scratch = c->is_scratch ? c->layer.path : NULL,
		.server = c->link.server,
		.job = cgroup_batch_job(),
		.command = s->proc.argv,
		.supervisor = getpid(),
		.init = getpid(),
		.started_ns = clock_realtime_ns(),
		.is_bare = true,
		.uid = s->proc.uid,
		.gid = s->proc.gid,
		.caps = s->sec.caps,
		.new_privs = s->sec.new_privs,
		.seccomp_off = s->sec.seccomp_off,
		.fake_ids = s->sec.fake_ids,
	};
	int r = process_start_ticks(getpid(), &rec.start_ticks);

	if (r < 0)
		return err_code(e, r, "read /proc/self/stat");
	spec_write_json(s, &json);
	if (json_finish(&json, NULL) >= 0 && json.buf.len <= SPEC_RECORD_BYTES_MAX)
		rec.spec = json.buf.data;
	r = instance_publish(&c->instance, &rec, e);
	json_out_free(&json);
	return r;
}

/* --- 2: in A ------------------------------------------------------------------------------ */

static int enter(const struct container *c, struct err *e)
{
	const struct ns_spec *ns = &c->spec->ns;
	int flags = CLONE_NEWNS | (ns->ipc == IPC_PRIVATE ? CLONE_NEWIPC : 0) |
		    (ns->uts == UTS_PRIVATE ? CLONE_NEWUTS : 0);

	if (setns(c->link.userns_fd, CLONE_NEWUSER) < 0)
		return err_sys(e, "join the container's user namespace");
	if (ns->net == NET_NONE && c->link.net.ns_fd < 0)
		flags |= CLONE_NEWNET;
	else if (ns->net == NET_NONE && setns(c->link.net.ns_fd, CLONE_NEWNET) < 0)
		return err_sys(e, "join the container's network namespace");
	if (unshare(flags) < 0) {
		err_sys(e, "make the container's namespaces");
		if (errno == ENOSPC)
			err_append(e, "a limit below /proc/sys/user is reached");
		return -e->code;
	}
	return 0;
}

/* --- 3: parts that outlive us
 * ------------------------------------------------------------------ */

static int hand_over(struct container *c, int root_fd, struct err *e)
{
	const struct layer *l = &c->layer;
	int read_lock = c->read_layer.lock;
	int fds[SQUASHD_STAND_MAX] = {
		[SQUASHD_STAND_PIDFD] = c->self_pidfd,
		[SQUASHD_STAND_ROOT] = root_fd,
		[SQUASHD_STAND_INSTANCES] = c->instance.dirfd,
		[SQUASHD_STAND_RECORD] = c->instance.lock_fd,
		[SQUASHD_STAND_READ_LOCK] = read_lock < 0 ? c->self_pidfd : read_lock,
		[SQUASHD_STAND_LAYER] = l->dir,
		[SQUASHD_STAND_LAYER_LOCK] = l->lock,
		[SQUASHD_STAND_UPPER] = l->upper,
		[SQUASHD_STAND_WORK] = l->work,
		[SQUASHD_STAND_PARENT] = l->parent,
	};

	return squashd_stand_in(c->link.sock, c->spec->id, !c->is_scratch, fds,
				c->has_layer ? SQUASHD_STAND_MAX : SQUASHD_STAND_MIN, e);
}

static int become(struct container *c, struct err *e)
{
	struct child child = {
		.spec = c->spec,
		.plan = &c->plan,
		.supervisor_pidfd = -1,
		.status_fd = -1,
		.control_fd = -1,
		.msg_fd = c->msg_fd,
		.init_fd = c->link.init_fd,
		.init_is_file = c->link.init_is_file,
		.dev_fd = c->link.dev_fd,
		.image_fds = c->link.image_fds,
		.n_images = c->link.n_images,
		.stdio = {-1, -1, -1},
		.keep_fds = c->spec->proc.keep_fds,
		.n_keep_fds = (uint32_t)c->spec->proc.n_keep_fds,
		.helper_cgroup_fd = -1,
		.cgroup_fd = -1,
		.has_net = c->link.net.ns_fd >= 0,
		.net_was_had = net_traces_are_open(&c->link.net),
	};
	mode_t mask = umask(0);
	int r = enter(c, e);

	if (r >= 0)
		r = child_build(&child, e);
	if (r >= 0)
		r = hand_over(c, child.n_parts ? child.part_fds[0] : child.root_fd, e);
	if (r >= 0)
		r = child_become_init(&child, e);
	umask(mask);
	return r;
}

int bare_start(const struct container_spec *spec, const struct paths *paths,
	       const struct bare_how *how, struct err *e)
{
	const char *refusal = bare_refusal(spec);
	struct container c;
	int r;

	if (refusal)
		return err_set(e, EINVAL, "%s: a bare start has no supervisor that could do it",
			       refusal);
	if (!geteuid() && !spec->allow_root)
		return err_set(e, EPERM,
			       "refused for root: csbx is for ordinary users (runuser -u NAME -- "
			       "csbx ...; --allow-root or CSBX_ALLOW_ROOT=yes insists)");
	container_init(&c, spec, paths);
	r = prepare(&c, spec->rootfs.upper != UPPER_KEPT && container_wants_disk_upper(&c), e);
	if (r >= 0)
		r = make_message(&c, how, e);
	if (r >= 0)
		r = publish(&c, e);
	if (r >= 0) {
		instance_sweep_sometimes(&c.instance);
		c.self_pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
		r = c.self_pidfd < 0 ? err_sys(e, "pidfd_open") : become(&c, e);
	}
	server_forget_dead(paths);
	container_done(&c);
	return r;
}
