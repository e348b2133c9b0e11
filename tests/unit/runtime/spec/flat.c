/* SPDX-License-Identifier: Apache-2.0 */
/* Every field of a specification survives being written and read; what is no record is refused. */
#include "runtime/spec/flat.h"

#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "runtime/spec/spec.h"
#include "tests/unit/tap.h"

/* A field that is added must be added here and to spec/flat.c. */
static void test_sizes(void)
{
	is_int(sizeof(struct rootfs_spec), 128,
	       "rootfs_spec: no field that the table does not know");
	is_int(sizeof(struct process_spec), 184, "process_spec");
	is_int(sizeof(struct ns_spec), 40, "ns_spec");
	is_int(sizeof(struct mount_spec), 72, "mount_spec");
	is_int(sizeof(struct rlimit_spec), 32, "rlimit_spec");
	is_int(sizeof(struct limit_spec), 96, "limit_spec");
	is_int(sizeof(struct security_spec), 48, "security_spec");
	is_int(sizeof(struct file_spec), 40, "file_spec");
	is_int(sizeof(struct container_spec), 704, "container_spec (all but hooks)");
}

static void fill_process(struct process_spec *p)
{
	strv_add(&p->argv, "sh");
	strv_add(&p->argv, "");
	strv_add(&p->env, "A=1");
	p->cwd = strdup("/w");
	p->uid = 1;
	p->gid = UINT32_MAX - 1;
	p->n_groups = 2;
	p->groups = calloc(2, sizeof(*p->groups));
	p->groups[0] = 7;
	p->groups[1] = 4000000000u;
	p->keep_groups = p->home_is_asked = p->path_is_asked = true;
	p->user_name = strdup("u");
	p->home = strdup("/h");
	p->tty = TTY_YES;
	p->tty_rows = 24;
	p->tty_columns = 80;
	p->close_stdin = p->stop_timeout_is_set = p->pid1_signals = true;
	p->stop_signal = 64;
	p->stop_timeout_ms = 11;
}

static void fill_limits(struct container_spec *s)
{
	struct limit_spec *l = &s->limits;

	l->memory_bytes = 1;
	l->cpus_milli = 2;
	l->pids = UINT64_MAX;
	l->pids_is_default = l->strict = l->memory_is_default = l->timeout_is_default = true;
	l->shm_bytes = 3;
	l->timeout_ms = 4;
	l->kill_after_ms = 5;
	l->output_bytes = 6;
	l->output_kill_bytes = 7;
	*spec_add_rlimit(s) = (struct rlimit_spec){3, {8, RLIM_INFINITY}, true};
	*spec_add_rlimit(s) = (struct rlimit_spec){.resource = 0};
}

static void fill_mounts(struct container_spec *s)
{
	struct mount_spec *m = spec_add_mount(s);

	m->kind = MOUNT_COPY;
	m->source = strdup("/s");
	m->target = strdup("/t");
	m->readonly = m->non_recursive = m->exec_off = m->optional = m->no_create = true;
	m->devices = true;
	m->tmpfs_bytes = 9;
	m->tmpfs_mode = 01777;
	m->asked = strdup("words");
	m->volume = strdup("v");
	m->copy_up = true;
	m = spec_add_mount(s);
	m->target = strdup("/plain");
}

static void fill(struct container_spec *s)
{
	memset(s, 0, sizeof(*s));
	s->version = SPEC_VERSION;
	s->id = strdup("0123456789ab");
	s->name = strdup("box");
	s->rootfs.kind = ROOTFS_DIRECTORY;
	s->rootfs.path = strdup("/r");
	s->rootfs.id.dev = 1;
	s->rootfs.id.ino = 2;
	s->rootfs.id.size_bytes = 3;
	s->rootfs.id.mtime_ns = 4;
	s->rootfs.has_user_xattrs = s->rootfs.force_layer = s->rootfs.reads_layer = true;
	s->rootfs.upper = UPPER_KEPT;
	s->rootfs.layer_path = strdup("/l");
	s->rootfs.upper_bytes = 5;
	strv_add(&s->rootfs.layers, "/layers/a/upper");
	(void)rootfs_add_lower(&s->rootfs, "/base", &(struct image_id){6, 7, 8, 9}, NULL);
	fill_process(&s->proc);
	s->ns.net = NET_HOST;
	s->ns.pid = PID_HOST;
	s->ns.uts = UTS_HOST;
	s->ns.cgroup = CGROUPNS_HOST;
	s->ns.host_sys = s->ns.host_dev = true;
	s->sec.root_shared = s->sec.root_shared_is_default = true;
	s->ns.net_is_default = s->ns.ipc_is_default = s->sec.new_privs_is_default = true;
	s->ns.ipc = IPC_HOST;
	s->ns.userns = USERNS_SUBUID;
	s->ns.hostname = strdup("host");
	s->sec.fake_ids = s->sec.fake_nodes = true;
	fill_mounts(s);
	fill_limits(s);
	s->sec.caps = UINT64_MAX;
	s->sec.caps_add = 1;
	s->sec.caps_drop = 2;
	s->sec.caps_are_set = s->sec.new_privs = s->sec.seccomp_off = true;
	s->sec.landlock_off = s->sec.masks_off = true;
	spec_add_file(s, "etc/x", strdup("data"), 4, NULL);
	spec_add_file(s, "etc/empty", strdup(""), 0, NULL);
	s->files[1].mode = 0640;
	s->files[1].is_users = s->files[1].if_absent = s->files[1].refresh = true;
	s->files[1].is_below = true;
	strv_add(&s->labels, "k=v");
	strv_add(&s->fetch, "/f");
	s->allow_root = s->capture_output = true;
}

