/* SPDX-License-Identifier: Apache-2.0 */

/* HostConfig.Mounts: every --mount as it was asked for. */

#include "cmd/docker/frame/mount_flag.h"
#include "cmd/docker/frame/notes.h"
#include "cmd/docker/container/inspect_container.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/str.h"

/* A source of the caller's directory of then is in the specification, absolute. */
static const char *source_of(const struct inspected *x, const struct mount_flag *f)
{
	for (size_t i = 0; f->source && *f->source == '.' && i < x->spec.n_mounts; i++) {
		const struct mount_spec *m = &x->spec.mounts[i];

		if (m->source && str_eq(m->target, f->target))
			return m->source;
	}
	return f->source;
}

static void add_options(struct docker_value *v, const struct mount_flag *f)
{
	struct docker_value *options;

	if (f->propagation || f->non_recursive) {
		options = docker_value_add(v, "BindOptions", DOCKER_VALUE_STRUCT);
		if (f->propagation)
			docker_value_str(options, "Propagation", f->propagation);
		if (f->non_recursive)
			docker_value_bool(options, "NonRecursive", true);
	}
	if (f->no_copy) {
		options = docker_value_add(v, "VolumeOptions", DOCKER_VALUE_STRUCT);
		docker_value_bool(options, "NoCopy", true);
	}
	if (f->tmpfs_bytes || f->tmpfs_mode) {
		options = docker_value_add(v, "TmpfsOptions", DOCKER_VALUE_STRUCT);
		if (f->tmpfs_bytes)
			docker_value_int(options, "SizeBytes", (int64_t)f->tmpfs_bytes);
		if (f->tmpfs_mode)
			docker_value_int(options, "Mode", f->tmpfs_mode);
	}
}

static void add_flag(struct docker_value *list, const struct inspected *x,
		     const struct mount_flag *f)
{
	struct docker_value *v = docker_value_add(list, NULL, DOCKER_VALUE_STRUCT);

	docker_value_str(v, "Type", f->type ? f->type : "volume");
	if (f->source)
		docker_value_str(v, "Source", source_of(x, f));
	docker_value_str(v, "Target", f->target);
	if (f->readonly)
		docker_value_bool(v, "ReadOnly", true);
	if (f->consistency)
		docker_value_str(v, "Consistency", f->consistency);
	add_options(v, f);
}

void inspect_add_mount_flags(struct docker_value *host, const struct inspected *x)
{
	struct docker_value *list = NULL;
	const char *text;

	for (size_t i = 0; (text = notes_get(&x->record->notes, "mount", i)); i++) {
		struct mount_flag f;

		if (!list)
			list = docker_value_add(host, "Mounts", DOCKER_VALUE_LIST);
		if (mount_flag_parse(&f, text, NULL) >= 0)
			add_flag(list, x, &f);
		mount_flag_free(&f);
	}
	if (!list && (list = docker_value_add(host, "Mounts", DOCKER_VALUE_NOLIST)))
		list->flags |= DOCKER_VALUE_GO_ONLY;
}
