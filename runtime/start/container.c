/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor's side of a start, in the order of docs/architecture.md 5: open the sources,
 * attach to the image server, prepare the upper layer and the message for init, launch, watch,
 * clean up. Everything that is undone at the end hangs in struct container, so each step may
 * simply return.
 */
#include "runtime/start/container.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/cgroup/batch_step.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"
#include "runtime/base/log.h"
#include "runtime/child/child.h"
#include "runtime/start/container_setup.h"
#include "runtime/exec/server.h"
#include "runtime/child/fetch.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/result.h"
#include "runtime/start/own_dirs.h"
#include "runtime/start/spare.h"
#include "runtime/server/list.h"
#include "runtime/spec/out.h"
#include "runtime/exec/forwarded_signals.h"
#include "runtime/start/supervise.h"
#include "runtime/server/unpacked.h"
#include "runtime/userns/userns.h"
#include "runtime/limit/watchdog.h"

#define SPEC_RECORD_BYTES_MAX (256u << 10)

int container_publish(struct container *c, bool paused, struct err *e)
{
	_free_ char *cgroup = cgroup_is_made(&c->limits.cgroup)
				      ? cgroup_path(&c->limits.cgroup.parent, c->spec->id)
				      : NULL;
	struct instance_record rec = {
		.id = c->spec->id,
		.name = c->spec->name,
		.image = c->spec->rootfs.path,
		.layer = c->has_layer && !c->is_scratch ? c->layer.path : NULL,
		.scratch = c->is_scratch ? c->layer.path : NULL,
		.cgroup = cgroup,
		.server = c->link.server,
		.job = cgroup_batch_job(),
		.command = c->spec->proc.argv,
		.supervisor = getpid(),
		.init = c->pid1.pid,
		.started_ns = c->published_ns,
		.paused = paused,
	};
	struct json_out json = JSON_OUT_INIT;
	int r;

	if (!c->published_ns)
		rec.started_ns = c->published_ns = clock_realtime_ns();
	/* For inspect. An argument list of megabytes is not worth a copy. */
	spec_write_json(c->spec, &json);
	if (json_finish(&json, NULL) >= 0 && json.buf.len <= SPEC_RECORD_BYTES_MAX)
		rec.spec = json.buf.data;
	r = instance_publish(&c->instance, &rec, e);
	json_out_free(&json);
	return r;
}

static int note_paused(void *ctx, bool paused, struct err *e)
{
	return container_publish(ctx, paused, e);
}

void container_note_degraded(const struct container *c, struct run_result *ret)
{
	if (c->link.init_is_file)
		strv_add(&ret->degraded,
			 "init_writable: csbx-init could not be sealed (vm.memfd_noexec)");
	if (!c->spec->sec.landlock_off && syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 2)
		strv_add(&ret->degraded, "landlock: this kernel has no Landlock ABI 2");
}

static struct watchdog make_watchdog(const struct container *c)
{
	const struct limit_holders *h = &c->limits.holders;

	struct watchdog w = WATCHDOG_INIT;

	w.limit_bytes = h->watch_memory ? c->spec->limits.memory_bytes : 0;
	w.limit_pids = h->watch_pids ? c->spec->limits.pids : 0;
	return w;
}

struct thrash container_thrash(const struct container *c)
{
	bool holds = c->limits.cgroup.holds & CGROUP_MEMORY;

	return (struct thrash){
		.limit_bytes = holds ? c->spec->limits.memory_bytes : 0,
		.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
	};
}

/* The caller that waits for this start, if it lends its streams. */
static int adopt_client(struct container *c, struct exec_server *exec, struct err *e)
{
	int fds[3], sock;

	if (!c->hooks || !c->hooks->lent || c->hooks->client_sock < 0)
		return 0;
	memcpy(fds, c->hooks->client_fds, sizeof(fds));
	sock = c->hooks->client_sock;
	return exec_server_adopt(exec, sock, fds, e);
}

/* Of a namespace that a container has had before the files came with it. */
static const struct net_traces *net_to_return(const struct container *c)
{
	if (!container_net_may_return(c))
		return NULL;
	return net_traces_are_open(&c->link.net) ? &c->link.net : &c->net_traces;
}