static void same_str(const char *a, const char *b, const char *what)
{
	ok(a && b && !strcmp(a, b), "%s: %s", what, b ? b : "(none)");
}

static void same_strv(const struct strv *a, const struct strv *b, const char *what)
{
	is_int(a->n, b->n, "%s: as many", what);
	for (size_t i = 0; i < a->n && i < b->n; i++)
		same_str(a->items[i], b->items[i], what);
}

/* Compares the memory of two structures whose pointers have been compared and cleared. */
#define CLEAR(a, b, field) ((a)->field = NULL, (b)->field = NULL)

static void same_process(struct process_spec *a, struct process_spec *b)
{
	struct process_spec x = *a, y = *b;

	same_strv(&a->argv, &b->argv, "argv");
	same_strv(&a->env, &b->env, "env");
	same_str(a->cwd, b->cwd, "cwd");
	same_str(a->user_name, b->user_name, "user_name");
	same_str(a->home, b->home, "home");
	ok(a->n_groups == b->n_groups && !memcmp(a->groups, b->groups, 8), "groups");
	x.argv = y.argv = x.env = y.env = (struct strv)STRV_INIT;
	CLEAR(&x, &y, cwd);
	CLEAR(&x, &y, user_name);
	CLEAR(&x, &y, home);
	CLEAR(&x, &y, groups);
	ok(!memcmp(&x, &y, sizeof(x)), "all numbers of the process");
}

static void same_mounts(const struct container_spec *a, const struct container_spec *b)
{
	is_int(a->n_mounts, b->n_mounts, "mounts");
	for (size_t i = 0; i < a->n_mounts && i < b->n_mounts; i++) {
		struct mount_spec x = a->mounts[i], y = b->mounts[i];

		same_str(x.target, y.target, "target");
		if (x.source) {
			same_str(x.source, y.source, "source");
			same_str(x.asked, y.asked, "asked");
			same_str(x.volume, y.volume, "volume");
		}
		CLEAR(&x, &y, target);
		CLEAR(&x, &y, source);
		CLEAR(&x, &y, asked);
		CLEAR(&x, &y, volume);
		ok(!memcmp(&x, &y, sizeof(x)), "all else of mount %zu", i);
	}
}

static void same_limits(const struct container_spec *a, const struct container_spec *b)
{
	struct limit_spec x = a->limits, y = b->limits;

	is_int(x.n_rlimits, y.n_rlimits, "rlimits");
	for (size_t i = 0; i < x.n_rlimits && i < y.n_rlimits; i++)
		ok(x.rlimits[i].resource == y.rlimits[i].resource &&
			   x.rlimits[i].value.rlim_cur == y.rlimits[i].value.rlim_cur &&
			   x.rlimits[i].value.rlim_max == y.rlimits[i].value.rlim_max &&
			   x.rlimits[i].is_default == y.rlimits[i].is_default,
		   "rlimit %zu", i);
	CLEAR(&x, &y, rlimits);
	ok(!memcmp(&x, &y, sizeof(x)), "all other limits");
}

