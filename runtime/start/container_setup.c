/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/container_setup.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/start/container.h"
#include "runtime/child/init_msg.h"
#include "runtime/settings/paths.h"
#include "runtime/start/own_dirs.h"

/*
 * Size of the base tmpfs: the size that was asked for, else somewhat more than the memory limit,
 * capped at
 * 25 % of RAM. Were it the limit, a program that writes too much would end by itself at a full file
 * system before a watchdog has seen it (watchdog.c: some 30 MB a look), and not be told from one
 * that failed.
 */
uint64_t container_base_bytes(const struct container_spec *s)
{
	struct sysinfo si;
	uint64_t quarter, limit = s->limits.memory_bytes;

	if (s->rootfs.upper_bytes)
		return s->rootfs.upper_bytes;
	quarter = sysinfo(&si) < 0 ? UINT64_C(1) << 30 : (uint64_t)si.totalram * si.mem_unit / 4;
	if (!limit || limit >= quarter)
		return quarter;
	limit += UINT64_C(128) << 20;
	return limit < quarter ? limit : quarter;
}

/*
 * A kernel whose tmpfs has no user attributes is found out once, by the child; this mark spares
 * later starts the attempt. It lies in the runtime directory, so a reboot forgets it.
 */
#define NO_TMPFS_UPPER "no-tmpfs-upper"

static int open_upper(struct container *c, bool on_disk, struct err *e)
{
	const struct container_spec *s = c->spec;
	unsigned flags = (s->rootfs.force_layer ? LAYER_FORCE : 0) |
			 (c->hooks && c->hooks->removed_after ? LAYER_GOES : 0);
	int r;

	if (s->rootfs.upper == UPPER_KEPT) {
		r = layer_open(c->paths, strrchr(s->rootfs.layer_path, '/') + 1, flags, &c->layer,
			       e);
	} else if (on_disk) {
		r = scratch_create(c->paths, s->id, &c->layer, e);
		c->is_scratch = r >= 0;
	} else {
		return 0;
	}
	c->has_layer = r >= 0;
	return r;
}

static int open_read_layer(struct container *c, struct err *e)
{
	const struct rootfs_spec *root = &c->spec->rootfs;

	if (!root->reads_layer)
		return 0;
	return layer_read(c->paths, strrchr(root->layer_path, '/') + 1, &c->read_layer, e);
}

bool container_wants_disk_upper(const struct container *c)
{
	_free_ char *mark = str_printf("%s/" NO_TMPFS_UPPER, c->paths->runtime);

	return mark && access(mark, F_OK) == 0;
}

