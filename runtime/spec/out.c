/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/out.h"

#include "runtime/base/json/out.h"
#include "runtime/kernel/cap.h"
#include "runtime/spec/rlimit.h"
#include "runtime/spec/spec.h"

static void kstr_if(struct json_out *j, const char *key, const char *s)
{
	if (s)
		json_kstr(j, key, s);
}

static void kbool_if(struct json_out *j, const char *key, bool v)
{
	if (v)
		json_kbool(j, key, v);
}

static void ku64_if(struct json_out *j, const char *key, uint64_t v)
{
	if (v)
		json_ku64(j, key, v);
}

static void write_rootfs(const struct rootfs_spec *r, struct json_out *j)
{
	static const char *const uppers[] = {[UPPER_THROWAWAY] = "throwaway",
					     [UPPER_KEPT] = "kept",
					     [UPPER_READONLY] = "readonly"};

	json_key(j, "rootfs");
	json_begin_object(j);
	json_kstr(j, "path", r->path);
	json_kstr(j, "kind", r->kind == ROOTFS_SQUASHFS ? "squashfs" : "directory");
	json_kstr(j, "upper", uppers[r->upper]);
	ku64_if(j, "upper_bytes", r->upper_bytes);
	kbool_if(j, "force_layer", r->force_layer);
	kbool_if(j, "reads_layer", r->reads_layer);
	if (r->layers.n)
		json_kstrv(j, "layers", &r->layers);
	json_end_object(j);
}

static void write_process(const struct process_spec *p, struct json_out *j)
{
	json_key(j, "process");
	json_begin_object(j);
	json_kstrv(j, "argv", &p->argv);
	json_kstrv(j, "env", &p->env);
	kstr_if(j, "cwd", p->cwd);
	json_ku64(j, "uid", p->uid);
	json_ku64(j, "gid", p->gid);
	if (p->n_groups) {
		json_key(j, "groups");
		json_begin_array(j);
		for (size_t i = 0; i < p->n_groups; i++)
			json_u64(j, p->groups[i]);
		json_end_array(j);
	}
	kbool_if(j, "keep_groups", p->keep_groups);
	kstr_if(j, "user_name", p->user_name);
	kstr_if(j, "home", p->home);
	kbool_if(j, "tty", p->tty == TTY_YES);
	kbool_if(j, "close_stdin", p->close_stdin);
	ku64_if(j, "stop_signal", (uint64_t)p->stop_signal);
	if (p->stop_timeout_is_set)
		json_ku64(j, "stop_timeout_ms", p->stop_timeout_ms);
	kbool_if(j, "pid1_signals", p->pid1_signals);
	json_end_object(j);
}

static void write_namespaces(const struct ns_spec *n, struct json_out *j)
{
	static const char *const modes[] = {
		[USERNS_AUTO] = "auto", [USERNS_ONE] = "one", [USERNS_SUBUID] = "subuid"};

	json_key(j, "namespaces");
	json_begin_object(j);
	json_kstr(j, "network", n->net == NET_NONE ? "none" : "host");
	json_kstr(j, "ipc", n->ipc == IPC_PRIVATE ? "private" : "host");
	json_kstr(j, "userns", modes[n->userns]);
	if (n->pid == PID_HOST)
		json_kstr(j, "pid", "host");
	if (n->uts == UTS_HOST)
		json_kstr(j, "uts", "host");
	if (n->cgroup == CGROUPNS_HOST)
		json_kstr(j, "cgroup", "host");
	kbool_if(j, "host_sys", n->host_sys);
	kbool_if(j, "host_dev", n->host_dev);
	kstr_if(j, "hostname", n->hostname);
	json_end_object(j);
}

static void write_mount(const struct mount_spec *m, struct json_out *j)
{
	static const char *const kinds[] = {[MOUNT_BIND] = "bind",
					    [MOUNT_TMPFS] = "tmpfs",
					    [MOUNT_DEVICE] = "device",
					    [MOUNT_COPY] = "copy",
					    [MOUNT_SELF] = "self"};

	json_begin_object(j);
	json_kstr(j, "type", kinds[m->kind]);
	kstr_if(j, "source", m->source);
	json_kstr(j, "target", m->target);
	kbool_if(j, "readonly", m->readonly);
	kbool_if(j, "non_recursive", m->non_recursive);
	kbool_if(j, "noexec", m->exec_off);
	kbool_if(j, "optional", m->optional);
	kbool_if(j, "no_create", m->no_create);
	kbool_if(j, "devices", m->devices);
	ku64_if(j, "size_bytes", m->tmpfs_bytes);
	ku64_if(j, "mode", m->tmpfs_mode);
	json_end_object(j);
}

