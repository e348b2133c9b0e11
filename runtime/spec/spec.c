/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/kernel/cap.h"

#define DEFAULT_SHM_BYTES (UINT64_C(64) << 20)
#define DEFAULT_KILL_AFTER_MS 100u
#define DEFAULT_NOFILE_SOFT 1024u
#define DEFAULT_NOFILE_HARD 524288u

void spec_init(struct container_spec *s)
{
	*s = (struct container_spec){.version = SPEC_VERSION};
}

void spec_free_mount(struct mount_spec *m)
{
	free(m->source);
	free(m->target);
	free(m->asked);
	free(m->volume);
}

static void hooks_free(struct hooks_spec *h)
{
	for (size_t i = 0; i < h->n; i++) {
		strv_free(&h->commands[i].argv);
		free(h->commands[i].shown);
	}
	free(h->commands);
	strv_free(&h->env);
	free(h->cwd);
	free(h->dir);
	free(h->environ_text);
}

void spec_free(struct container_spec *s)
{
	free(s->id);
	free(s->name);
	free(s->rootfs.path);
	rootfs_free_lowers(&s->rootfs);
	strv_free(&s->rootfs.layers);
	free(s->rootfs.layer_path);
	strv_free(&s->proc.argv);
	strv_free(&s->proc.env);
	free(s->proc.cwd);
	free(s->proc.groups);
	free(s->proc.user_name);
	free(s->proc.home);
	free(s->proc.keep_fds);
	free(s->ns.hostname);
	for (size_t i = 0; i < s->n_mounts; i++)
		spec_free_mount(&s->mounts[i]);
	free(s->mounts);
	for (size_t i = 0; i < s->n_files; i++) {
		free(s->files[i].path);
		free(s->files[i].data);
	}
	free(s->files);
	hooks_free(&s->hooks);
	free(s->limits.rlimits);
	strv_free(&s->labels);
	strv_free(&s->fetch);
	spec_init(s);
}

int rootfs_add_lower(struct rootfs_spec *root, const char *path, const struct image_id *id,
		     struct err *e)
{
	struct rootfs_part *p;

	if (root->n_lowers + 1 >= SPEC_STACK_MAX)
		return err_set(e, E2BIG, "an image of more than %d files", SPEC_STACK_MAX);
	p = reallocarray(root->lowers, root->n_lowers + 1, sizeof(*p));
	if (!p)
		return err_oom(e);
	root->lowers = p;
	p[root->n_lowers] = (struct rootfs_part){.path = strdup(path), .id = *id};
	return p[root->n_lowers++].path ? 0 : err_oom(e);
}

struct rootfs_part rootfs_part_at(const struct rootfs_spec *root, size_t i)
{
	return i < root->n_lowers ? root->lowers[i] : (struct rootfs_part){root->path, root->id};
}

void rootfs_free_lowers(struct rootfs_spec *root)
{
	for (size_t i = 0; i < root->n_lowers; i++)
		free(root->lowers[i].path);
	free(root->lowers);
	root->lowers = NULL;
	root->n_lowers = 0;
}

struct mount_spec *spec_add_mount(struct container_spec *s)
{
	struct mount_spec *p = reallocarray(s->mounts, s->n_mounts + 1, sizeof(*p));

	if (!p)
		return NULL;
	s->mounts = p;
	p[s->n_mounts] = (struct mount_spec){0};
	return &p[s->n_mounts++];
}

void spec_remove_mount(struct container_spec *s, size_t i)
{
	spec_free_mount(&s->mounts[i]);
	memmove(&s->mounts[i], &s->mounts[i + 1], (s->n_mounts - i - 1) * sizeof(s->mounts[0]));
	s->n_mounts--;
}

struct hook_command *spec_add_hook(struct container_spec *s)
{
	struct hooks_spec *h = &s->hooks;
	struct hook_command *p = reallocarray(h->commands, h->n + 1, sizeof(*p));

