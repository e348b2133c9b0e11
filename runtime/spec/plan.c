/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/plan.h"

#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

static const char *const op_names[] = {
	[OP_LOOPBACK] = "loopback",
	[OP_HOSTNAME] = "hostname",
	[OP_BASE] = "base",
	[OP_LOWER_IMAGE] = "lower-image",
	[OP_LOWER_DIRECTORY] = "lower-directory",
	[OP_LOWER_LAYER] = "lower-layer",
	[OP_UPPER_DIRECTORY] = "upper-directory",
	[OP_SEED] = "seed",
	[OP_OVERLAY] = "overlay",
	[OP_DEV] = "dev",
	[OP_DEV_OWN] = "dev-own",
	[OP_DEVPTS] = "devpts",
	[OP_SHM] = "shm",
	[OP_SHM_HOST] = "shm-host",
	[OP_MQUEUE] = "mqueue",
	[OP_PROC] = "proc",
	[OP_PROC_MASK] = "proc-mask",
	[OP_PROC_READONLY] = "proc-readonly",
	[OP_SYSFS] = "sysfs",
	[OP_SYSFS_HOST] = "sysfs-host",
	[OP_SYS_MASK] = "sys-mask",
	[OP_BIND] = "bind",
	[OP_DEVICE] = "device",
	[OP_TMPFS] = "tmpfs",
	[OP_COPY] = "copy",
	[OP_SELF] = "self",
	[OP_HOOKS] = "hooks",
	[OP_HIDE] = "hide",
	[OP_READONLY_ROOT] = "readonly-root",
	[OP_PIVOT] = "pivot",
	[OP_LANDLOCK] = "landlock",
	[OP_UNIX_SOCKETS] = "unix-sockets",
};
_Static_assert(sizeof(op_names) / sizeof(op_names[0]) == OP_MAX, "a name for every operation");

/*
 * The files that a container has no business to see or set; missing ones are passed over at run
 * time. The last is there on every machine: see proc_mask().
 */
static const char *const proc_masks[] = {
	"acpi", "kcore",      "latency_stats", "sched_debug", "scsi",
	"keys", "timer_list", "timer_stats",   "interrupts",
};
/*
 * "1": csbx-init has the payload's user id, and may not be preferred as a victim for want of
 * memory.
 */
static const char *const proc_readonly[] = {"1",   "asound", "bus",          "fs",
					    "irq", "sys",    "sysrq-trigger"};
const char *const plan_sys_masks[] = {"devices/virtual/powercap", "firmware", NULL};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FIXED_OPS 64u

const char *op_name(enum op_kind kind)
{
	return kind < OP_MAX ? op_names[kind] : "?";
}

static struct op *add(struct plan *p, enum op_kind kind)
{
	struct op *op = &p->ops[p->n++];

	*op = (struct op){.kind = kind};
	return op;
}

static void add_dst(struct plan *p, enum op_kind kind, const char *dst)
{
	add(p, kind)->dst = dst;
}

static void add_src(struct plan *p, enum op_kind kind, const char *src)
{
	add(p, kind)->src = src;
}

static void add_directories(struct plan *p, const struct rootfs_spec *root)
{
	for (size_t i = 0; i <= root->n_lowers; i++) {
		struct op *op = add(p, OP_LOWER_DIRECTORY);

		op->src = i < root->n_lowers ? root->lowers[i].path : root->path;
		op->id = i < root->n_lowers ? &root->lowers[i].id : &root->id;
	}
}

/* A part of the root that stays writable, and hooks, write to it. */
static bool is_written(const struct container_spec *s)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		if (s->mounts[i].kind == MOUNT_SELF)
			return true;
	}
	return s->hooks.n;
}

/*
 * A read-only root that is one file and nothing over it, where isolation from other containers of
 * the image is not asked for: locks, FIFOs and the events of inotify(7) belong to a file, and there
 * it is one file for all of them. Through an overlay each has its own. Whether the image has every mount point
 * pid 1 will see (runtime/child/rootfs_direct.c).
 */
static bool may_be_direct(const struct plan_input *in)
{
	const struct rootfs_spec *root = &in->spec->rootfs;

	return in->spec->sec.root_shared && root->upper == UPPER_READONLY &&
	       root->kind == ROOTFS_SQUASHFS && !root->n_lowers && !root->layers.n &&
	       !in->read_path && !in->upper_path && !is_written(in->spec);
}