static int watch(struct container *c, struct run_result *ret, struct err *e)
{
	struct watchdog watchdog = make_watchdog(c);
	struct exec_server exec = EXEC_SERVER_INIT;
	struct fetch_root fetch = FETCH_ROOT_INIT;
	_close_ int step_fd = batch_step_open();
	struct supervise s = {
		.spec = c->spec,
		.pid1 = c->pid1,
		.status_fd = take_fd(&c->status[0]),
		.host_copy_fd = take_fd(&c->host_copy_fd),
		.control_fd = take_fd(&c->control[0]),
		.userns_fd = c->link.userns_fd,
		.server_fd = c->link.sock,
		.server_pid = c->link.server_pid,
		.mounts_are_private = container_mounts_are_private(c),
		.traces = net_to_return(c),
		.signal_fd = c->signal_fd,
		.watchdog = watchdog.limit_bytes || watchdog.limit_pids ? &watchdog : NULL,
		.cgroup = &c->limits.cgroup,
		.thrash = container_thrash(c),
		.streams = &c->streams,
		.fetch = &fetch,
		.exec = &exec,
		.started = c->hooks ? c->hooks->started : NULL,
		.started_arg = c->hooks ? c->hooks->started_arg : NULL,
		.started_fd = c->hooks ? c->hooks->started_fd : -1,
		.kept = c->hooks ? c->hooks->kept : NULL,
		.owner_fd = c->hooks && c->hooks->owner_fd ? c->hooks->owner_fd : -1,
		.step_fd = step_fd,
		.is_others_child = c->spare.is_taken,
		.note_paused = note_paused,
		.note_ctx = c,
		.stops_along = c->hooks && c->hooks->stops_along,
		.channel = c->hooks ? c->hooks->channel : NULL,
		.result = ret,
	};
	int r;

	exec.instance = &c->instance;
	exec.control_fd = s.control_fd;
	exec.msg_fd = c->msg_fd;
	exec.streams = &c->streams;
	r = adopt_client(c, &exec, e);
	if (r >= 0)
		r = supervise_run(&s, e);
	exec_server_close(&exec);

	if (r >= 0)
		streams_finish(&c->streams, ret);
	if (r >= 0)
		r = fetch_files(c->spec, &fetch,
				c->spec->rootfs.kind == ROOTFS_SQUASHFS ? c->link.sock : -1, ret,
				e);
	fetch_root_close(&fetch);
	watchdog_done(&watchdog);
	fd_close(&s.status_fd);
	fd_close(&s.host_copy_fd);
	fd_close(&s.control_fd);
	return r;
}

/* A spare where there is one, else a container that is made as ever. */
static int prepare(struct container *c, bool on_disk, struct err *e)
{
	struct err why = ERR_INIT;
	int r;

	if (!c->spare.is_wanted)
		return container_prepare(c, on_disk, e);
	r = container_prepare_root(c, on_disk, e);
	if (r >= 0)
		c->spare.is_taken = spare_find(c, &why) > 0;
	if (r >= 0 && !c->spare.is_taken) {
		log_trace("%s", why.msg);
		r = squashd_attach_begin(c->paths, c->spec, &c->map, false, &c->attach, e);
	}
	return r < 0 ? r : container_prepare_rest(c, e);
}

static int launch(struct container *c, struct err *e)
{
	int r = c->spare.is_taken ? spare_take(c, e) : container_launch(c, e);

	if (r >= 0 && c->spare.is_wanted && !c->spare.is_taken)
		spare_provide(c);
	return r;
}

static int run_once(const struct container_spec *spec, const struct paths *paths,
		    const struct container_hooks *hooks, bool on_disk, bool may_be_spare,
		    struct run_result *ret, struct err *e)
{
	uint64_t begin = clock_monotonic_ns();
	struct container c;
	sigset_t old;
	int r;

	/* The result of a try before, which found what this one avoids, is not told. */
	run_result_free(ret);
	*ret = (struct run_result){0};
	container_init(&c, spec, paths);
	c.hooks = hooks;
	c.spare.is_wanted = may_be_spare && spare_is_possible(&c);
	on_disk = on_disk || (spec->rootfs.upper != UPPER_KEPT && container_wants_disk_upper(&c));
	ret->started_at_ns = clock_realtime_ns();
	r = forwarded_signals_block(&old, &c.signal_fd, e);
	if (r >= 0)
		r = prepare(&c, on_disk, e);
	if (r >= 0)
		r = launch(&c, e);
	if (r >= 0)
		r = container_publish(&c, false, e);
	if (r >= 0) {
		instance_sweep_sometimes(&c.instance);
		container_note_degraded(&c, ret);
		container_limits_note(&c.limits, ret);
		ret->setup_ns = clock_monotonic_ns() - begin;
		r = watch(&c, ret, e);
		ret->wall_ns = clock_monotonic_ns() - begin - ret->setup_ns;
	}
	c.is_removed = (hooks && hooks->removed_after && !ret->is_stopped) || ret->is_removed;
	if (r < 0 || ret->error.code)
		server_forget_dead(paths);
	if (r == -EOPNOTSUPP && !on_disk && spec->rootfs.upper != UPPER_KEPT)
		container_remember_disk_upper(&c);
	if (r >= 0)
		r = container_release_upper(&c, e);
	container_done(&c);
	forwarded_signals_restore(&old, r >= 0);
	ret->teardown_ns = clock_monotonic_ns() - begin - ret->setup_ns - ret->wall_ns;
	return r;
}