	if (!p)
		return NULL;
	h->commands = p;
	p[h->n] = (struct hook_command){0};
	return &p[h->n++];
}

struct rlimit_spec *spec_add_rlimit(struct container_spec *s)
{
	struct rlimit_spec *p =
		reallocarray(s->limits.rlimits, s->limits.n_rlimits + 1, sizeof(*p));

	if (!p)
		return NULL;
	s->limits.rlimits = p;
	p[s->limits.n_rlimits] = (struct rlimit_spec){0};
	return &p[s->limits.n_rlimits++];
}

int spec_add_file(struct container_spec *s, const char *path, char *data, size_t len, struct err *e)
{
	struct file_spec *p = reallocarray(s->files, s->n_files + 1, sizeof(*p));
	char *copy = strdup(path);

	if (p)
		s->files = p;
	if (!p || !copy) {
		free(copy);
		free(data);
		return err_oom(e);
	}
	p[s->n_files++] = (struct file_spec){.path = copy, .data = data, .len = len};
	return 0;
}

int spec_copy_file(struct container_spec *s, const struct file_spec *file, struct err *e)
{
	char *data = file->data ? malloc(file->len + 1) : NULL;
	int r;

	if (file->data && !data)
		return err_oom(e);
	if (data) {
		memcpy(data, file->data, file->len);
		data[file->len] = 0;
	}
	r = spec_add_file(s, file->path, data, file->len, e);
	if (r < 0)
		return r;
	s->files[s->n_files - 1].mode = file->mode;
	s->files[s->n_files - 1].is_users = file->is_users;
	s->files[s->n_files - 1].if_absent = file->if_absent;
	s->files[s->n_files - 1].refresh = file->refresh;
	s->files[s->n_files - 1].is_below = file->is_below;
	return 0;
}

