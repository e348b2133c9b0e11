/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/run_mounts.h"

#include <stdlib.h>

#include "cmd/docker/frame/mount_flag.h"
#include "cmd/docker/frame/names.h"
#include "cmd/docker/daemon/run_args.h"
#include "cmd/options/mount_spec.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/settings/paths.h"
#include "runtime/settings/policy.h"
#include "runtime/spec/spec.h"
#include "runtime/record/volume.h"

static bool is_mounted(const struct container_spec *s, const char *target)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		if (s->mounts[i].target && str_eq(s->mounts[i].target, target))
			return true;
	}
	return false;
}

static int set_target(struct mount_spec *m, const char *target, struct err *e)
{
	struct err why = ERR_INIT;

	if (*target != '/')
		return err_set(e, EINVAL, "invalid mount path: '%s' mount path must be absolute",
			       target);
	if (strspn(target, "/.") == strlen(target))
		return err_set(e, EINVAL, "invalid specification: destination can't be '/'");
	if (mount_set_target(m, target, &why) < 0)
		return err_set(e, why.code, "invalid mount path: '%s': %s", target, why.msg);
	return 0;
}

static int apply_mode(struct mount_spec *m, char *mode, struct err *e)
{
	static const char *const nothing[] = {"rw",        "z",          "Z",       "cached",
					      "delegated", "consistent", "private", "rprivate"};
	char *save = NULL;

	for (char *w = strtok_r(mode, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		bool known = str_eq(w, "ro") || str_eq(w, "nocopy");

		m->readonly |= str_eq(w, "ro");
		if (str_eq(w, "nocopy"))
			m->copy_up = false;
		for (size_t i = 0; !known && i < sizeof(nothing) / sizeof(nothing[0]); i++)
			known = str_eq(w, nothing[i]);
		if (!known && (strstr(w, "shared") || strstr(w, "slave")))
			return err_set(e, EINVAL,
				       "--volume: '%s' is not available in csbx: mounts "
				       "do not propagate",
				       w);
		if (!known)
			return err_set(e, EINVAL, "invalid mode: %s", w);
	}
	return 0;
}

static int bad_volume(const char *text, struct err *e)
{
	return err_set(e, EINVAL, "invalid volume specification: '%s'", text);
}

/* The parts of "[SOURCE:]TARGET[:MODE]", in place; SOURCE and MODE may be NULL. */
static int split_volume(char *copy, char **source, char **target, char **mode)
{
	char *f[4] = {copy};
	int n = 1;

	for (char *c = copy; *c; c++) {
		if (*c != ':')
			continue;
		if (n == 3)
			return -EINVAL;
		*c = 0;
		f[n++] = c + 1;
	}
	*source = *mode = NULL;
	*target = f[0];
	/* Two parts are a target and its mode where the second can be no target. */
	if (n == 3 || (n == 2 && (f[1][0] == '/' || f[0][0] != '/'))) {
		*source = f[0];
		*target = f[1];
		*mode = f[2];
	} else if (n == 2) {
		*source = f[0];
		*target = f[1];
	}
	for (int i = 0; i < n; i++) {
		if (!*f[i])
			return -EINVAL;
	}
	return 0;
}

static int add_volume(const struct paths *p, const char *text, struct container_spec *s,
		      struct err *e)
{
	_free_ char *copy = strdup(text);
	char *source, *target, *mode;
	struct mount_spec *m = spec_add_mount(s);
	struct err why = ERR_INIT;
	int r;

	if (!copy || !m)
		return err_oom(e);
	m->asked = strdup(text);
	if (!m->asked)
		return err_oom(e);
	if (split_volume(copy, &source, &target, &mode) < 0)
		return bad_volume(text, e);
	if (set_target(m, target, &why) < 0)
		return err_set(e, EINVAL,
			       "invalid volume specification: '%s': invalid mount config "
			       "for type \"%s\": %s",
			       text, source && strchr(source, '/') ? "bind" : "volume", why.msg);
	r = 0;
	if (source && (*source == '/' || *source == '.')) {
		m->source = docker_absolute_source(source);
		r = m->source ? docker_make_source(p, m->source, e) : err_oom(e);
	} else {
		r = docker_mount_volume(p, source, m, e);
	}
	return r < 0 || !mode ? r : apply_mode(m, mode, e);
}

/* Options of --tmpfs; those of owner and number of files cannot be had. */
static int tmpfs_option(struct mount_spec *m, char *word, struct err *e)
{
	static const char *const nothing[] = {"defaults", "rw",    "nosuid",  "nodev",
					      "noexec",   "async", "noatime", "relatime"};
	char *value = strchr(word, '=');

	if (value)
		*value++ = 0;
	if (value && str_eq(word, "size") && num_parse_bytes(value, &m->tmpfs_bytes) >= 0)
		return 0;
	if (value && str_eq(word, "mode") && num_parse_mode(value, &m->tmpfs_mode) >= 0)
		return 0;
	if (value && (str_eq(word, "uid") || str_eq(word, "gid")) && str_eq(value, "0"))
		return 0;
	if (!value && (str_eq(word, "ro") || str_eq(word, "exec"))) {
		m->readonly |= str_eq(word, "ro");
		m->exec_off &= !str_eq(word, "exec");
		return 0;
	}
	for (size_t i = 0; !value && i < sizeof(nothing) / sizeof(nothing[0]); i++) {
		if (str_eq(word, nothing[i]))
			return 0;
	}
	return value ? err_set(e, EINVAL, "invalid tmpfs option [\"%s\" \"%s\"]", word, value)
		     : err_set(e, EINVAL, "invalid tmpfs option [\"%s\"]", word);
}

static int add_tmpfs(const char *text, struct container_spec *s, struct err *e)
{
	_free_ char *copy = strdup(text);
	char *options = copy ? strchr(copy, ':') : NULL, *save = NULL;
	struct mount_spec *m = spec_add_mount(s);
	int r;

	if (!copy || !m)
		return err_oom(e);
	if (options)
		*options++ = 0;
	*m = (struct mount_spec){.kind = MOUNT_TMPFS, .exec_off = true, .asked = strdup(text)};
	r = m->asked ? set_target(m, copy, e) : err_oom(e);
	for (char *w = options ? strtok_r(options, ",", &save) : NULL; r >= 0 && w;
	     w = strtok_r(NULL, ",", &save))
		r = tmpfs_option(m, w, e);
	return r;
}

/* The mount that was added last, against all others. */
static int check_duplicate(const struct container_spec *s, struct err *e)
{
	const char *target = s->mounts[s->n_mounts - 1].target;

	for (size_t i = 0; i + 1 < s->n_mounts; i++) {
		if (s->mounts[i].target && str_eq(s->mounts[i].target, target))
			return err_set(e, EINVAL, "Duplicate mount point: %s", target);
	}
	return 0;
}

static bool is_given_before(const struct strv *all, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (str_eq(all->items[k], all->items[i]))
			return true;
	}
	return false;
}

