/* SPDX-License-Identifier: Apache-2.0 */
/* The plan is a pure function of the spec: order and flags of operations, and what freezing
 * refuses. */
#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/spec/plan.h"
#include "runtime/spec/spec.h"
#include "tests/unit/tap.h"

static void minimal(struct container_spec *s)
{
	spec_init(s);
	strv_add(&s->proc.argv, "true");
	s->rootfs.path = strdup("/images/a.sqsh");
}

static struct mount_spec *add_bind(struct container_spec *s, const char *src, const char *dst)
{
	struct mount_spec *m = spec_add_mount(s);

	m->kind = MOUNT_BIND;
	m->source = strdup(src);
	m->target = strdup(dst);
	return m;
}

static int position(const struct plan *p, enum op_kind kind)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->ops[i].kind == kind)
			return (int)i;
	}
	return -1;
}

static struct plan compile(const struct container_spec *s, const char *upper)
{
	struct plan_input in = {.spec = s, .upper_path = upper, .base_bytes = 1 << 20};
	struct plan p = {0};
	struct err e = ERR_INIT;

	is_int(plan_compile(&p, &in, &e), 0, "compiles");
	return p;
}

static void test_order(void)
{
	struct container_spec s;
	struct plan p;

	minimal(&s);
	add_bind(&s, "/data", "/work")->readonly = true;
	is_int(spec_freeze(&s, NULL), 0, "a minimal spec is accepted");
	p = compile(&s, NULL);
	ok(position(&p, OP_BASE) < position(&p, OP_LOWER_IMAGE), "base before image");
	ok(position(&p, OP_LOWER_IMAGE) < position(&p, OP_OVERLAY), "image before overlay");
	ok(position(&p, OP_OVERLAY) < position(&p, OP_DEV), "overlay before /dev");
	ok(position(&p, OP_PROC) < position(&p, OP_PROC_MASK), "proc before its masks");
	ok(position(&p, OP_PROC_MASK) < position(&p, OP_SHM), "masks before what goes onto /dev");
	ok(position(&p, OP_SYSFS) < position(&p, OP_BIND), "kernel mounts before the user's");
	ok(position(&p, OP_BIND) < position(&p, OP_PIVOT), "binds before the host's root goes");
	ok(position(&p, OP_PIVOT) < position(&p, OP_LANDLOCK), "landlock last");
	is_int(p.ops[position(&p, OP_BIND)].flags, OP_RDONLY, "read-only bind");
	is_int(position(&p, OP_UPPER_DIRECTORY), -1, "no upper on disk");
	plan_free(&p);
	spec_free(&s);
}

static void test_variants(void)
{
	struct container_spec s;
	struct plan p;

	minimal(&s);
	s.rootfs.kind = ROOTFS_DIRECTORY;
	s.ns.net = NET_HOST;
	s.ns.ipc = IPC_HOST;
	s.rootfs.upper = UPPER_READONLY;
	s.sec.masks_off = s.sec.landlock_off = true;
	add_bind(&s, "/dev/fuse", "/dev/fuse")->kind = MOUNT_DEVICE;
	is_int(spec_freeze(&s, NULL), 0, "accepted");
	p = compile(&s, "/layers/x");
	is_int(position(&p, OP_LOWER_IMAGE), -1, "a directory needs no image mount");
	ok(position(&p, OP_LOWER_DIRECTORY) >= 0, "it is bound");
	ok(position(&p, OP_UPPER_DIRECTORY) < position(&p, OP_OVERLAY),
	   "upper on disk before overlay");
	is_int(position(&p, OP_LOOPBACK), -1, "the host's network is left alone");
	is_int(position(&p, OP_SYSFS), -1, "no fresh sysfs without a network namespace");
	is_int(position(&p, OP_MQUEUE), -1, "no mqueue of its own with the host's ipc");
	is_int(position(&p, OP_PROC_MASK), -1, "masks off");
	is_int(position(&p, OP_DEV), -1, "a device needs a /dev of its own");
	ok(position(&p, OP_READONLY_ROOT) > position(&p, OP_DEVICE),
	   "targets are made before the root is read-only");
	is_int(position(&p, OP_LANDLOCK), -1, "landlock off");
	plan_free(&p);
	spec_free(&s);
}