static int run_on_any_upper(const struct container_spec *spec, const struct paths *paths,
			    const struct container_hooks *hooks, struct run_result *ret,
			    struct err *e)
{
	int r = run_once(spec, paths, hooks, false, true, ret, e);

	if (r == -EAGAIN && hooks && hooks->spares) /* the spare that it had is gone */
		r = run_once(spec, paths, hooks, false, false, ret, e);

	if (r != -EOPNOTSUPP || spec->rootfs.upper == UPPER_KEPT || e->origin != ERR_TMPFS_XATTR)
		return r;
	log_trace("no tmpfs upper here, trying a directory");
	return run_once(spec, paths, hooks, true, false, ret, e);
}

static void note_lost_owners(const char *why, struct run_result *ret)
{
	_free_ char *text = str_printf("fuse: every file is the main user's: %s", why);

	if (text)
		strv_add(&ret->degraded, text);
}

/*
 * An image that cannot be mounted is unpacked once and started as a directory. The spec stays as it
 * is; a copy with another root is run.
 */
static int run_unpacked(const struct container_spec *spec, const struct paths *paths,
			const struct container_hooks *hooks, const char *why,
			struct run_result *ret, struct err *e)
{
	struct unpacked u = UNPACKED_INIT;
	struct container_spec actual = *spec;
	struct id_map map;
	int r = userns_map_for(spec_map_uid(spec), spec_map_gid(spec), spec->ns.userns, &map, e);

	if (r >= 0)
		r = unpacked_open(paths, &spec->rootfs, &u, e);
	if (r >= 0) {
		actual.rootfs = u.root;
		r = run_on_any_upper(&actual, paths, hooks, ret, e);
	}
	if (r >= 0 && !id_map_is_one(&map))
		note_lost_owners(why, ret);
	unpacked_close(&u);
	return r;
}

int container_run(const struct container_spec *spec, const struct paths *paths,
		  const struct container_hooks *hooks, struct run_result *ret, struct err *e)
{
	_free_ char *why = NULL;
	int r;

	*ret = (struct run_result){0};
	if (!geteuid() && !spec->allow_root)
		return err_set(e, EPERM,
			       "refused for root: csbx is for ordinary users (runuser -u NAME -- "
			       "csbx ...; --allow-root or CSBX_ALLOW_ROOT=yes insists)");
	if (spec->ns.pid == PID_HOST)
		return err_set(e, EINVAL, "the host's process ids are for a bare start only");
	if (spec->rootfs.kind == ROOTFS_DIRECTORY)
		return run_on_any_upper(spec, paths, hooks, ret, e);
	if (unpacked_is_needed())
		return run_unpacked(spec, paths, hooks, "/dev/fuse cannot be opened", ret, e);
	r = run_on_any_upper(spec, paths, hooks, ret, e);
	/*
	 * A device node without a driver, or one that is not let mount: only the server could tell.
	 */
	if (r != -SQUASHD_NO_FUSE)
		return r;
	why = str_printf("%s", e->msg);
	log_trace("no FUSE here: %s", e->msg);
	return run_unpacked(spec, paths, hooks, why ? why : "no FUSE", ret, e);
}

int container_plan(const struct container_spec *spec, const struct paths *paths, struct strbuf *out,
		   struct err *e)
{
	_free_ char *read =
		spec->rootfs.reads_layer ? str_printf("%s/upper", spec->rootfs.layer_path) : NULL;
	struct plan_input in = {
		.spec = spec,
		.upper_path = spec->rootfs.upper == UPPER_KEPT ? spec->rootfs.layer_path : NULL,
		.read_path = read,
		.base_bytes = container_base_bytes(spec),
		.seeds = spec->files,
		.n_seeds = spec->n_files,
	};
	_strv_ struct strv own = STRV_INIT;
	struct plan p = {0};
	int r = own_dirs_list(paths, &own, e);

	in.own = &own;
	if (r >= 0)
		r = plan_compile(&p, &in, e);

	if (r >= 0)
		plan_print(&p, out);
	plan_free(&p);
	return r < 0 ? r : strbuf_check(out, e);
}