/* docker takes the last of several tmpfs at one target. */
static bool is_given_again(const struct strv *tmpfs, size_t i)
{
	const char *one = tmpfs->items[i];
	size_t len = strcspn(one, ":");

	for (size_t k = i + 1; k < tmpfs->n; k++) {
		const char *other = tmpfs->items[k];

		if (strcspn(other, ":") == len && !memcmp(one, other, len))
			return true;
	}
	return false;
}

static int is_taken(const struct container_spec *s, const char *target, bool *ret, struct err *e)
{
	struct mount_spec probe = {0};
	int r = set_target(&probe, target, e);

	*ret = r >= 0 && is_mounted(s, probe.target);
	free(probe.target);
	return r;
}

/* Volumes without a name, which give way to whatever else is mounted there. */
static int add_anonymous(const struct paths *p, const struct strv *volumes,
			 struct container_spec *s, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < volumes->n; i++) {
		const char *target = volumes->items[i];
		bool taken = false;
		struct err why = ERR_INIT;

		/* A target that is none, add_volume() says. */
		if (!strchr(target, ':') && (is_taken(s, target, &taken, &why) < 0 || !taken))
			r = add_volume(p, target, s, e);
	}
	return r;
}

int docker_mounts_add(const struct paths *p, const struct docker_run_args *a,
		      struct container_spec *s, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < a->volumes.n; i++) {
		if (!strchr(a->volumes.items[i], ':') || is_given_before(&a->volumes, i))
			continue;
		r = add_volume(p, a->volumes.items[i], s, e);
		if (r >= 0)
			r = check_duplicate(s, e);
	}
	for (size_t i = 0; r >= 0 && i < a->mounts.n; i++) {
		r = docker_mount_flag_add(p, a->mounts.items[i], s, e);
		if (r >= 0)
			r = check_duplicate(s, e);
	}
	for (size_t i = 0; r >= 0 && i < a->tmpfs.n; i++) {
		if (is_given_again(&a->tmpfs, i))
			continue;
		r = add_tmpfs(a->tmpfs.items[i], s, e);
		if (r >= 0)
			r = check_duplicate(s, e);
	}
	return r;
}

int docker_mounts_add_anonymous(const struct paths *p, const struct docker_run_args *a,
				struct container_spec *s, struct err *e)
{
	return add_anonymous(p, &a->volumes, s, e);
}

int docker_mounts_add_image(const struct paths *p, const struct strv *volumes,
			    struct container_spec *s, struct err *e)
{
	/* The image's wish gives way: what is written there goes to the container's own files. */
	int r = volumes->n ? policy_forbids(FORBID_BIND, e) : 0;

	if (r)
		return r < 0 ? r : 0;
	for (size_t i = 0; r >= 0 && i < volumes->n; i++) {
		struct mount_spec *m;

		if (is_mounted(s, volumes->items[i]))
			continue;
		m = spec_add_mount(s);
		if (!m)
			return err_oom(e);
		m->asked = strdup(volumes->items[i]);
		r = m->asked ? mount_set_target(m, volumes->items[i], e) : err_oom(e);
		if (r >= 0)
			r = docker_mount_volume(p, NULL, m, e);
	}
	return r;
}