static void test_unix_sockets(void)
{
	struct container_spec s;
	struct plan p;

	minimal(&s);
	s.ns.net = NET_HOST;
	is_int(spec_freeze(&s, NULL), 0, "accepted");
	p = compile(&s, NULL);
	ok(position(&p, OP_PIVOT) < position(&p, OP_UNIX_SOCKETS) &&
		   position(&p, OP_UNIX_SOCKETS) < position(&p, OP_LANDLOCK),
	   "the host's network, and UNIX sockets apart");
	plan_free(&p);
	s.ns.ipc = IPC_HOST;
	p = compile(&s, NULL);
	is_int(position(&p, OP_UNIX_SOCKETS), -1, "with the host's ipc they are the host's");
	plan_free(&p);
	s.ns.ipc = IPC_PRIVATE;
	s.sec.seccomp_off = true;
	p = compile(&s, NULL);
	is_int(position(&p, OP_UNIX_SOCKETS), -1, "no filter");
	plan_free(&p);
	spec_free(&s);
}

static bool needs_host(void (*change)(struct container_spec *), const char *upper)
{
	struct container_spec s;
	struct plan p;
	bool needs;

	minimal(&s);
	change(&s);
	is_int(spec_freeze(&s, NULL), 0, "accepted");
	p = compile(&s, upper);
	needs = plan_needs_host(&p);
	plan_free(&p);
	spec_free(&s);
	return needs;
}

static void nothing(struct container_spec *s)
{
	(void)s;
}

static void tmpfs(struct container_spec *s)
{
	add_bind(s, "tmpfs", "/scratch")->kind = MOUNT_TMPFS;
}

static void read_only(struct container_spec *s)
{
	s->rootfs.upper = UPPER_READONLY;
}

static void bind(struct container_spec *s)
{
	add_bind(s, "/data", "/work");
}

static void device(struct container_spec *s)
{
	add_bind(s, "/dev/fuse", "/dev/fuse")->kind = MOUNT_DEVICE;
}

static void host_network(struct container_spec *s)
{
	s->ns.net = NET_HOST;
}

static void host_ipc(struct container_spec *s)
{
	s->ns.ipc = IPC_HOST;
}

static void directory(struct container_spec *s)
{
	s->rootfs.kind = ROOTFS_DIRECTORY;
}

static void test_needs_host(void)
{
	ok(!needs_host(nothing, NULL), "a plain container needs nothing of the host");
	ok(!needs_host(tmpfs, NULL), "nor one with a tmpfs");
	ok(!needs_host(read_only, NULL), "nor one that is read-only");
	ok(!needs_host(nothing, "/layers/x"), "nor one with a layer on disk");
	ok(needs_host(bind, NULL), "so is what is bound");
	ok(needs_host(device, NULL), "and a device");
	ok(needs_host(host_network, NULL), "and /sys with the host's network");
	ok(needs_host(host_ipc, NULL), "and /dev/shm with its ipc");
	ok(needs_host(directory, NULL), "and a directory as image");
}

static void test_layer_that_is_read(void)
{
	struct container_spec s;
	struct plan_input in = {.spec = &s, .read_path = "/layers/x/upper"};
	struct plan p = {0};

	minimal(&s);
	s.rootfs.reads_layer = true;
	is_int(spec_freeze(&s, NULL), -EINVAL, "only where one is named");
	s.rootfs.layer_path = strdup("/layers/x");
	s.rootfs.upper = UPPER_KEPT;
	is_int(spec_freeze(&s, NULL), -EINVAL, "not of a root that writes to it");
	s.rootfs.upper = UPPER_THROWAWAY;
	is_int(spec_freeze(&s, NULL), 0, "accepted");
	is_int(plan_compile(&p, &in, NULL), 0, "compiles");
	ok(position(&p, OP_LOWER_LAYER) > position(&p, OP_LOWER_IMAGE), "after the image");
	ok(position(&p, OP_LOWER_LAYER) < position(&p, OP_OVERLAY), "before the overlay");
	is_int(position(&p, OP_UPPER_DIRECTORY), -1, "it is not written to");
	plan_free(&p);
	spec_free(&s);
}

static int freeze_with_target(const char *target)
{
	struct container_spec s;
	struct err e = ERR_INIT;
	int r;

	minimal(&s);
	add_bind(&s, "/data", target);
	r = spec_freeze(&s, &e);
	if (r < 0)
		ok(strstr(e.msg, target) != NULL, "the message names %s", target);
	spec_free(&s);
	return r;
}

static void bare(struct container_spec *s)
{
	s->rootfs.upper = UPPER_READONLY;
	s->rootfs.kind = ROOTFS_DIRECTORY;
}

static void hooked(struct container_spec *s)
{
	read_only(s);
	strv_add(&spec_add_hook(s)->argv, "/h.sh");
	s->hooks.dir = strdup("/run/hooks");
}

static void self(struct container_spec *s)
{
	read_only(s);
	add_bind(s, "/own", "/vol")->kind = MOUNT_SELF;
}

static void layered(struct container_spec *s)
{
	read_only(s);
	strv_add(&s->rootfs.layers, "/layer");
}

static void read_only_shared(struct container_spec *s)
{
	read_only(s);
	s->sec.root_shared = true;
}