static void write_rlimits(const struct limit_spec *l, struct json_out *j)
{
	bool begun = false;

	for (size_t i = 0; i < l->n_rlimits; i++) {
		const struct rlimit_spec *r = &l->rlimits[i];

		if (r->is_default)
			continue;
		if (!begun) {
			json_key(j, "rlimits");
			json_begin_object(j);
		}
		begun = true;
		json_key(j, rlimit_name(r->resource));
		json_begin_array(j);
		for (int hard = 0; hard < 2; hard++) {
			rlim_t v = hard ? r->value.rlim_max : r->value.rlim_cur;

			if (v == RLIM_INFINITY)
				json_str(j, "unlimited");
			else
				json_u64(j, v);
		}
		json_end_array(j);
	}
	if (begun)
		json_end_object(j);
}

static void write_limits(const struct limit_spec *l, struct json_out *j)
{
	json_key(j, "limits");
	json_begin_object(j);
	ku64_if(j, "memory_bytes", l->memory_bytes);
	ku64_if(j, "cpus_milli", l->cpus_milli);
	if (l->pids == UINT64_MAX)
		json_kstr(j, "pids", "unlimited");
	else if (!l->pids_is_default)
		ku64_if(j, "pids", l->pids);
	ku64_if(j, "shm_bytes", l->shm_bytes);
	ku64_if(j, "timeout_ms", l->timeout_ms);
	if (l->timeout_ms)
		ku64_if(j, "kill_after_ms", l->kill_after_ms);
	ku64_if(j, "output_bytes", l->output_bytes);
	ku64_if(j, "output_kill_bytes", l->output_kill_bytes);
	kbool_if(j, "strict", l->strict);
	kbool_if(j, "oom_single", l->oom_single);
	write_rlimits(l, j);
	json_end_object(j);
}

static void write_security(const struct security_spec *s, struct json_out *j)
{
	json_key(j, "security");
	json_begin_object(j);
	if (s->caps_are_set) {
		_strv_ struct strv caps = STRV_INIT;

		cap_names(s->caps, &caps);
		json_kstrv(j, "capabilities", &caps);
	}
	kbool_if(j, "new_privs", s->new_privs);
	kbool_if(j, "seccomp_off", s->seccomp_off);
	kbool_if(j, "landlock_off", s->landlock_off);
	kbool_if(j, "masks_off", s->masks_off);
	kbool_if(j, "root_shared", s->root_shared);
	kbool_if(j, "fake_ids", s->fake_ids);
	kbool_if(j, "fake_nodes", s->fake_nodes);
	json_end_object(j);
}

static void write_files(const struct container_spec *s, struct json_out *j)
{
	json_key(j, "files");
	json_begin_array(j);
	for (size_t i = 0; i < s->n_files; i++) {
		if (s->files[i].is_own)
			continue;
		json_begin_object(j);
		json_kstr(j, "path", s->files[i].path);
		if (s->files[i].data) {
			json_key(j, "text");
			json_strn(j, s->files[i].data, s->files[i].len);
		}
		json_end_object(j);
	}
	json_end_array(j);
}

void spec_write_json(const struct container_spec *s, struct json_out *j)
{
	json_begin_object(j);
	json_ku64(j, "version", s->version);
	kstr_if(j, "name", s->name);
	write_rootfs(&s->rootfs, j);
	write_process(&s->proc, j);
	write_namespaces(&s->ns, j);
	json_key(j, "mounts");
	json_begin_array(j);
	for (size_t i = 0; i < s->n_mounts; i++)
		write_mount(&s->mounts[i], j);
	json_end_array(j);
	write_limits(&s->limits, j);
	write_security(&s->sec, j);
	if (s->n_files)
		write_files(s, j);
	if (s->labels.n)
		json_kstrv(j, "labels", &s->labels);
	if (s->fetch.n)
		json_kstrv(j, "fetch", &s->fetch);
	kbool_if(j, "allow_root", s->allow_root);
	json_end_object(j);
}