static void add_root(struct plan *p, const struct plan_input *in)
{
	const struct container_spec *s = in->spec;
	unsigned below = 0;

	add(p, OP_BASE)->bytes = in->base_bytes;
	if (s->rootfs.kind == ROOTFS_DIRECTORY)
		add_directories(p, &s->rootfs);
	else
		add(p, OP_LOWER_IMAGE);
	for (size_t i = 0; i < s->rootfs.layers.n; i++)
		add_src(p, OP_LOWER_LAYER, s->rootfs.layers.items[i]);
	if (in->read_path)
		add_src(p, OP_LOWER_LAYER, in->read_path);
	if (in->upper_path)
		add_src(p, OP_UPPER_DIRECTORY, in->upper_path);
	for (size_t i = 0; i < in->n_seeds; i++) {
		struct op *op = add(p, OP_SEED);

		op->dst = in->seeds[i].path;
		op->data = in->seeds[i].data;
		op->data_len = in->seeds[i].len;
		op->mode = in->seeds[i].mode;
		op->flags = (in->seeds[i].is_users ? OP_USERS : 0) |
			    (in->seeds[i].if_absent ? OP_IF_ABSENT : 0) |
			    (in->seeds[i].refresh ? OP_REFRESH : 0) |
			    (in->seeds[i].is_below ? OP_BELOW : 0);
		below |= op->flags & OP_BELOW;
	}
	add(p, OP_OVERLAY)->flags = below | (may_be_direct(in) ? OP_DIRECT : 0);
}

static bool has_devices(const struct container_spec *s)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		if (str_has_prefix(s->mounts[i].target, "/dev/"))
			return true;
	}
	return false;
}

static void add_host_tree(struct plan *p, const char *path, unsigned flags)
{
	struct op *op = add(p, OP_BIND);

	op->src = op->dst = path;
	op->flags = OP_NOEXEC | flags;
}

/* The masks of the template are made, also where the host's own comes on top of it. */
static void add_dev(struct plan *p, const struct container_spec *s)
{
	if (!s->ns.host_dev)
		add(p, has_devices(s) ? OP_DEV_OWN : OP_DEV);
	else if (s->ns.pid == PID_PRIVATE || !s->ns.host_sys)
		add(p, OP_DEV);
}

/* Before what goes onto /dev: see proc.c. */
static void add_proc(struct plan *p, const struct container_spec *s)
{
	if (s->ns.pid == PID_HOST) {
		add_host_tree(p, "/proc", 0);
		return;
	}
	add(p, OP_PROC);
	for (size_t i = 0; !s->sec.masks_off && i < COUNT(proc_masks); i++)
		add_dst(p, OP_PROC_MASK, proc_masks[i]);
	for (size_t i = 0; !s->sec.masks_off && i < COUNT(proc_readonly); i++)
		add_dst(p, OP_PROC_READONLY, proc_readonly[i]);
}

static void add_sys(struct plan *p, const struct container_spec *s)
{
	if (s->ns.host_sys) {
		add_host_tree(p, "/sys", OP_RDONLY);
		return;
	}
	add(p, s->ns.net == NET_HOST ? OP_SYSFS_HOST : OP_SYSFS);
	for (size_t i = 0; !s->sec.masks_off && plan_sys_masks[i]; i++)
		add_dst(p, OP_SYS_MASK, plan_sys_masks[i]);
}

/* A host's /dev brings its own. */
static void add_below_dev(struct plan *p, const struct container_spec *s)
{
	if (s->ns.host_dev)
		add_host_tree(p, "/dev", OP_DEVICES);
	else
		add(p, OP_DEVPTS);
	if (s->ns.ipc == IPC_HOST) {
		if (!s->ns.host_dev)
			add(p, OP_SHM_HOST);
	} else {
		add(p, OP_SHM)->bytes = s->limits.shm_bytes;
		add(p, OP_MQUEUE);
	}
}

static void add_kernel_mounts(struct plan *p, const struct container_spec *s)
{
	add_dev(p, s);
	add_proc(p, s);
	add_sys(p, s);
	add_below_dev(p, s);
}

void plan_mount_op(const struct mount_spec *m, struct op *op)
{
	static const enum op_kind kinds[] = {[MOUNT_BIND] = OP_BIND,
					     [MOUNT_TMPFS] = OP_TMPFS,
					     [MOUNT_DEVICE] = OP_DEVICE,
					     [MOUNT_COPY] = OP_COPY,
					     [MOUNT_SELF] = OP_SELF};

	*op = (struct op){.kind = kinds[m->kind]};
	op->src = m->source;
	op->dst = m->target;
	op->bytes = m->tmpfs_bytes;
	op->mode = m->tmpfs_mode ? m->tmpfs_mode : 01777;
	op->flags = (m->readonly ? OP_RDONLY : 0) | (m->exec_off ? OP_NOEXEC : 0) |
		    (m->non_recursive ? OP_SINGLE : 0) | (m->optional ? OP_OPTIONAL : 0) |
		    (m->no_create ? OP_NOCREATE : 0) | (m->copy_up ? OP_COPY_UP : 0) |
		    (m->devices ? OP_DEVICES : 0) | (m->no_links ? OP_NO_LINKS : 0);
}

static void add_mounts(struct plan *p, const struct container_spec *s)
{
	for (size_t i = 0; i <= s->n_mounts; i++) {
		if (s->hooks.n && i == s->hooks.mounts_before)
			add_src(p, OP_HOOKS, s->hooks.dir);
		if (i < s->n_mounts)
			plan_mount_op(&s->mounts[i], &p->ops[p->n++]);
	}
}

/*
 * True when the program sees a part of the host beneath which one of csbx's directories may lie.
 */
