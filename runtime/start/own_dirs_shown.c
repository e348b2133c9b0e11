/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/own_dirs_shown.h"

#include <fcntl.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/record/hosts.h"
#include "runtime/record/volume.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/plan.h"

#define TABLE_BYTES_USUAL 8192
#define TABLE_BYTES_MAX (16u << 20)

static int read_table(struct shown *s, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_close_ int fd = -1;
	int r;

	if (s->has_looked)
		return 0;
	fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "/proc/self/mountinfo");
	(void)strbuf_reserve(&text, TABLE_BYTES_USUAL);
	r = io_read_all(fd, TABLE_BYTES_MAX, &text, e);
	if (r >= 0)
		r = mount_table_parse(strbuf_take(&text), &s->mounts, e);
	s->has_looked = r >= 0;
	return r;
}

/* The directory of the host that an operation shows; NULL: none. */
static const char *source_of(const struct shown *s, const struct op *op)
{
	if (op->skip || (s->wants_writable && (op->flags & OP_RDONLY || plan_op_is_overlay(op))))
		return NULL;
	if (op->kind == OP_SHM_HOST)
		return "/dev/shm";
	return op->kind == OP_BIND || plan_op_is_overlay(op) ? op->real : NULL;
}

/* Neither a volume nor a file of hosts has a place for anything of csbx's. */
static bool is_volume(const struct shown *s, const char *source)
{
	const char *beyond = path_beyond(s->paths->data, source);

	return beyond && (volume_has(beyond) || hosts_file_is(beyond));
}

/* An overlay shows its lower's file system, and nothing that is mounted below. */
static bool shows_by_another_path(const struct shown *s, const struct op *op, const char *path)
{
	const char *source = source_of(s, op);
	bool with_below = !(op->flags & OP_SINGLE) && !plan_op_is_overlay(op);

	return source && (s->wants_writable ? mount_table_shows_writable : mount_table_shows)(
				 &s->mounts, source, with_below, path);
}

int shown_has(struct shown *s, const char *path, struct err *e)
{
	const struct plan *p = s->plan;
	bool may_be = false;
	int r;

	if (s->has_hooks)
		return !s->wants_writable;
	for (size_t i = 0; i < p->n; i++) {
		const char *source = source_of(s, &p->ops[i]);

		if (source && !s->wants_writable && path_beyond(source, path))
			return 1;
		may_be |= source && !is_volume(s, source);
	}
	if (!may_be)
		return 0;
	r = read_table(s, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < p->n; i++) {
		if (shows_by_another_path(s, &p->ops[i], path))
			return 1;
	}
	return 0;
}

int shown_writable(struct shown *s, const char *path, struct err *e)
{
	int r;

	s->wants_writable = true;
	r = shown_has(s, path, e);
	s->wants_writable = false;
	return r;
}

int shown_has_part(struct shown *s, const char *dir, struct err *e)
{
	int r = shown_has(s, dir, e);

	for (size_t i = 0; i < s->plan->n && !r; i++) {
		const char *source = source_of(s, &s->plan->ops[i]);

		if (!source || is_volume(s, source))
			continue;
		r = read_table(s, e);
		if (r >= 0)
			r = path_beyond(dir, source) ||
			    mount_table_shows(&s->mounts, dir, true, source);
	}
	return r;
}

void shown_free(struct shown *s)
{
	if (s->has_looked)
		mount_table_free(&s->mounts);
}