void container_remember_disk_upper(const struct container *c)
{
	_close_ int dir = open(c->paths->runtime, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_close_ int fd =
		openat(dir, NO_TMPFS_UPPER, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	(void)fd; /* only made; a mark that could not be made is probed for again */
}

/* Its path without links: to be compared with csbx's own directories. */
static int note_real(struct op *op, int fd, struct err *e)
{
	char link[40], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return err_sys(e, "mount %s", op->src);
	path[n] = 0;
	op->real = strdup(path);
	return op->real ? 0 : err_oom(e);
}

static int open_source(const struct op *op, struct err *e)
{
	const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
	int fd;

	if (!(op->flags & OP_NO_LINKS))
		return path_open_source(op->src, 0, e);
	fd = (int)syscall(SYS_openat2, AT_FDCWD, op->src, &how, sizeof(how));
	if (fd < 0 && errno == ELOOP)
		return err_set(e, ELOOP,
			       "%s: a symbolic link has come into its path since the first start",
			       op->src);
	return fd < 0 ? err_sys(e, "%s", op->src) : fd;
}

/* Opens what will be mounted as the user, before anything happens; remembers what it was. */
static int check_sources(struct plan *p, struct err *e)
{
	bool has_hidden = plan_has(p, OP_HIDE);

	for (size_t i = 0; i < p->n; i++) {
		struct op *op = &p->ops[i];
		struct err why = ERR_INIT;
		_close_ int fd = -1;
		struct stat st;

		if (!plan_op_has_source(op))
			continue;
		fd = open_source(op, &why);
		if (fd == -ENOENT && (op->flags & OP_OPTIONAL)) {
			op->skip = true;
			continue;
		}
		if (fd < 0)
			return err_set(e, why.code, "mount %s", why.msg);
		if (fstat(fd, &st) < 0)
			return err_sys(e, "mount %s", op->src);
		op->dev = st.st_dev;
		op->ino = st.st_ino;
		if (has_hidden && note_real(op, fd, e) < 0)
			return -e->code;
		if (op->id && (st.st_dev != op->id->dev || st.st_ino != op->id->ino))
			return err_set(e, ESTALE,
				       "%s: not the directory the container was created from",
				       op->src);
	}
	return 0;
}

/* In a container that shares the host's processes (plain enroot start) no promise is made of mounts. */
static bool can_unmount(const struct container_spec *s)
{
	return s->sec.caps >> CAP_SYS_ADMIN & 1 && s->ns.pid == PID_PRIVATE &&
	       (s->sec.landlock_off || syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 1);
}

static int compile(struct container *c, struct err *e)
{
	struct plan_input in = {
		.spec = c->spec,
		.upper_path = c->has_layer ? c->layer.path : NULL,
		.read_path = c->read_layer.dir >= 0 ? c->read_layer.upper_path : NULL,
		.base_bytes = container_base_bytes(c->spec),
		.seeds = c->seeds,
		.n_seeds = c->n_seeds,
	};
	const struct own_dirs_facts facts = {c->spec->hooks.n, can_unmount(c->spec)};
	_strv_ struct strv own = STRV_INIT;
	int r = own_dirs_list(c->paths, &own, e);

	in.own = &own;
	if (r >= 0)
		r = plan_compile(&c->plan, &in, e);
	if (r >= 0)
		r = check_sources(&c->plan, e);
	return r < 0 ? r : own_dirs_settle(&c->plan, c->paths, facts, e);
}

int container_make_message(struct container *c, struct err *e)
{
	struct init_msg_params params = {.umask = 022,
					 .is_lane = c->is_lane,
					 .is_spare = c->is_spare,
					 .has_cgroup = cgroup_is_made(&c->limits.cgroup)};
	_strbuf_ struct strbuf msg = STRBUF_INIT;
	int r = init_msg_build(c->spec, &c->map, &params, &msg, e);

	if (r < 0)
		return r;
	fd_close(&c->msg_fd);
	c->msg_fd = init_msg_memfd(&msg, e);
	return c->msg_fd < 0 ? c->msg_fd : 0;
}

static int make_channels(struct container *c, struct err *e)
{
	if (pipe2(c->status, O_CLOEXEC) < 0)
		return err_sys(e, "make channels");
	if (c->spare.is_taken)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, c->control) < 0)
		return err_sys(e, "make channels");
	c->self_pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	return c->self_pidfd < 0 ? err_sys(e, "pidfd_open") : 0;
}

#define DEFAULT_CAPTURE_BYTES (UINT64_C(1) << 20)

int container_prepare_streams(struct container *c, struct err *e)
{
	const struct container_spec *s = c->spec;
	struct stream_options o = {
		.tty = s->proc.tty == TTY_YES,
		.close_stdin = s->proc.close_stdin,
		.capture = s->capture_output,
		.keep_bytes = s->limits.output_bytes,
		.kill_bytes = s->limits.output_kill_bytes,
		.log = c->hooks ? c->hooks->log : NULL,
		.lent = c->hooks && c->hooks->lent,
		.stdin_once = c->hooks && c->hooks->stdin_once,
	};

	if (o.capture && !o.keep_bytes)
		o.keep_bytes = o.kill_bytes ? o.kill_bytes : DEFAULT_CAPTURE_BYTES;
	return streams_prepare(&c->streams, &o, e);
}