static int make_id(struct container_spec *s, struct err *e)
{
	unsigned char b[6];

	if (s->id)
		return 0;
	if (getrandom(b, sizeof(b), 0) != sizeof(b))
		return err_sys(e, "random id");
	s->id = str_printf("%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
	return s->id ? 0 : err_oom(e);
}

static bool has_rlimit(const struct container_spec *s, int resource)
{
	for (size_t i = 0; i < s->limits.n_rlimits; i++) {
		if (s->limits.rlimits[i].resource == resource)
			return true;
	}
	return false;
}

static int add_rlimit(struct container_spec *s, int resource, rlim_t soft, rlim_t hard,
		      struct err *e)
{
	struct rlimit_spec *r;

	if (has_rlimit(s, resource))
		return 0;
	r = spec_add_rlimit(s);
	if (!r)
		return err_oom(e);
	*r = (struct rlimit_spec){resource, {soft, hard}, true};
	return 0;
}

/*
 * RLIMIT_CORE 1 rather than 0: it stops a core_pattern pipe handler of the host as well as files
 * (core(5)). RLIMIT_NPROC counts per user and user namespace, so set inside the payload's own
 * namespace it is this container's own limit.
 */
static int fill_rlimits(struct container_spec *s, struct err *e)
{
	int r = add_rlimit(s, RLIMIT_CORE, 1, 1, e);

	if (r >= 0)
		r = add_rlimit(s, RLIMIT_NOFILE, DEFAULT_NOFILE_SOFT, DEFAULT_NOFILE_HARD, e);
	if (r >= 0 && s->limits.pids != UINT64_MAX)
		r = add_rlimit(s, RLIMIT_NPROC, s->limits.pids, s->limits.pids, e);
	return r;
}

/* As docker: ALL is applied first, then single names; a capability that is added by name stays. */
static uint64_t choose_caps(const struct security_spec *sec, bool is_root)
{
	uint64_t kept = is_root ? SPEC_CAPS_DEFAULT : 0;

	if (sec->caps_add == CAP_ALL)
		return CAP_ALL & ~sec->caps_drop;
	return (kept & ~sec->caps_drop) | sec->caps_add;
}

static int fill_defaults(struct container_spec *s, struct err *e)
{
	int r = make_id(s, e);

	if (r < 0)
		return r;
	if (s->limits.pids == PIDS_AS_POLICY)
		s->limits.pids = UINT64_MAX;
	if (!s->limits.pids) {
		s->limits.pids = SPEC_DEFAULT_PIDS;
		s->limits.pids_is_default = true;
	}
	if (!s->limits.shm_bytes && s->ns.ipc == IPC_PRIVATE)
		s->limits.shm_bytes = DEFAULT_SHM_BYTES;
	if (!s->limits.kill_after_ms)
		s->limits.kill_after_ms = DEFAULT_KILL_AFTER_MS;
	if (!s->sec.caps_are_set) {
		s->sec.caps = choose_caps(&s->sec, s->proc.uid == 0 || s->sec.caps_of_root);
		s->sec.caps_are_set = true;
	}
	if (!s->proc.cwd)
		s->proc.cwd = str_printf("/");
	if (!s->ns.hostname)
		s->ns.hostname = str_printf("%.63s", s->name ? s->name : s->id);
	if (!s->proc.cwd || !s->ns.hostname)
		return err_oom(e);
	return fill_rlimits(s, e);
}

static int check_mounts(const struct container_spec *s, struct err *e)
{
	static const char *const own[] = {"/", "/proc", "/sys", "/dev"};

	for (size_t i = 0; i < s->n_mounts; i++) {
		const struct mount_spec *m = &s->mounts[i];
		const char *asked = m->asked ? m->asked : m->target;

		if (!m->target || *m->target != '/')
			return err_set(e, EINVAL, "mount %s: the target must be an absolute path",
				       asked);
		if (!path_is_clean_absolute(m->target))
			return err_set(e, EINVAL, "mount %s: '.' or '..' in the target", asked);
		if (str_has_prefix(m->target, "/proc/") || str_has_prefix(m->target, "/sys/"))
			return err_set(e, EINVAL, "mount %s: /proc and /sys are csbx's own", asked);
		for (size_t k = 0; k < sizeof(own) / sizeof(own[0]); k++) {
			if (str_eq(m->target, own[k]))
				return err_set(e, EINVAL, "mount %s: %s is csbx's own", asked,
					       own[k]);
		}
		if (m->kind == MOUNT_COPY && s->rootfs.upper == UPPER_KEPT)
			return err_set(e, EINVAL, "mount %s: a copy does not go with --rw", asked);
		if (m->kind != MOUNT_TMPFS && (!m->source || *m->source != '/'))
			return err_set(e, EINVAL, "mount %s: the source must be an absolute path",
				       asked);
		for (size_t k = 0; k < i; k++) {
			if (str_eq(m->target, s->mounts[k].target))
				return err_set(e, EINVAL, "mount %s: %s is mounted twice", asked,
					       m->target);
		}
	}
	return 0;
}

static int check_rlimits(const struct container_spec *s, struct err *e)
{
	for (size_t i = 0; i < s->limits.n_rlimits; i++) {
		const struct rlimit_spec *r = &s->limits.rlimits[i];

		if (r->value.rlim_cur > r->value.rlim_max)
			return err_set(e, EINVAL, "--ulimit: the soft limit is above the hard one");
		if (r->resource == RLIMIT_NPROC && !r->is_default && !s->limits.pids_is_default &&
		    s->limits.pids != UINT64_MAX)
			return err_set(e, EINVAL,
				       "--pids-limit and --ulimit nproc= exclude each other");
	}
	return 0;
}

static int check_fetch(const struct container_spec *s, struct err *e)
{
	if (s->fetch.n > FETCH_PATHS_MAX)
		return err_set(e, EINVAL, "--fetch: more than %u files", FETCH_PATHS_MAX);
	for (size_t i = 0; i < s->fetch.n; i++) {
		const char *path = s->fetch.items[i];

		if (*path != '/')
			return err_set(e, EINVAL, "--fetch %s: must be an absolute path", path);
		for (size_t k = 0; k < i; k++) {
			if (str_eq(path, s->fetch.items[k]))
				return err_set(e, EINVAL, "--fetch %s: given twice", path);
		}
	}
	return strv_check(&s->fetch, e);
}

static int check_hostname(const char *h, struct err *e)
{
	size_t n = strlen(h);

	if (!n || n > 64)
		return err_set(e, EINVAL, "--hostname: must have 1 to 64 characters");
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)h[i] <= ' ' || h[i] == 0x7f || h[i] == '/')
			return err_set(e, EINVAL, "--hostname: bad character");
	}
	return 0;
}

