/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. One table says for every field its tag, its type and where it is; writing and reading
 * walk the same rows, so a field is either in both or in none. A list of structures (mounts,
 * resource limits, files) is written as one empty "another one" field before the fields of each.
 * A field that is zero is not written: zero is what spec_init() leaves. Tags are for ever: a new
 * field gets a new number, and a reader passes over numbers it does not know.
 */
#include "runtime/spec/flat.h"

#include <limits.h>
#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "runtime/spec/spec.h"

#define MOUNTS_MAX 4096u
#define RLIMITS_MAX 64u
#define FILES_MAX 64u
#define GROUPS_MAX 65536u

enum owner { OF_SPEC, OF_MOUNT, OF_RLIMIT, OF_FILE, OF_LOWER };
enum kind { K_STR, K_STRV, K_BOOL, K_U32, K_U64, K_ENUM, K_INT };

enum {
	TAG_MOUNT = 100, /* another mount, rlimit, file */
	TAG_RLIMIT = 120,
	TAG_FILE = 130,
	TAG_FILE_DATA = 132, /* bytes: that number is no row's */
	TAG_LOWER = 140,
	TAG_GROUPS = 33, /* u32 each */
};

struct row {
	uint16_t tag;
	uint8_t owner, kind;
	size_t at;
	uint64_t max; /* K_ENUM, K_INT: the largest value */
};

#define S(tag, kind, field, ...)                                                        \
	{                                                                               \
		tag, OF_SPEC, kind, offsetof(struct container_spec, field), __VA_ARGS__ \
	}
#define M(tag, kind, field, ...)                                                     \
	{                                                                            \
		tag, OF_MOUNT, kind, offsetof(struct mount_spec, field), __VA_ARGS__ \
	}
#define R(tag, kind, field, ...)                                                       \
	{                                                                              \
		tag, OF_RLIMIT, kind, offsetof(struct rlimit_spec, field), __VA_ARGS__ \
	}
#define L(tag, kind, field)                                                 \
	{                                                                   \
		tag, OF_LOWER, kind, offsetof(struct rootfs_part, field), 0 \
	}