int container_prepare_root(struct container *c, bool on_disk, struct err *e)
{
	const struct container_spec *s = c->spec;
	int r = userns_map_for(spec_map_uid(s), spec_map_gid(s), s->ns.userns, &c->map, e);

	if (r >= 0 && !c->spare.is_wanted)
		r = squashd_attach_begin(c->paths, s, &c->map, c->is_spare, &c->attach, e);
	if (r >= 0 && !c->is_spare)
		r = instance_begin(c->paths, s->id, &c->instance, e);
	if (r >= 0)
		r = open_upper(c, on_disk, e);
	if (r >= 0)
		r = open_read_layer(c, e);
	if (r >= 0)
		r = container_collect_seeds(c, e);
	if (r >= 0)
		r = compile(c, e);
	return r;
}

int container_prepare(struct container *c, bool on_disk, struct err *e)
{
	int r = container_prepare_root(c, on_disk, e);

	return r < 0 ? r : container_prepare_rest(c, e);
}

int container_prepare_rest(struct container *c, struct err *e)
{
	const struct container_spec *s = c->spec;
	int r = make_channels(c, e);

	if (r >= 0 && !c->is_spare)
		r = container_prepare_streams(c, e);
	if (r >= 0 && !c->spare.is_taken)
		r = squashd_attach_finish(&c->attach, &c->link, e);
	/*
	 * After the image server, which must not be started in a cgroup that is made for this run.
	 */
	c->limits.upper_on_disk = c->is_scratch;
	if (r >= 0)
		r = container_limits_prepare(&c->limits, s, c->paths, &c->map, &c->instance, e);
	return r;
}

void container_init(struct container *c, const struct container_spec *spec,
		    const struct paths *paths)
{
	*c = (struct container){
		.spec = spec,
		.paths = paths,
		.link = SQUASHD_LINK_INIT,
		.layer = LAYER_INIT,
		.read_layer = LAYER_INIT,
		.instance = INSTANCE_INIT,
		.msg_fd = -1,
		.spare = {.take_fd = -1, .maker_fd = -1},
		.status = {-1, -1},
		.control = {-1, -1},
		.self_pidfd = -1,
		.signal_fd = -1,
		.host_copy_fd = -1,
		.pid1 = {.pidfd = -1},
		.net_traces = NET_TRACES_INIT,
		.limits = CONTAINER_LIMITS_INIT,
		.streams = {.child = {-1, -1, -1}, .master = -1, .waiting_stdin = -1},
	};
}

/* The payload is gone; the kept layer is synced last, when the result is already known. */
int container_release_upper(struct container *c, struct err *e)
{
	int r = 0;

	if (!c->has_layer)
		return 0;
	if (c->is_scratch) {
		scratch_discard(&c->layer, c->link.userns_fd);
	} else {
		/* A layer that is about to be removed need not be synced. */
		if (!c->is_removed && c->hooks && c->hooks->kept)
			layer_clean_later(&c->layer);
		else if (!c->is_removed)
			r = layer_clean(&c->layer, e);
		layer_close(&c->layer);
	}
	c->has_layer = c->is_scratch = false;
	return r;
}

void container_done(struct container *c)
{
	streams_done(&c->streams);
	(void)container_release_upper(c, NULL);
	layer_close(&c->read_layer);
	/* A group that cannot be removed now is left to gc, and with it the file that names it. */
	if (cgroup_remove(&c->limits.cgroup, NULL) < 0)
		instance_release(&c->instance);
	instance_end(&c->instance);
	squashd_attach_cancel(&c->attach);
	net_traces_close(&c->net_traces);
	fd_close(&c->host_copy_fd);
	squashd_link_close(&c->link);
	plan_free(&c->plan);
	free(c->seeds);
	limit_holders_free(&c->limits.holders);
	etc_files_free(c->etc);
	fd_close(&c->pid1.pidfd);
	fd_close(&c->spare.take_fd);
	fd_close(&c->spare.maker_fd);
	strbuf_free(&c->spare.key);
	fd_close(&c->msg_fd);
	for (int i = 0; i < 2; i++) {
		fd_close(&c->status[i]);
		fd_close(&c->control[i]);
	}
	fd_close(&c->self_pidfd);
	fd_close(&c->signal_fd);
}
