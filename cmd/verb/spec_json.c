/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/verb/spec_json.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/verb/json_members.h"
#include "runtime/base/json/json.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/kernel/cap.h"
#include "runtime/spec/rlimit.h"
#include "runtime/spec/spec.h"
#include "runtime/spec/user.h"

static const struct member rootfs_members[] = {
	{"path", MEMBER_STR, offsetof(struct rootfs_spec, path)},
	{"kind", MEMBER_CHOICE, offsetof(struct rootfs_spec, kind), "squashfs|directory"},
	{"upper", MEMBER_CHOICE, offsetof(struct rootfs_spec, upper), "throwaway|kept|readonly"},
	{"upper_bytes", MEMBER_U64, offsetof(struct rootfs_spec, upper_bytes)},
	{"force_layer", MEMBER_BOOL, offsetof(struct rootfs_spec, force_layer)},
	{"reads_layer", MEMBER_BOOL, offsetof(struct rootfs_spec, reads_layer)},
	{"layers", MEMBER_STRV, offsetof(struct rootfs_spec, layers)},
	{0},
};

static int read_rootfs(const struct json *v, void *at, struct err *e)
{
	return members_read(v, rootfs_members, at, e);
}

static int read_groups(const struct json *v, void *at, struct err *e)
{
	struct process_spec *p = at;
	size_t n = json_is_array(v) ? json_count(v) : 0;

	if (!json_is_array(v) || n > USER_GROUPS_MAX)
		return members_wrong(e, "an array of at most 1024 group ids");
	free(p->groups);
	p->n_groups = 0;
	p->groups = calloc(n + 1, sizeof(*p->groups));
	if (!p->groups)
		return err_oom(e);
	for (const struct json *i = json_first(v); i; i = json_next(i)) {
		uint64_t id = 0;
		int r = members_read_number(i, USER_ID_MAX, &id, e);

		if (r < 0)
			return r;
		p->groups[p->n_groups++] = (uint32_t)id;
	}
	return 0;
}

static int read_tty(const struct json *v, void *at, struct err *e)
{
	int r = json_truth(v);

	*(enum tty_mode *)at = r > 0 ? TTY_YES : TTY_NO;
	return r < 0 ? members_wrong(e, "true or false") : 0;
}

static int read_stop_signal(const struct json *v, void *at, struct err *e)
{
	uint64_t n = 0;
	int r = members_read_number(v, 64, &n, e);

	*(int *)at = (int)n;
	return r;
}

static int read_stop_timeout(const struct json *v, void *at, struct err *e)
{
	struct process_spec *p = at;

	p->stop_timeout_is_set = true;
	return members_read_number(v, UINT32_MAX, &p->stop_timeout_ms, e);
}

static const struct member process_members[] = {
	{"argv", MEMBER_STRV, offsetof(struct process_spec, argv)},
	{"env", MEMBER_STRV, offsetof(struct process_spec, env)},
	{"cwd", MEMBER_STR, offsetof(struct process_spec, cwd)},
	{"uid", MEMBER_ID, offsetof(struct process_spec, uid)},
	{"gid", MEMBER_ID, offsetof(struct process_spec, gid)},
	{"groups", MEMBER_CALL, 0, NULL, read_groups},
	{"keep_groups", MEMBER_BOOL, offsetof(struct process_spec, keep_groups)},
	{"user_name", MEMBER_STR, offsetof(struct process_spec, user_name)},
	{"home", MEMBER_STR, offsetof(struct process_spec, home)},
	{"tty", MEMBER_CALL, offsetof(struct process_spec, tty), NULL, read_tty},
	{"close_stdin", MEMBER_BOOL, offsetof(struct process_spec, close_stdin)},
	{"stop_signal", MEMBER_CALL, offsetof(struct process_spec, stop_signal), NULL,
	 read_stop_signal},
	{"stop_timeout_ms", MEMBER_CALL, 0, NULL, read_stop_timeout},
	{"pid1_signals", MEMBER_BOOL, offsetof(struct process_spec, pid1_signals)},
	{0},
};

static int read_process(const struct json *v, void *at, struct err *e)
{
	return members_read(v, process_members, at, e);
}

static const struct member namespace_members[] = {
	{"network", MEMBER_CHOICE, offsetof(struct ns_spec, net), "none|host"},
	{"ipc", MEMBER_CHOICE, offsetof(struct ns_spec, ipc), "private|host"},
	{"userns", MEMBER_CHOICE, offsetof(struct ns_spec, userns), "auto|one|subuid"},
	{"pid", MEMBER_CHOICE, offsetof(struct ns_spec, pid), "private|host"},
	{"uts", MEMBER_CHOICE, offsetof(struct ns_spec, uts), "private|host"},
	{"cgroup", MEMBER_CHOICE, offsetof(struct ns_spec, cgroup), "private|host"},
	{"host_sys", MEMBER_BOOL, offsetof(struct ns_spec, host_sys)},
	{"host_dev", MEMBER_BOOL, offsetof(struct ns_spec, host_dev)},
	{"hostname", MEMBER_STR, offsetof(struct ns_spec, hostname)},
	{0},
};