static const struct row rows[] = {
	S(1, K_U32, version, 0),
	S(2, K_STR, id, 0),
	S(3, K_STR, name, 0),
	S(4, K_STRV, labels, 0),
	S(5, K_STRV, fetch, 0),
	S(6, K_BOOL, allow_root, 0),
	S(7, K_BOOL, capture_output, 0),

	S(10, K_ENUM, rootfs.kind, ROOTFS_DIRECTORY),
	S(11, K_STR, rootfs.path, 0),
	S(12, K_U64, rootfs.id.dev, 0),
	S(13, K_U64, rootfs.id.ino, 0),
	S(14, K_U64, rootfs.id.size_bytes, 0),
	S(15, K_U64, rootfs.id.mtime_ns, 0),
	S(16, K_BOOL, rootfs.has_user_xattrs, 0),
	S(17, K_ENUM, rootfs.upper, UPPER_READONLY),
	S(18, K_STR, rootfs.layer_path, 0),
	S(19, K_BOOL, rootfs.force_layer, 0),
	S(20, K_U64, rootfs.upper_bytes, 0),
	S(21, K_BOOL, rootfs.reads_layer, 0),
	S(22, K_STRV, rootfs.layers, 0),

	S(28, K_STRV, proc.argv, 0),
	S(29, K_STRV, proc.env, 0),
	S(30, K_STR, proc.cwd, 0),
	S(31, K_U32, proc.uid, 0),
	S(32, K_U32, proc.gid, 0),
	S(34, K_BOOL, proc.keep_groups, 0),
	S(35, K_STR, proc.user_name, 0),
	S(36, K_STR, proc.home, 0),
	S(37, K_BOOL, proc.home_is_asked, 0),
	S(38, K_BOOL, proc.path_is_asked, 0),
	S(39, K_ENUM, proc.tty, TTY_YES),
	S(40, K_BOOL, proc.close_stdin, 0),
	S(41, K_INT, proc.stop_signal, 64),
	S(42, K_BOOL, proc.stop_timeout_is_set, 0),
	S(43, K_U64, proc.stop_timeout_ms, 0),
	S(44, K_BOOL, proc.pid1_signals, 0),
	S(45, K_U32, proc.tty_rows, 0),
	S(46, K_U32, proc.tty_columns, 0),

	S(49, K_BOOL, ns.ipc_is_default, 0),
	S(50, K_ENUM, ns.net, NET_HOST),
	S(51, K_ENUM, ns.ipc, IPC_HOST),
	S(52, K_ENUM, ns.userns, USERNS_SUBUID),
	S(53, K_STR, ns.hostname, 0),
	S(54, K_ENUM, ns.pid, PID_HOST),
	S(55, K_ENUM, ns.uts, UTS_HOST),
	S(56, K_ENUM, ns.cgroup, CGROUPNS_HOST),
	S(57, K_BOOL, ns.host_sys, 0),
	S(58, K_BOOL, ns.host_dev, 0),
	S(59, K_BOOL, ns.net_is_default, 0),

	S(60, K_U64, limits.memory_bytes, 0),
	S(61, K_U64, limits.cpus_milli, 0),
	S(62, K_U64, limits.pids, 0),
	S(63, K_BOOL, limits.pids_is_default, 0),
	S(64, K_U64, limits.shm_bytes, 0),
	S(65, K_U64, limits.timeout_ms, 0),
	S(66, K_U64, limits.kill_after_ms, 0),
	S(67, K_U64, limits.output_bytes, 0),
	S(68, K_U64, limits.output_kill_bytes, 0),
	S(69, K_BOOL, limits.strict, 0),
	S(70, K_BOOL, limits.oom_single, 0),
	S(71, K_BOOL, limits.memory_is_default, 0),
	S(72, K_BOOL, limits.timeout_is_default, 0),

	S(80, K_U64, sec.caps, 0),
	S(81, K_BOOL, sec.caps_are_set, 0),
	S(82, K_U64, sec.caps_add, 0),
	S(83, K_U64, sec.caps_drop, 0),
	S(84, K_BOOL, sec.new_privs, 0),
	S(85, K_BOOL, sec.seccomp_off, 0),
	S(86, K_BOOL, sec.landlock_off, 0),
	S(87, K_BOOL, sec.masks_off, 0),
	S(88, K_BOOL, sec.fake_ids, 0),
	S(89, K_BOOL, sec.fake_nodes, 0),
	S(90, K_BOOL, sec.new_privs_is_default, 0),
	S(91, K_BOOL, sec.root_shared, 0),
	S(92, K_BOOL, sec.root_shared_is_default, 0),

	M(101, K_ENUM, kind, MOUNT_SELF),
	M(102, K_STR, source, 0),
	M(103, K_STR, target, 0),
	M(104, K_BOOL, readonly, 0),
	M(105, K_BOOL, non_recursive, 0),
	M(106, K_BOOL, exec_off, 0),
	M(107, K_BOOL, optional, 0),
	M(108, K_BOOL, no_create, 0),
	M(109, K_U64, tmpfs_bytes, 0),
	M(110, K_U32, tmpfs_mode, 0),
	M(111, K_STR, asked, 0),
	M(112, K_STR, volume, 0),
	M(113, K_BOOL, copy_up, 0),
	M(114, K_BOOL, devices, 0),

	R(121, K_INT, resource, RLIM_NLIMITS - 1),
	R(122, K_U64, value.rlim_cur, 0),
	R(123, K_U64, value.rlim_max, 0),
	R(124, K_BOOL, is_default, 0),

	{131, OF_FILE, K_STR, offsetof(struct file_spec, path), 0},
	{133, OF_FILE, K_U32, offsetof(struct file_spec, mode), 0},
	{134, OF_FILE, K_BOOL, offsetof(struct file_spec, is_users), 0},
	{135, OF_FILE, K_BOOL, offsetof(struct file_spec, if_absent), 0},
	{136, OF_FILE, K_BOOL, offsetof(struct file_spec, refresh), 0},
	{137, OF_FILE, K_BOOL, offsetof(struct file_spec, is_below), 0},

	L(141, K_STR, path),
	L(142, K_U64, id.dev),
	L(143, K_U64, id.ino),
	L(144, K_U64, id.size_bytes),
	L(145, K_U64, id.mtime_ns),
};

_Static_assert(sizeof(rlim_t) == sizeof(uint64_t), "an rlim_t is written as K_U64");
_Static_assert(sizeof(enum rootfs_kind) == sizeof(int), "K_ENUM reads and writes an int");

/* --- write -------------------------------------------------------------------------------- */

