/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/verb/inspect_out.h"

#include "runtime/base/err.h"
#include "runtime/base/json/out.h"
#include "runtime/kernel/cap.h"
#include "runtime/record/container_record.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/kernel/effective.h"
#include "runtime/server/image_meta.h"
#include "runtime/record/instance.h"

void inspect_write_record(struct json_out *j, const char *name, const struct container_record *r)
{
	static const char *const pins[] = {
		[PIN_LINK] = "link", [PIN_CLONE] = "clone", [PIN_PATH] = "path"};

	json_kstr(j, "name", name);
	json_key(j, "created_at");
	json_time(j, r->created_ns);
	json_kstr(j, "image", r->image);
	json_kstr(j, "kind", r->kind == ROOTFS_SQUASHFS ? "squashfs" : "directory");
	json_kstr(j, "pin", pins[r->pin]);
	json_ku64(j, "size_bytes", r->id.size_bytes);
}

void inspect_write_meta(struct json_out *j, const struct image_meta *m)
{
	json_key(j, "config");
	json_begin_object(j);
	json_kstr(j, "reference", m->ref);
	json_kstr(j, "digest", m->digest);
	json_kstr(j, "created", m->created);
	json_kstr(j, "architecture", m->arch);
	json_kstr(j, "user", m->user);
	json_kstr(j, "workdir", m->workdir);
	json_kstr(j, "stop_signal", m->stop_signal);
	json_kstrv(j, "env", &m->env);
	json_kstrv(j, "entrypoint", &m->entrypoint);
	json_kstrv(j, "cmd", &m->cmd);
	json_kstrv(j, "labels", &m->labels);
	json_kstrv(j, "volumes", &m->volumes);
	json_kstrv(j, "ports", &m->ports);
	json_kbool(j, "has_shell", m->has_shell);
	json_kbool(j, "made_by_enroot", m->rc && !m->has_config);
	json_end_object(j);
}

static void write_caps(struct json_out *j, const struct effective *x)
{
	static const char *const names[CAPS_SETS] = {[CAPS_INHERITABLE] = "inheritable",
						     [CAPS_PERMITTED] = "permitted",
						     [CAPS_EFFECTIVE] = "effective",
						     [CAPS_BOUNDING] = "bounding",
						     [CAPS_AMBIENT] = "ambient"};

	json_key(j, "capabilities");
	json_begin_object(j);
	for (int i = 0; i < CAPS_SETS; i++) {
		_strv_ struct strv list = STRV_INIT;

		cap_names(x->caps[i], &list);
		json_kstrv(j, names[i], &list);
	}
	json_end_object(j);
}

static void write_seccomp(struct json_out *j, const struct effective *x)
{
	static const char *const modes[] = {"off", "strict", "filter"};

	json_key(j, "seccomp");
	json_begin_object(j);
	json_kstr(j, "mode", x->seccomp_mode < 3 ? modes[x->seccomp_mode] : "unknown");
	json_ku64(j, "filters", x->seccomp_filters);
	json_end_object(j);
}

static void write_namespaces(struct json_out *j, const struct effective *x)
{
	json_key(j, "namespaces");
	json_begin_object(j);
	for (int i = 0; i < NS_COUNT; i++) {
		const char *word = x->own_ns[i] < 0 ? NULL : x->own_ns[i] ? "own" : "host";

		json_kstr(j, effective_ns_name((enum effective_ns)i), word);
	}
	json_end_object(j);
}

static void write_mounts(struct json_out *j, const struct effective *x)
{
	json_key(j, "mounts");
	json_begin_array(j);
	for (size_t i = 0; i < x->n_mounts; i++) {
		json_begin_object(j);
		json_kstr(j, "target", x->mounts[i].target);
		json_kstr(j, "type", x->mounts[i].type);
		json_kstr(j, "source", x->mounts[i].source);
		json_kstr(j, "options", x->mounts[i].options);
		json_end_object(j);
	}
	json_end_array(j);
}

static void write_limits(struct json_out *j, const struct effective *x)
{
	json_key(j, "limits");
	json_begin_object(j);
	for (size_t i = 0; i < x->n_limits; i++) {
		json_key(j, x->limits[i].name);
		json_begin_array(j);
		json_str(j, x->limits[i].soft);
		json_str(j, x->limits[i].hard);
		json_end_array(j);
	}
	json_end_object(j);
}

/* The values in the files of the container's control group, file by file; null where there is no
 * group. */
static void write_cgroup(struct json_out *j, const char *path)
{
	static const char *const files[] = {
		"memory.max",     "memory.swap.max", "memory.oom.group",
		"memory.current", "memory.peak",     "cpu.max",
		"pids.max",       "pids.current",    "pids.peak",
	};

	json_key(j, "cgroup_limits");
	if (!path) {
		json_null(j);
		return;
	}
	json_begin_object(j);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char text[64];

		if (cgroup_show(path, files[i], text, sizeof(text)))
			json_kstr(j, files[i], text);
	}
	json_end_object(j);
}

static void write_effective(struct json_out *j, const struct effective *x)
{
	json_ku64(j, "pid", (uint64_t)x->pid);
	json_kstr(j, "uids", x->uids);
	json_kstr(j, "gids", x->gids);
	json_kstr(j, "groups", x->groups);
	json_kstrv(j, "uid_map", &x->uid_map);
	json_kstrv(j, "gid_map", &x->gid_map);
	json_kbool(j, "no_new_privs", x->no_new_privs);
	write_seccomp(j, x);
	write_caps(j, x);
	write_namespaces(j, x);
	json_kstr(j, "cgroup", x->cgroup);
	write_limits(j, x);
	write_mounts(j, x);
}

void inspect_write_instance(struct json_out *j, const struct instance_record *r)
{
	struct effective x = {0};
	struct err e = ERR_INIT;
	pid_t main_pid = 0;

	json_begin_object(j);
	json_kstr(j, "id", r->id);
	json_kstr(j, "name", r->name);
	json_kstr(j, "image", r->image);
	json_kstrv(j, "command", &r->command);
	json_key(j, "started_at");
	json_time(j, r->started_ns);
	json_ku64(j, "supervisor_pid", (uint64_t)r->supervisor);
	json_ku64(j, "init_pid", (uint64_t)r->init);
	json_kstr(j, "layer", r->layer);
	json_kstr(j, "scratch", r->scratch);
	json_kstr(j, "cgroup", r->cgroup);
	json_key(j, "requested");
	json_raw(j, r->spec);
	json_key(j, "effective");
	if (effective_first_child(r->init, &main_pid, &e) >= 0 &&
	    effective_read(main_pid, &x, &e) >= 0) {
		json_begin_object(j);
		write_effective(j, &x);
		write_cgroup(j, r->cgroup);
		json_end_object(j);
	} else {
		json_null(j);
		json_kstr(j, "effective_error", e.msg);
	}
	effective_free(&x);
	json_end_object(j);
}