static bool shows_host(const struct container_spec *s)
{
	if (s->hooks.n || s->rootfs.kind == ROOTFS_DIRECTORY)
		return true;
	/* One may be in /dev/shm, by a link too. */
	if (s->ns.host_dev || s->ns.ipc == IPC_HOST)
		return true;
	for (size_t i = 0; i < s->n_mounts; i++) {
		if (s->mounts[i].kind == MOUNT_BIND || s->mounts[i].kind == MOUNT_COPY)
			return true;
	}
	return false;
}

/* Last of the mounts: it looks at all mounts that are there, whatever has brought them there. */
static void add_hidden(struct plan *p, const struct plan_input *in)
{
	if (!in->own || !shows_host(in->spec))
		return;
	for (size_t i = 0; i < in->own->n; i++)
		add_src(p, OP_HIDE, in->own->items[i]);
}

int plan_compile(struct plan *p, const struct plan_input *in, struct err *e)
{
	const struct container_spec *s = in->spec;

	p->n = 0;
	p->ops = calloc(FIXED_OPS + s->rootfs.n_lowers + s->rootfs.layers.n + in->n_seeds +
				s->n_mounts + (in->own ? in->own->n : 0),
			sizeof(*p->ops));
	if (!p->ops)
		return err_oom(e);
	if (s->ns.net == NET_NONE)
		add(p, OP_LOOPBACK);
	if (s->ns.uts == UTS_PRIVATE)
		add_src(p, OP_HOSTNAME, s->ns.hostname);
	add_root(p, in);
	add_kernel_mounts(p, s);
	add_mounts(p, s);
	add_hidden(p, in);
	if (s->rootfs.upper == UPPER_READONLY)
		add(p, OP_READONLY_ROOT);
	add(p, OP_PIVOT);
	if (s->ns.net == NET_HOST && s->ns.ipc == IPC_PRIVATE && s->ns.pid == PID_PRIVATE &&
	    !s->sec.seccomp_off)
		add(p, OP_UNIX_SOCKETS);
	/* A process that joins a bare container later would not be in its domain. */
	if (!s->sec.landlock_off && s->ns.pid == PID_PRIVATE)
		add(p, OP_LANDLOCK)->flags =
			s->ns.net == NET_HOST && s->ns.ipc == IPC_PRIVATE ? OP_SCOPED : 0;
	return 0;
}

bool plan_has(const struct plan *p, enum op_kind kind)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->ops[i].kind == kind)
			return true;
	}
	return false;
}

bool plan_op_has_source(const struct op *op)
{
	switch (op->kind) {
	case OP_LOWER_DIRECTORY:
	case OP_LOWER_LAYER:
	case OP_UPPER_DIRECTORY:
	case OP_BIND:
	case OP_DEVICE:
	case OP_COPY:
		return true;
	default:
		return false;
	}
}

bool plan_op_is_overlay(const struct op *op)
{
	return op->kind == OP_COPY || op->kind == OP_LOWER_DIRECTORY;
}

static bool is_layer(enum op_kind kind)
{
	return kind == OP_UPPER_DIRECTORY || kind == OP_LOWER_LAYER;
}

bool plan_has_layers(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (is_layer(p->ops[i].kind))
			return true;
	}
	return false;
}

bool plan_needs_host(const struct plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		enum op_kind kind = p->ops[i].kind;

		if (is_layer(kind))
			continue;
		if (plan_op_has_source(&p->ops[i]) || kind == OP_DEV_OWN || kind == OP_SHM_HOST ||
		    kind == OP_SYSFS_HOST || kind == OP_SELF || kind == OP_HOOKS || kind == OP_HIDE)
			return true;
	}
	return false;
}

void plan_free(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->ops[i].real);
		strv_free(&p->ops[i].links);
	}
	free(p->ops);
	*p = (struct plan){0};
}

void plan_print(const struct plan *p, struct strbuf *out)
{
	static const struct {
		unsigned flag;
		const char *name;
	} flags[] = {{OP_RDONLY, "ro"},       {OP_NOEXEC, "noexec"},     {OP_SINGLE, "bind"},
		     {OP_OPTIONAL, "nofail"}, {OP_NOCREATE, "nocreate"}, {OP_COPY_UP, "volume"},
		     {OP_DEVICES, "dev"},     {OP_BELOW, "below"},       {OP_SCOPED, "scoped"},
		     {OP_DIRECT, "direct"}};

	for (size_t i = 0; i < p->n; i++) {
		const struct op *op = &p->ops[i];

		strbuf_addf(out, "%-16s", op_name(op->kind));
		if (op->src) {
			strbuf_addch(out, ' ');
			strbuf_add_escaped(out, op->src, strlen(op->src));
		}
		if (op->dst) {
			strbuf_addstr(out, op->src ? " -> " : " ");
			strbuf_add_escaped(out, op->dst, strlen(op->dst));
		}
		if (op->bytes)
			strbuf_addf(out, " size=%llu", (unsigned long long)op->bytes);
		for (size_t k = 0; k < COUNT(flags); k++) {
			if (op->flags & flags[k].flag)
				strbuf_addf(out, " %s", flags[k].name);
		}
		while (out->len && out->data[out->len - 1] == ' ')
			out->data[--out->len] = 0;
		strbuf_addch(out, '\n');
	}
}