static bool may_be_direct(void (*change)(struct container_spec *), const char *upper)
{
	struct container_spec s;
	struct plan p;
	bool may;

	minimal(&s);
	change(&s);
	is_int(spec_freeze(&s, NULL), 0, "accepted");
	p = compile(&s, upper);
	may = p.ops[position(&p, OP_OVERLAY)].flags & OP_DIRECT;
	plan_free(&p);
	spec_free(&s);
	return may;
}

static void test_direct(void)
{
	ok(may_be_direct(read_only_shared, NULL), "a read-only root may be the image itself");
	ok(!may_be_direct(read_only, NULL), "not where it shall be the container's own");
	ok(!may_be_direct(nothing, NULL), "not one that is written to");
	ok(!may_be_direct(read_only, "/layers/x"), "nor with a layer on disk");
	ok(!may_be_direct(layered, NULL), "nor with layers over the image");
	ok(!may_be_direct(bare, NULL), "nor a directory");
	ok(!may_be_direct(hooked, NULL), "nor before hooks");
	ok(!may_be_direct(self, NULL), "nor with a part that stays writable");
}

static void test_hooks(void)
{
	struct container_spec s;
	struct plan p;
	int at;

	minimal(&s);
	add_bind(&s, "/a", "/before");
	add_bind(&s, "/b", "/after")->devices = true;
	add_bind(&s, "/own", "/vol")->kind = MOUNT_SELF;
	strv_add(&spec_add_hook(&s)->argv, "/h.sh");
	s.hooks.dir = strdup("/run/hooks");
	s.hooks.mounts_before = 1;
	s.rootfs.upper = UPPER_READONLY;
	is_int(spec_freeze(&s, NULL), 0, "hooks are accepted");
	p = compile(&s, NULL);
	at = position(&p, OP_HOOKS);
	ok(at > 0 && p.ops[at - 1].dst && str_eq(p.ops[at - 1].dst, "/before"),
	   "after the first mount");
	ok(str_eq(p.ops[at + 1].dst, "/after") && p.ops[at + 1].flags == OP_DEVICES,
	   "before the others");
	ok(str_eq(p.ops[at].src, "/run/hooks"), "where they see the root");
	ok(p.ops[at + 2].kind == OP_SELF, "a part of the root");
	ok(position(&p, OP_READONLY_ROOT) > at && position(&p, OP_PIVOT) > at,
	   "while the root can be written to, and the host's files are there");
	plan_free(&p);
	spec_free(&s);
}

static void test_refusals(void)
{
	static const char *const bad[] = {"/",      "/proc", "/sys",    "/dev", "/proc/1",
					  "/sys/x", "work",  "/a/../b", "/a/."};
	struct container_spec s;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_int(freeze_with_target(bad[i]), -EINVAL, "target %s is refused", bad[i]);
	is_int(freeze_with_target("/dev/shm2"), 0, "below /dev is allowed");

	minimal(&s);
	add_bind(&s, "/a", "/x");
	add_bind(&s, "/b", "/x");
	is_int(spec_freeze(&s, &e), -EINVAL, "one target twice");
	spec_free(&s);

	spec_init(&s);
	s.rootfs.path = strdup("/i");
	is_int(spec_freeze(&s, &e), -EINVAL, "no command");
	spec_free(&s);

	minimal(&s);
	s.rootfs.upper = UPPER_KEPT;
	is_int(spec_freeze(&s, &e), -EINVAL, "a kept layer without a container");
	spec_free(&s);

	minimal(&s);
	s.ns.hostname = strdup("a b");
	is_int(spec_freeze(&s, &e), -EINVAL, "blank in the host name");
	spec_free(&s);
}

static void test_defaults(void)
{
	struct container_spec s;

	minimal(&s);
	s.sec.caps_drop = UINT64_C(1) << 31;
	s.sec.caps_add = UINT64_C(1) << 12;
	is_int(spec_freeze(&s, NULL), 0, "accepted");
	ok(s.sec.caps == 0x415fb, "capabilities of root, one added, one dropped");
	is_int((int)strlen(s.id), 12, "an id of 12 digits");
	is_str(s.ns.hostname, s.id, "the host name is the id");
	is_int((int)s.limits.pids, 4096, "default of pids");
	spec_free(&s);

	minimal(&s);
	s.proc.uid = 1000;
	is_int(spec_freeze(&s, NULL), 0, "accepted");
	ok(s.sec.caps == 0, "no capabilities for another user");
	spec_free(&s);
}

int main(void)
{
	test_order();
	test_variants();
	test_unix_sockets();
	test_needs_host();
	test_layer_that_is_read();
	test_direct();
	test_hooks();
	test_refusals();
	test_defaults();
	return done_testing();
}
