/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor's side of a start, in the order of docs/architecture.md 5: open the sources,
 * attach to the image server, prepare the upper layer and the message for init, launch, watch,
 * clean up. Everything that is undone at the end hangs in struct container, so each step may
 * simply return.
 */
#include "runtime/container.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/log.h"
#include "runtime/child.h"
#include "runtime/etc_files.h"
#include "runtime/init_msg.h"
#include "runtime/instance.h"
#include "runtime/launch.h"
#include "runtime/layer.h"
#include "runtime/paths.h"
#include "runtime/plan.h"
#include "runtime/result.h"
#include "runtime/spec.h"
#include "runtime/squashd_client.h"
#include "runtime/streams.h"
#include "runtime/supervise.h"
#include "runtime/unpacked.h"
#include "runtime/userns.h"

#define MAX_SEEDS 16u

struct container {
	const struct container_spec *spec;
	const struct paths *paths;
	struct id_map map;
	struct squashd_link link;
	struct instance instance;
	struct layer layer;
	bool has_layer, is_scratch;
	struct file_spec seeds[MAX_SEEDS];
	size_t n_seeds;
	struct etc_file etc[ETC_FILES];
	struct plan plan;
	struct streams streams;
	int msg_fd, status[2], control[2], self_pidfd, signal_fd;
	struct launched pid1;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Size of the base tmpfs: what was asked for, else the memory limit, capped at 25 % of RAM. */
static uint64_t base_bytes(const struct container_spec *s)
{
	struct sysinfo si;
	uint64_t quarter;

	if (s->rootfs.upper_bytes)
		return s->rootfs.upper_bytes;
	quarter = sysinfo(&si) < 0 ? UINT64_C(1) << 30 : (uint64_t)si.totalram * si.mem_unit / 4;
	return s->limits.memory_bytes && s->limits.memory_bytes < quarter ? s->limits.memory_bytes : quarter;
}

/*
 * A kernel whose tmpfs has no user attributes is found out once, by the child; this mark spares
 * later starts the attempt. It lies in the runtime directory, so a reboot forgets it.
 */
#define NO_TMPFS_UPPER "no-tmpfs-upper"

static int open_upper(struct container *c, bool on_disk, struct err *e)
{
	const struct container_spec *s = c->spec;
	int r;

	if (s->rootfs.upper == UPPER_KEPT) {
		r = layer_open(c->paths, s->name, s->rootfs.force_layer, &c->layer, e);
	} else if (on_disk) {
		r = scratch_create(c->paths, s->id, &c->layer, e);
		c->is_scratch = r >= 0;
	} else {
		return 0;
	}
	c->has_layer = r >= 0;
	return r;
}

static bool wants_disk_upper(const struct container *c)
{
	_free_ char *mark = str_printf("%s/" NO_TMPFS_UPPER, c->paths->runtime);

	return mark && access(mark, F_OK) == 0;
}

static void remember_disk_upper(const struct container *c)
{
	_close_ int dir = open(c->paths->runtime, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_close_ int fd = openat(dir, NO_TMPFS_UPPER, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* A kept layer that was used before has its files; only a fresh upper is seeded. */
static bool upper_is_fresh(const struct container *c)
{
	struct stat st;

	return !c->has_layer || c->is_scratch || fstatat(c->layer.upper, "etc", &st, AT_SYMLINK_NOFOLLOW) < 0;
}

static void read_host_file(const char *path, struct strbuf *out)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd >= 0 && io_read_all(fd, 65536, out, NULL) < 0)
		strbuf_reset(out);
}

static int collect_seeds(struct container *c, struct err *e)
{
	const struct container_spec *s = c->spec;
	_strbuf_ struct strbuf resolv = STRBUF_INIT, hosts = STRBUF_INIT;
	struct etc_request q = {.uid = s->proc.uid, .gid = s->proc.gid, .hostname = s->ns.hostname};
	int r;

	if (!upper_is_fresh(c))
		return 0;
	for (size_t i = 0; i < s->n_files && c->n_seeds < MAX_SEEDS; i++)
		c->seeds[c->n_seeds++] = s->files[i];
	if (s->ns.net == NET_HOST) {
		read_host_file("/etc/resolv.conf", &resolv);
		read_host_file("/etc/hosts", &hosts);
		q.host_network = true;
		q.host_resolv = resolv.data;
		q.host_resolv_len = resolv.len;
		q.host_hosts = hosts.data;
		q.host_hosts_len = hosts.len;
	}
	r = etc_files_make(&q, c->etc, e);
	if (r < 0)
		return r;
	for (int i = ETC_HOSTS; i < ETC_FILES && c->n_seeds < MAX_SEEDS; i++) {
		if (c->etc[i].wanted)
			c->seeds[c->n_seeds++] = (struct file_spec){(char *)c->etc[i].path + 1,
								    c->etc[i].content.data,
								    c->etc[i].content.len};
	}
	return 0;
}

/* Opens what will be mounted as the user, before anything happens; remembers what it was. */
static int check_sources(struct plan *p, const struct container *c, struct err *e)
{
	for (size_t i = 0; i < p->n; i++) {
		struct op *op = &p->ops[i];
		_close_ int fd = -1;
		struct stat st;

		if (op->kind != OP_BIND && op->kind != OP_DEVICE && op->kind != OP_LOWER_DIRECTORY &&
		    op->kind != OP_UPPER_DIRECTORY)
			continue;
		fd = open(op->src, O_PATH | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT && (op->flags & OP_OPTIONAL)) {
			op->skip = true;
			continue;
		}
		if (fd < 0 || fstat(fd, &st) < 0)
			return err_sys(e, "mount %s", op->src);
		op->dev = st.st_dev;
		op->ino = st.st_ino;
		if (op->kind == OP_LOWER_DIRECTORY && (st.st_dev != c->spec->rootfs.id.dev ||
						       st.st_ino != c->spec->rootfs.id.ino))
			return err_set(e, ESTALE, "%s: not the directory the container was created from",
				       op->src);
	}
	return 0;
}

static int compile(struct container *c, struct err *e)
{
	struct plan_input in = {
		.spec = c->spec,
		.upper_path = c->has_layer ? c->layer.path : NULL,
		.base_bytes = base_bytes(c->spec),
		.seeds = c->seeds,
		.n_seeds = c->n_seeds,
	};
	int r = plan_compile(&c->plan, &in, e);

	return r < 0 ? r : check_sources(&c->plan, c, e);
}

static int make_message(struct container *c, struct err *e)
{
	struct init_msg_params params = {.umask = 022};
	_strbuf_ struct strbuf msg = STRBUF_INIT;
	int r = init_msg_build(c->spec, &c->map, &params, &msg, e);

	if (r < 0)
		return r;
	c->msg_fd = init_msg_memfd(&msg, e);
	return c->msg_fd < 0 ? c->msg_fd : 0;
}

static int make_channels(struct container *c, struct err *e)
{
	if (pipe2(c->status, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, c->control) < 0)
		return err_sys(e, "make channels");
	c->self_pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	return c->self_pidfd < 0 ? err_sys(e, "pidfd_open") : 0;
}

static unsigned long namespace_flags(const struct container_spec *s)
{
	return CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | (s->ns.ipc == IPC_PRIVATE ? CLONE_NEWIPC : 0) |
	       (s->ns.net == NET_NONE ? CLONE_NEWNET : 0);
}

static int launch(struct container *c, struct err *e)
{
	struct child child = {
		.spec = c->spec,
		.plan = &c->plan,
		.supervisor_pidfd = c->self_pidfd,
		.status_fd = c->status[1],
		.control_fd = c->control[1],
		.msg_fd = c->msg_fd,
		.init_fd = c->link.init_fd,
		.dev_fd = c->link.dev_fd,
		.image_fd = c->link.image_fd,
		.stdio = {c->streams.child[0], c->streams.child[1], c->streams.child[2]},
		.keep_fds = c->spec->proc.keep_fds,
		.n_keep_fds = (uint32_t)c->spec->proc.n_keep_fds,
		.cgroup_fd = -1,
	};
	int r = launch_child(&child, c->link.userns_fd, namespace_flags(c->spec), &c->pid1, e);

	fd_close(&c->status[1]);
	fd_close(&c->control[1]);
	streams_started(&c->streams);
	return r;
}

static int publish(struct container *c, struct err *e)
{
	struct instance_record rec = {
		.id = c->spec->id,
		.name = c->spec->name,
		.image = c->spec->rootfs.path,
		.layer = c->has_layer && !c->is_scratch ? c->layer.path : NULL,
		.scratch = c->is_scratch ? c->layer.path : NULL,
		.command = c->spec->proc.argv,
		.supervisor = getpid(),
		.init = c->pid1.pid,
		.started_ns = now_ns(CLOCK_REALTIME),
	};

	return instance_publish(&c->instance, &rec, e);
}

static void note_degraded(const struct container *c, struct run_result *ret)
{
	if (c->link.init_is_file)
		strv_add(&ret->degraded, "init_writable: csbx-init could not be sealed (vm.memfd_noexec)");
	if (!c->spec->sec.landlock_off && syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 2)
		strv_add(&ret->degraded, "landlock: this kernel has no Landlock ABI 2");
}

static int watch(struct container *c, struct run_result *ret, struct err *e)
{
	struct supervise s = {
		.spec = c->spec,
		.pid1 = c->pid1,
		.status_fd = take_fd(&c->status[0]),
		.control_fd = take_fd(&c->control[0]),
		.server_fd = c->link.sock,
		.signal_fd = c->signal_fd,
		.streams = &c->streams,
		.result = ret,
	};
	int r = supervise_run(&s, e);

	fd_close(&s.status_fd);
	fd_close(&s.control_fd);
	return r;
}

static void container_init(struct container *c, const struct container_spec *spec, const struct paths *paths)
{
	*c = (struct container){
		.spec = spec,
		.paths = paths,
		.link = {-1, -1, -1, -1, -1},
		.instance = INSTANCE_INIT,
		.msg_fd = -1,
		.status = {-1, -1},
		.control = {-1, -1},
		.self_pidfd = -1,
		.signal_fd = -1,
		.pid1 = {.pidfd = -1},
		.streams = {.child = {-1, -1, -1}, .master = -1},
	};
}

/* The payload is gone; the kept layer is synced last, when the result is already known. */
static int release_upper(struct container *c, struct err *e)
{
	int r = 0;

	if (!c->has_layer)
		return 0;
	if (c->is_scratch) {
		scratch_discard(&c->layer, c->link.userns_fd);
	} else {
		r = layer_clean(&c->layer, e);
		layer_close(&c->layer);
	}
	c->has_layer = c->is_scratch = false;
	return r;
}

static void container_done(struct container *c)
{
	streams_done(&c->streams);
	(void)release_upper(c, NULL);
	instance_end(&c->instance);
	squashd_link_close(&c->link);
	plan_free(&c->plan);
	etc_files_free(c->etc);
	fd_close(&c->pid1.pidfd);
	fd_close(&c->msg_fd);
	for (int i = 0; i < 2; i++) {
		fd_close(&c->status[i]);
		fd_close(&c->control[i]);
	}
	fd_close(&c->self_pidfd);
	fd_close(&c->signal_fd);
}

static int prepare(struct container *c, bool on_disk, struct err *e)
{
	const struct container_spec *s = c->spec;
	int r = userns_map_for(s->proc.uid, s->proc.gid, s->ns.userns, &c->map, e);

	if (r >= 0)
		r = instance_begin(c->paths, s->id, &c->instance, e);
	if (r >= 0)
		r = open_upper(c, on_disk, e);
	if (r >= 0)
		r = collect_seeds(c, e);
	if (r >= 0)
		r = compile(c, e);
	if (r >= 0)
		r = make_message(c, e);
	if (r >= 0)
		r = make_channels(c, e);
	if (r >= 0)
		r = streams_prepare(&c->streams, s->proc.tty == TTY_YES, s->proc.close_stdin, e);
	if (r >= 0)
		r = squashd_attach(c->paths, s, &c->map, &c->link, e);
	return r;
}

/*
 * Without /dev/fuse an image is unpacked once and started as a directory. The spec stays as it
 * is; a copy with another root is run.
 */
static int substitute_root(const struct container_spec *spec, const struct paths *paths,
			   struct container_spec *ret, struct err *e)
{
	*ret = *spec;
	if (spec->rootfs.kind == ROOTFS_DIRECTORY || !unpacked_is_needed())
		return 0;
	return unpacked_open(paths, &spec->rootfs, &ret->rootfs, e);
}

static int run_once(const struct container_spec *spec, const struct paths *paths, bool on_disk,
		    struct run_result *ret, struct err *e)
{
	uint64_t begin = now_ns(CLOCK_MONOTONIC);
	struct container c;
	sigset_t old;
	int r;

	container_init(&c, spec, paths);
	on_disk = on_disk || (spec->rootfs.upper != UPPER_KEPT && wants_disk_upper(&c));
	ret->started_at_ns = now_ns(CLOCK_REALTIME);
	r = supervise_signals(&old, &c.signal_fd, e);
	if (r >= 0)
		r = prepare(&c, on_disk, e);
	if (r >= 0)
		r = launch(&c, e);
	if (r >= 0)
		r = publish(&c, e);
	if (r >= 0) {
		note_degraded(&c, ret);
		ret->setup_ns = now_ns(CLOCK_MONOTONIC) - begin;
		r = watch(&c, ret, e);
		ret->wall_ns = now_ns(CLOCK_MONOTONIC) - begin - ret->setup_ns;
	}
	if (r == -EOPNOTSUPP && !on_disk && spec->rootfs.upper != UPPER_KEPT)
		remember_disk_upper(&c);
	if (r >= 0)
		r = release_upper(&c, e);
	container_done(&c);
	sigprocmask(SIG_SETMASK, &old, NULL);
	ret->teardown_ns = now_ns(CLOCK_MONOTONIC) - begin - ret->setup_ns - ret->wall_ns;
	return r;
}

int container_run(const struct container_spec *spec, const struct paths *paths, struct run_result *ret,
		  struct err *e)
{
	struct container_spec actual;
	int r;

	*ret = (struct run_result){0};
	if (!geteuid() && !spec->allow_root)
		return err_set(e, EPERM, "refused for root: csbx is for ordinary users (--allow-root insists)");
	r = substitute_root(spec, paths, &actual, e);
	if (r < 0)
		return r;
	r = run_once(&actual, paths, false, ret, e);
	if (r == -EOPNOTSUPP && spec->rootfs.upper != UPPER_KEPT && str_has_prefix(e->msg, "tmpfs has no user")) {
		log_trace("no tmpfs upper here, trying a directory");
		r = run_once(&actual, paths, true, ret, e);
	}
	if (actual.rootfs.path != spec->rootfs.path)
		free(actual.rootfs.path);
	return r;
}

int container_plan(const struct container_spec *spec, struct strbuf *out, struct err *e)
{
	struct plan_input in = {
		.spec = spec,
		.upper_path = spec->rootfs.upper == UPPER_KEPT ? spec->rootfs.layer_path : NULL,
		.base_bytes = base_bytes(spec),
		.seeds = spec->files,
		.n_seeds = spec->n_files,
	};
	struct plan p = {0};
	int r = plan_compile(&p, &in, e);

	if (r >= 0)
		plan_print(&p, out);
	plan_free(&p);
	return r < 0 ? r : strbuf_check(out, e);
}