static void test_round_trip(void)
{
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	struct container_spec a, b;
	struct err e = ERR_INIT;

	fill(&a);
	is_int(spec_flat_write(&a, &bytes, &e), 0, "written");
	is_int(spec_flat_read(&b, bytes.data, bytes.len, &e), 0, "read: %s", e.msg);
	same_str(a.id, b.id, "id");
	same_str(a.name, b.name, "name");
	same_str(a.rootfs.path, b.rootfs.path, "rootfs.path");
	same_str(a.rootfs.layer_path, b.rootfs.layer_path, "rootfs.layer_path");
	ok(!memcmp(&a.rootfs.id, &b.rootfs.id, sizeof(a.rootfs.id)), "rootfs.id");
	ok(a.rootfs.kind == b.rootfs.kind && a.rootfs.upper == b.rootfs.upper &&
		   a.rootfs.has_user_xattrs == b.rootfs.has_user_xattrs &&
		   a.rootfs.force_layer == b.rootfs.force_layer &&
		   a.rootfs.reads_layer == b.rootfs.reads_layer &&
		   a.rootfs.upper_bytes == b.rootfs.upper_bytes,
	   "all else of the root");
	is_int(b.rootfs.layers.n, 1, "layers");
	same_str(a.rootfs.layers.items[0], b.rootfs.layers.items[0], "a layer");
	is_int(b.rootfs.n_lowers, 1, "lower files");
	same_str(a.rootfs.lowers[0].path, b.rootfs.lowers[0].path, "a lower file");
	ok(!memcmp(&a.rootfs.lowers[0].id, &b.rootfs.lowers[0].id, sizeof(struct image_id)),
	   "its identity");
	same_process(&a.proc, &b.proc);
	ok(a.sec.fake_ids == b.sec.fake_ids && a.sec.fake_nodes == b.sec.fake_nodes, "fake_ids");
	ok(a.ns.net == b.ns.net && a.ns.ipc == b.ns.ipc && a.ns.userns == b.ns.userns &&
		   a.ns.pid == b.ns.pid && a.ns.uts == b.ns.uts && a.ns.cgroup == b.ns.cgroup &&
		   a.ns.host_sys == b.ns.host_sys && a.ns.host_dev == b.ns.host_dev &&
		   a.ns.net_is_default == b.ns.net_is_default &&
		   a.ns.ipc_is_default == b.ns.ipc_is_default &&
		   a.sec.new_privs_is_default == b.sec.new_privs_is_default &&
		   a.sec.root_shared == b.sec.root_shared &&
		   a.sec.root_shared_is_default == b.sec.root_shared_is_default,
	   "ns");
	same_str(a.ns.hostname, b.ns.hostname, "hostname");
	same_mounts(&a, &b);
	same_limits(&a, &b);
	ok(!memcmp(&a.sec, &b.sec, sizeof(a.sec)), "security");
	is_int(b.n_files, 2, "files");
	same_str(a.files[0].path, b.files[0].path, "file");
	ok(b.files[0].len == 4 && !memcmp(b.files[0].data, "data", 4), "its data");
	ok(b.files[1].len == 0 && b.files[1].data, "an empty one");
	ok(b.files[1].mode == 0640 && b.files[1].is_users && b.files[1].if_absent &&
		   b.files[1].refresh && b.files[1].is_below,
	   "its mode and owner");
	same_strv(&a.labels, &b.labels, "labels");
	same_strv(&a.fetch, &b.fetch, "fetch");
	ok(b.allow_root && b.capture_output && b.version == SPEC_VERSION, "flags");
	spec_free(&a);
	spec_free(&b);
}

/* A record of one field of a number, or of bytes when there are any. */
static int read_one(uint16_t tag, uint64_t v, const char *bytes, size_t len, struct err *e)
{
	struct container_spec s;
	struct flat_writer w;
	int r;

	flat_begin(&w, SPEC_FLAT_MAGIC, SPEC_FLAT_VERSION);
	flat_u64(&w, 1, SPEC_VERSION);
	if (bytes)
		flat_bytes(&w, tag, bytes, len);
	else
		flat_u64(&w, tag, v);
	flat_end(&w, NULL);
	r = spec_flat_read(&s, w.buf.data, w.buf.len, e);
	if (!r)
		spec_free(&s);
	flat_free(&w);
	return r;
}

static void test_refused(void)
{
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	struct container_spec s;
	struct err e = ERR_INIT;

	is_int(read_one(900, 1, NULL, 0, &e), 0, "an unknown field is passed over");
	is_int(read_one(17, 3, NULL, 0, &e), -EBADMSG, "an unknown kind of layer");
	is_int(read_one(41, 65, NULL, 0, &e), -EBADMSG, "signal 65");
	is_int(read_one(44, 2, NULL, 0, &e), -EBADMSG, "a truth of 2");
	is_int(read_one(31, UINT64_C(1) << 32, NULL, 0, &e), -EBADMSG, "a user id of 33 bits");
	is_int(read_one(33, 0, "abc", 3, &e), -EBADMSG, "three quarters of a group");
	is_int(read_one(103, 0, "/t", 3, &e), -EBADMSG, "a target of no mount");
	is_int(read_one(121, 1, NULL, 0, &e), -EBADMSG, "a resource of no limit");
	is_int(read_one(132, 0, "x", 1, &e), -EBADMSG, "the data of no file");
	is_int(read_one(100, 0, "", 0, &e), -EBADMSG, "a mount without a target");
	is_int(read_one(130, 0, "", 0, &e), -EBADMSG, "a file without a name");
	is_int(read_one(30, 0, "/w", 2, &e), -EBADMSG, "a string without its end");
	is_int(read_one(1, SPEC_VERSION + 1, NULL, 0, &e), -EPROTO, "another version");
	spec_init(&s);
	spec_flat_write(&s, &bytes, NULL);
	bytes.data[bytes.len - 1] ^= 1;
	is_int(spec_flat_read(&s, bytes.data, bytes.len, &e), -EBADMSG, "a flipped bit");
	is_int(spec_flat_read(&s, "", 0, &e), -EBADMSG, "nothing");
}

int main(void)
{
	test_sizes();
	test_round_trip();
	test_refused();
	return done_testing();
}