static void write_row(struct flat_writer *w, const struct row *row, const void *base)
{
	const void *p = (const char *)base + row->at;
	uint64_t v = 0;

	switch ((enum kind)row->kind) {
	case K_STR:
		flat_str(w, row->tag, *(char *const *)p);
		return;
	case K_STRV:
		flat_strv(w, row->tag, p);
		return;
	case K_BOOL:
		v = *(const bool *)p;
		break;
	case K_U32:
		v = *(const uint32_t *)p;
		break;
	case K_U64:
		v = *(const uint64_t *)p;
		break;
	case K_ENUM:
	case K_INT:
		v = (uint64_t) * (const int *)p;
		break;
	}
	if (v)
		flat_u64(w, row->tag, v);
}

static void write_rows(struct flat_writer *w, enum owner owner, const void *base)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].owner == owner)
			write_row(w, &rows[i], base);
	}
}

int spec_flat_write(const struct container_spec *s, struct strbuf *out, struct err *e)
{
	struct flat_writer w;
	int r;

	flat_begin(&w, SPEC_FLAT_MAGIC, SPEC_FLAT_VERSION);
	write_rows(&w, OF_SPEC, s);
	if (s->proc.n_groups)
		flat_bytes(&w, TAG_GROUPS, s->proc.groups,
			   s->proc.n_groups * sizeof(s->proc.groups[0]));
	for (size_t i = 0; i < s->n_mounts; i++) {
		flat_bytes(&w, TAG_MOUNT, "", 0);
		write_rows(&w, OF_MOUNT, &s->mounts[i]);
	}
	for (size_t i = 0; i < s->limits.n_rlimits; i++) {
		flat_bytes(&w, TAG_RLIMIT, "", 0);
		write_rows(&w, OF_RLIMIT, &s->limits.rlimits[i]);
	}
	for (size_t i = 0; i < s->n_files; i++) {
		flat_bytes(&w, TAG_FILE, "", 0);
		write_rows(&w, OF_FILE, &s->files[i]);
		if (s->files[i].data) /* without any it is a directory */
			flat_bytes(&w, TAG_FILE_DATA, s->files[i].data, s->files[i].len);
	}
	for (size_t i = 0; i < s->rootfs.n_lowers; i++) {
		flat_bytes(&w, TAG_LOWER, "", 0);
		write_rows(&w, OF_LOWER, &s->rootfs.lowers[i]);
	}
	r = flat_end(&w, e);
	if (r >= 0) {
		strbuf_add(out, w.buf.data, w.buf.len);
		r = strbuf_check(out, e);
	}
	flat_free(&w);
	return r;
}

/* --- read --------------------------------------------------------------------------------- */

static int damaged(const struct flat_field *f, struct err *e)
{
	return err_set(e, EBADMSG, "damaged specification: field %u", f->tag);
}

static int read_string(const struct flat_field *f, char **ret, struct err *e)
{
	const char *text;
	int r = flat_get_str(f, &text, e);

	if (r < 0)
		return r;
	free(*ret);
	*ret = strdup(text);
	return *ret ? 0 : err_oom(e);
}

static int read_item(const struct flat_field *f, struct strv *v, struct err *e)
{
	const char *text;
	int r = flat_get_str(f, &text, e);

	if (r >= 0)
		strv_add(v, text);
	return r;
}

static uint64_t largest(const struct row *row)
{
	switch ((enum kind)row->kind) {
	case K_BOOL:
		return 1;
	case K_U32:
		return UINT32_MAX;
	case K_ENUM:
	case K_INT:
		return row->max;
	default:
		return UINT64_MAX;
	}
}

static int read_row(const struct row *row, const struct flat_field *f, void *base, struct err *e)
{
	void *p = (char *)base + row->at;
	uint64_t v;
	int r;

	if (row->kind == K_STR)
		return read_string(f, p, e);
	if (row->kind == K_STRV)
		return read_item(f, p, e);
	r = flat_get_u64(f, &v, e);
	if (r < 0)
		return r;
	if (v > largest(row))
		return damaged(f, e);
	if (row->kind == K_BOOL)
		*(bool *)p = v;
	else if (row->kind == K_U32)
		*(uint32_t *)p = (uint32_t)v;
	else if (row->kind == K_U64)
		*(uint64_t *)p = v;
	else
		*(int *)p = (int)v;
	return 0;
}

static const struct row *find_row(uint16_t tag)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].tag == tag)
			return &rows[i];
	}
	return NULL;
}