static int read_namespaces(const struct json *v, void *at, struct err *e)
{
	return members_read(v, namespace_members, at, e);
}

static const struct member mount_members[] = {
	{"type", MEMBER_CHOICE, offsetof(struct mount_spec, kind), "bind|tmpfs|device|copy|self"},
	{"source", MEMBER_STR, offsetof(struct mount_spec, source)},
	{"target", MEMBER_STR, offsetof(struct mount_spec, target)},
	{"readonly", MEMBER_BOOL, offsetof(struct mount_spec, readonly)},
	{"non_recursive", MEMBER_BOOL, offsetof(struct mount_spec, non_recursive)},
	{"noexec", MEMBER_BOOL, offsetof(struct mount_spec, exec_off)},
	{"optional", MEMBER_BOOL, offsetof(struct mount_spec, optional)},
	{"no_create", MEMBER_BOOL, offsetof(struct mount_spec, no_create)},
	{"devices", MEMBER_BOOL, offsetof(struct mount_spec, devices)},
	{"size_bytes", MEMBER_U64, offsetof(struct mount_spec, tmpfs_bytes)},
	{"mode", MEMBER_MODE, offsetof(struct mount_spec, tmpfs_mode)},
	{0},
};

static int read_mounts(const struct json *v, void *at, struct err *e)
{
	if (!json_is_array(v))
		return members_wrong(e, "an array");
	for (const struct json *i = json_first(v); i; i = json_next(i)) {
		struct mount_spec *m = spec_add_mount(at);
		int r = m ? members_read(i, mount_members, m, e) : err_oom(e);

		if (r < 0)
			return r;
	}
	return 0;
}

static int read_pids(const struct json *v, void *at, struct err *e)
{
	const char *s = json_text(v);

	if (!s)
		return members_read_number(v, 1u << 22, at, e);
	if (!str_eq(s, "unlimited"))
		return members_wrong(e, "a number or \"unlimited\"");
	*(uint64_t *)at = UINT64_MAX;
	return 0;
}

static int read_rlim(const struct json *v, rlim_t *ret, struct err *e)
{
	const char *s = v ? json_text(v) : NULL;
	uint64_t n = 0;
	int r = 0;

	if (!v || (s && !str_eq(s, "unlimited")))
		return members_wrong(e, "[soft, hard]: two numbers, or \"unlimited\"");
	if (!s)
		r = members_read_number(v, JSON_WHOLE_MAX, &n, e);
	*ret = s ? RLIM_INFINITY : (rlim_t)n;
	return r;
}

static int read_rlimit(const struct json *v, struct container_spec *s, struct err *e)
{
	struct rlimit_spec *slot;
	struct rlimit lim;
	int resource = 0;

	while (resource < RLIM_NLIMITS && !str_eq(rlimit_name(resource), json_name(v)))
		resource++;
	if (resource == RLIM_NLIMITS)
		return err_set(e, EINVAL, "unknown limit");
	if (!json_is_array(v) || json_count(v) != 2)
		return members_wrong(e, "[soft, hard]");
	if (read_rlim(json_first(v), &lim.rlim_cur, e) < 0 ||
	    read_rlim(json_next(json_first(v)), &lim.rlim_max, e) < 0)
		return -EINVAL;
	slot = spec_add_rlimit(s);
	if (!slot)
		return err_oom(e);
	*slot = (struct rlimit_spec){.resource = resource, .value = lim};
	return 0;
}

static int read_rlimits(const struct json *v, void *at, struct err *e)
{
	if (!json_is_object(v))
		return members_wrong(e, "an object");
	for (const struct json *i = json_first(v); i; i = json_next(i)) {
		if (read_rlimit(i, at, e) < 0)
			return err_wrap(e, "%s", json_name(i));
	}
	return 0;
}

/* Offsets are those of the whole spec: rlimits are added to it. */
#define LIMIT(member) offsetof(struct container_spec, limits.member)

static const struct member limit_members[] = {
	{"memory_bytes", MEMBER_U64, LIMIT(memory_bytes)},
	{"cpus_milli", MEMBER_U64, LIMIT(cpus_milli)},
	{"pids", MEMBER_CALL, LIMIT(pids), NULL, read_pids},
	{"shm_bytes", MEMBER_U64, LIMIT(shm_bytes)},
	{"timeout_ms", MEMBER_U64, LIMIT(timeout_ms)},
	{"kill_after_ms", MEMBER_U64, LIMIT(kill_after_ms)},
	{"output_bytes", MEMBER_U64, LIMIT(output_bytes)},
	{"output_kill_bytes", MEMBER_U64, LIMIT(output_kill_bytes)},
	{"strict", MEMBER_BOOL, LIMIT(strict)},
	{"oom_single", MEMBER_BOOL, LIMIT(oom_single)},
	{"rlimits", MEMBER_CALL, 0, NULL, read_rlimits},
	{0},
};

