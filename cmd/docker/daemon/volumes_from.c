/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/volumes_from.h"

#include <stdlib.h>

#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/spec/flat.h"
#include "runtime/spec/spec.h"

static bool is_mounted(const struct container_spec *s, const char *target)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		if (s->mounts[i].target && str_eq(s->mounts[i].target, target))
			return true;
	}
	return false;
}

static int read_modes(char *modes, bool *readonly, struct docker_fault *f)
{
	static const char *const nothing[] = {"rw", "z", "Z", "private", "rprivate"};
	char *save = NULL;

	for (char *w = strtok_r(modes, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		bool known = str_eq(w, "ro");

		*readonly |= known;
		for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
			known |= str_eq(w, nothing[i]);
		if (!known)
			return docker_refuse(f, "invalid mode: %s", w);
	}
	return 0;
}

static char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

static int add_one(const struct mount_spec *from, bool readonly, struct container_spec *s,
		   struct docker_fault *f)
{
	struct mount_spec *m;

	if (from->kind != MOUNT_BIND || !from->target || is_mounted(s, from->target))
		return 0;
	m = spec_add_mount(s);
	if (!m)
		return err_set(&f->err, ENOMEM, "out of memory");
	*m = *from;
	m->source = copy_of(from->source);
	m->target = copy_of(from->target);
	m->asked = copy_of(from->asked);
	m->volume = copy_of(from->volume);
	m->readonly |= readonly;
	if (!m->target || !m->source != !from->source || !m->asked != !from->asked ||
	    !m->volume != !from->volume)
		return err_set(&f->err, ENOMEM, "out of memory");
	return 0;
}

static int add_all(const struct docker_target *t, bool readonly, struct container_spec *s,
		   struct docker_fault *f)
{
	const struct container_record *rec = &t->found.record;
	struct container_spec other;
	int r = spec_flat_read(&other, rec->spec, rec->spec_len, &f->err);

	if (r < 0)
		return r;
	for (size_t i = 0; r >= 0 && i < other.n_mounts; i++)
		r = add_one(&other.mounts[i], readonly, s, f);
	spec_free(&other);
	return r;
}

static int add_from(const struct paths *p, const char *word, struct container_spec *s,
		    struct docker_fault *f)
{
	_free_ char *copy = strdup(word);
	char *modes = copy ? strchr(copy, ':') : NULL;
	struct docker_target t;
	bool readonly = false;
	int r;

	if (!copy)
		return err_set(&f->err, ENOMEM, "out of memory");
	if (modes)
		*modes++ = 0;
	if (!*copy)
		return docker_refuse(f, "malformed volumes-from specification: %s", word);
	r = modes ? read_modes(modes, &readonly, f) : 0;
	if (r < 0)
		return r;
	r = docker_target_open(p, copy, &t, f);
	if (r >= 0 && !t.stays)
		r = docker_refuse(f, "%s was started by csbx start: it has no volumes to share",
				  copy);
	if (r >= 0)
		r = add_all(&t, readonly, s, f);
	docker_target_close(&t);
	return r;
}

int docker_volumes_from_add(const struct paths *p, const struct strv *words,
			    struct container_spec *s, struct docker_fault *f)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < words->n; i++)
		r = add_from(p, words->items[i], s, f);
	return r;
}