static int read_groups(const struct flat_field *f, struct process_spec *p, struct err *e)
{
	size_t n = f->len / sizeof(uint32_t);

	if (f->len % sizeof(uint32_t) || n > GROUPS_MAX || p->groups)
		return damaged(f, e);
	if (!n)
		return 0;
	p->groups = malloc(f->len);
	if (!p->groups)
		return err_oom(e);
	memcpy(p->groups, f->data, f->len);
	p->n_groups = n;
	return 0;
}

static int add_file(const struct flat_field *f, struct container_spec *s, struct err *e)
{
	struct file_spec *p;

	if (s->n_files >= FILES_MAX)
		return damaged(f, e);
	p = reallocarray(s->files, s->n_files + 1, sizeof(*p));
	if (!p)
		return err_oom(e);
	s->files = p;
	p[s->n_files++] = (struct file_spec){0};
	return 0;
}

static int read_file_data(const struct flat_field *f, struct container_spec *s, struct err *e)
{
	struct file_spec *file = s->n_files ? &s->files[s->n_files - 1] : NULL;

	if (!file || file->data)
		return damaged(f, e);
	file->data = malloc(f->len + 1);
	if (!file->data)
		return err_oom(e);
	memcpy(file->data, f->data, f->len);
	file->data[f->len] = 0;
	file->len = f->len;
	return 0;
}

static int read_field(struct container_spec *s, const struct flat_field *f, struct err *e)
{
	const struct row *row;

	switch (f->tag) {
	case TAG_GROUPS:
		return read_groups(f, &s->proc, e);
	case TAG_MOUNT:
		if (s->n_mounts >= MOUNTS_MAX)
			return damaged(f, e);
		return spec_add_mount(s) ? 0 : err_oom(e);
	case TAG_RLIMIT:
		if (s->limits.n_rlimits >= RLIMITS_MAX)
			return damaged(f, e);
		return spec_add_rlimit(s) ? 0 : err_oom(e);
	case TAG_FILE:
		return add_file(f, s, e);
	case TAG_LOWER:
		return rootfs_add_lower(&s->rootfs, "", &(struct image_id){0}, e);
	case TAG_FILE_DATA:
		return read_file_data(f, s, e);
	}
	row = find_row(f->tag);
	if (!row)
		return 0;
	switch ((enum owner)row->owner) {
	case OF_MOUNT:
		return s->n_mounts ? read_row(row, f, &s->mounts[s->n_mounts - 1], e)
				   : damaged(f, e);
	case OF_RLIMIT:
		return s->limits.n_rlimits
			       ? read_row(row, f, &s->limits.rlimits[s->limits.n_rlimits - 1], e)
			       : damaged(f, e);
	case OF_FILE:
		return s->n_files ? read_row(row, f, &s->files[s->n_files - 1], e) : damaged(f, e);
	case OF_LOWER:
		return s->rootfs.n_lowers
			       ? read_row(row, f, &s->rootfs.lowers[s->rootfs.n_lowers - 1], e)
			       : damaged(f, e);
	default:
		return read_row(row, f, s, e);
	}
}

/* Checks the rules that the rest of the program relies on in every spec. */
static int check(const struct container_spec *s, struct err *e)
{
	const struct strv *const lists[] = {&s->proc.argv, &s->proc.env, &s->labels, &s->fetch,
					    &s->rootfs.layers};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		int r = strv_check(lists[i], e);

		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < s->n_mounts; i++) {
		if (!s->mounts[i].target)
			return err_set(e, EBADMSG, "damaged specification: a mount without target");
	}
	for (size_t i = 0; i < s->n_files; i++) {
		if (!s->files[i].path)
			return err_set(e, EBADMSG, "damaged specification: a file without a name");
	}
	if (s->version != SPEC_VERSION)
		return err_set(e, EPROTO, "specification of another version of csbx");
	return 0;
}

int spec_flat_read(struct container_spec *ret, const void *buf, size_t len, struct err *e)
{
	struct flat_reader reader;
	struct flat_field f;
	int r;

	*ret = (struct container_spec){0};
	r = flat_open(&reader, buf, len, SPEC_FLAT_MAGIC, SPEC_FLAT_VERSION, e);
	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0)
		r = read_field(ret, &f, e);
	if (r >= 0)
		r = check(ret, e);
	if (r < 0)
		spec_free(ret);
	return r < 0 ? r : 0;
}
