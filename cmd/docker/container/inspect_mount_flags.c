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

static void add_options(struct value *v, const struct mount_flag *f)
{
	struct value *options;

	if (f->propagation || f->non_recursive) {
		options = value_add(v, "BindOptions", VALUE_STRUCT);
		if (f->propagation)
			value_str(options, "Propagation", f->propagation);
		if (f->non_recursive)
			value_bool(options, "NonRecursive", true);
	}
	if (f->no_copy) {
		options = value_add(v, "VolumeOptions", VALUE_STRUCT);
		value_bool(options, "NoCopy", true);
	}
	if (f->tmpfs_bytes || f->tmpfs_mode) {
		options = value_add(v, "TmpfsOptions", VALUE_STRUCT);
		if (f->tmpfs_bytes)
			value_int(options, "SizeBytes", (int64_t)f->tmpfs_bytes);
		if (f->tmpfs_mode)
			value_int(options, "Mode", f->tmpfs_mode);
	}
}

static void add_flag(struct value *list, const struct inspected *x, const struct mount_flag *f)
{
	struct value *v = value_add(list, NULL, VALUE_STRUCT);

	value_str(v, "Type", f->type ? f->type : "volume");
	if (f->source)
		value_str(v, "Source", source_of(x, f));
	value_str(v, "Target", f->target);
	if (f->readonly)
		value_bool(v, "ReadOnly", true);
	if (f->consistency)
		value_str(v, "Consistency", f->consistency);
	add_options(v, f);
}

void inspect_add_mount_flags(struct value *host, const struct inspected *x)
{
	struct value *list = NULL;
	const char *text;

	for (size_t i = 0; (text = notes_get(&x->record->notes, "mount", i)); i++) {
		struct mount_flag f;

		if (!list)
			list = value_add(host, "Mounts", VALUE_LIST);
		if (mount_flag_parse(&f, text, NULL) >= 0)
			add_flag(list, x, &f);
		mount_flag_free(&f);
	}
	if (!list && (list = value_add(host, "Mounts", VALUE_NOLIST)))
		list->flags |= VALUE_GO_ONLY;
}