static int check_layers(const struct rootfs_spec *root, struct err *e)
{
	if (strv_check(&root->layers, e) < 0)
		return -ENOMEM;
	if (root->layers.n > SPEC_LAYERS_MAX)
		return err_set(e, E2BIG, "layers: more than %d", SPEC_LAYERS_MAX);
	for (size_t i = 0; i < root->layers.n; i++) {
		if (*root->layers.items[i] != '/')
			return err_set(e, EINVAL, "layers: %s: must be an absolute path",
				       root->layers.items[i]);
	}
	return 0;
}

int spec_freeze(struct container_spec *s, struct err *e)
{
	int r = fill_defaults(s, e);

	if (r < 0)
		return r;
	if (strv_check(&s->proc.argv, e) < 0 || strv_check(&s->proc.env, e) < 0)
		return -ENOMEM;
	if (!s->proc.argv.n)
		return err_from(ERR_NO_COMMAND, e,
				err_set(e, EINVAL, "no command given and none in the image"));
	if (!*s->proc.argv.items[0])
		return err_from(ERR_EMPTY_COMMAND, e,
				err_set(e, EINVAL, "the command is an empty string"));
	if (*s->proc.cwd != '/')
		return err_from(
			ERR_WORKDIR, e,
			err_set(e, EINVAL, "--workdir: %s: must be an absolute path", s->proc.cwd));
	if (!s->rootfs.path || *s->rootfs.path != '/')
		return err_set(e, EINVAL, "image: must be an absolute path");
	r = check_layers(&s->rootfs, e);
	if (r < 0)
		return r;
	if (s->rootfs.upper == UPPER_KEPT && !s->rootfs.layer_path)
		return err_set(e, EINVAL, "--rw: needs a container; create one first");
	if (s->rootfs.reads_layer && (s->rootfs.upper == UPPER_KEPT || !s->rootfs.layer_path))
		return err_set(e, EINVAL,
			       "reads_layer: needs the root of a container that is not "
			       "kept");
	if (s->limits.output_bytes && s->limits.output_kill_bytes)
		return err_set(e, EINVAL, "--max-output and --max-output-kill exclude each other");
	if (s->limits.memory_bytes && s->limits.memory_bytes < SPEC_MEMORY_BYTES_MIN)
		return err_set(e, EINVAL, "--memory: must be at least 1m");
	if (s->limits.shm_bytes && s->ns.ipc == IPC_HOST)
		return err_set(e, EINVAL, "--shm-size and --ipc host exclude each other");
	r = check_mounts(s, e);
	if (r >= 0)
		r = check_rlimits(s, e);
	if (r >= 0)
		r = check_fetch(s, e);
	if (r >= 0)
		r = check_hostname(s->ns.hostname, e);
	return r;
}

bool spec_shows_nothing_of_host(const struct container_spec *s)
{
	bool nothing = s->rootfs.kind == ROOTFS_SQUASHFS && s->ns.pid == PID_PRIVATE &&
		       s->ns.net != NET_HOST && s->ns.ipc != IPC_HOST && !s->ns.host_dev &&
		       !s->ns.host_sys && !s->hooks.n;

	for (size_t i = 0; i < s->n_mounts && nothing; i++)
		nothing = s->mounts[i].kind == MOUNT_TMPFS;
	return nothing;
}