static int read_limits(const struct json *v, void *at, struct err *e)
{
	return members_read(v, limit_members, at, e);
}

static int read_caps(const struct json *v, void *at, struct err *e)
{
	struct security_spec *s = at;

	if (!json_is_array(v))
		return members_wrong(e, "an array of capabilities");
	for (const struct json *i = json_first(v); i; i = json_next(i)) {
		uint64_t cap = json_text(i) ? cap_parse(json_text(i)) : 0;

		if (!cap)
			return members_wrong(e, "an array of capabilities, as in \"CAP_CHOWN\"");
		s->caps |= cap;
	}
	s->caps_are_set = true;
	return 0;
}

static const struct member security_members[] = {
	{"capabilities", MEMBER_CALL, 0, NULL, read_caps},
	{"new_privs", MEMBER_BOOL, offsetof(struct security_spec, new_privs)},
	{"seccomp_off", MEMBER_BOOL, offsetof(struct security_spec, seccomp_off)},
	{"landlock_off", MEMBER_BOOL, offsetof(struct security_spec, landlock_off)},
	{"masks_off", MEMBER_BOOL, offsetof(struct security_spec, masks_off)},
	{"root_shared", MEMBER_BOOL, offsetof(struct security_spec, root_shared)},
	{"fake_ids", MEMBER_BOOL, offsetof(struct security_spec, fake_ids)},
	{"fake_nodes", MEMBER_BOOL, offsetof(struct security_spec, fake_nodes)},
	{0},
};

static int read_security(const struct json *v, void *at, struct err *e)
{
	return members_read(v, security_members, at, e);
}

/* A file of the upper layer, before it is handed to the spec. */
struct file_text {
	char *path, *text;
};

static const struct member file_members[] = {
	{"path", MEMBER_STR, offsetof(struct file_text, path)},
	{"text", MEMBER_STR, offsetof(struct file_text, text)},
	{0},
};

/* Relative and clean: path_is_clean_absolute() takes it with a slash before it. */
static bool is_relative(const char *path)
{
	_free_ char *absolute = str_printf("/%s", path);

	return *path && *path != '/' && absolute && path_is_clean_absolute(absolute);
}

static int read_file(const struct json *v, struct container_spec *s, struct err *e)
{
	struct file_text f = {0};
	int r = members_read(v, file_members, &f, e);

	if (r >= 0 && (!f.path || !f.text))
		r = err_set(e, EINVAL, "path and text must be there");
	if (r >= 0 && !is_relative(f.path))
		r = err_set(e, EINVAL, "path: must be relative to /, without '..'");
	if (r >= 0) {
		size_t len = strlen(f.text);

		r = spec_add_file(s, f.path, take_ptr(f.text), len, e);
	}
	free(f.path);
	free(f.text);
	return r;
}

static int read_files(const struct json *v, void *at, struct err *e)
{
	if (!json_is_array(v))
		return members_wrong(e, "an array");
	for (const struct json *i = json_first(v); i; i = json_next(i)) {
		int r = read_file(i, at, e);

		if (r < 0)
			return r;
	}
	return 0;
}

static int read_version(const struct json *v, void *at, struct err *e)
{
	uint64_t version = 0;

	if (json_whole(v, &version) < 0 || version != SPEC_VERSION)
		return err_set(e, EINVAL, "must be %u", SPEC_VERSION);
	*(uint32_t *)at = SPEC_VERSION;
	return 0;
}

#define SPEC(member) offsetof(struct container_spec, member)

static const struct member spec_members[] = {
	{"version", MEMBER_CALL, SPEC(version), NULL, read_version},
	{"name", MEMBER_STR, SPEC(name)},
	{"rootfs", MEMBER_CALL, SPEC(rootfs), NULL, read_rootfs},
	{"process", MEMBER_CALL, SPEC(proc), NULL, read_process},
	{"namespaces", MEMBER_CALL, SPEC(ns), NULL, read_namespaces},
	{"mounts", MEMBER_CALL, 0, NULL, read_mounts},
	{"limits", MEMBER_CALL, 0, NULL, read_limits},
	{"security", MEMBER_CALL, SPEC(sec), NULL, read_security},
	{"files", MEMBER_CALL, 0, NULL, read_files},
	{"labels", MEMBER_STRV, SPEC(labels)},
	{"fetch", MEMBER_STRV, SPEC(fetch)},
	{"allow_root", MEMBER_BOOL, SPEC(allow_root)},
	{0},
};

int spec_read_json(const void *text, size_t len, struct container_spec *s, struct err *e)
{
	_json_ struct json *root = NULL;
	int r = json_parse(text, len, SPEC_JSON_BYTES_MAX, &root, e);

	if (r < 0)
		return r;
	if (!json_is_object(root))
		return err_set(e, EINVAL, "a spec is a JSON object");
	if (!json_member(root, "version"))
		return err_set(e, EINVAL, "version: missing");
	return members_read(root, spec_members, s, e);
}
