/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/start/mount_list.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/options/mount_spec.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/spec/fstab.h"
#include "runtime/spec/spec.h"

static int find(const struct container_spec *s, const char *target)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		if (str_eq(s->mounts[i].target, target))
			return (int)i;
	}
	return -1;
}

bool mount_list_remove(struct mount_list *l, const char *target)
{
	struct container_spec *s = l->spec;
	int i = find(s, target);

	if (i < 0)
		return false;
	spec_remove_mount(s, (size_t)i);
	if ((size_t)i < *l->before)
		(*l->before)--;
	return true;
}

bool mount_list_is_kernels(const char *path)
{
	return path_is_within(path, "/proc") || path_is_within(path, "/sys") ||
	       path_is_within(path, "/dev");
}

/* /proc, /sys and /dev are there; so is what belongs below them, when it is mounted on itself. */
static bool is_ours(const struct fstab_entry *x)
{
	static const char *const own[] = {"/proc", "/sys", "/dev", "/dev/pts", "/dev/mqueue"};
	const struct mount_spec *m = &x->mount;

	if (x->is_kernel || x->kind != FSTAB_MOUNT)
		return mount_list_is_kernels(m->target);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (str_eq(m->target, own[i]) && m->source && str_eq(m->source, own[i]))
			return true;
	}
	return false;
}

/* A source that may be missing is passed over; e says why all the same. */
static int unless_optional(const struct fstab_entry *x, int r)
{
	return x->mount.optional && r != -ENOMEM ? MOUNT_MISSING : r;
}

static int not_mounted(const struct fstab_entry *x, struct err *e)
{
	return unless_optional(x, err_set(e, EINVAL, "nothing is mounted at %s", x->mount.target));
}

static int remount(struct mount_list *l, const struct fstab_entry *x, struct err *e)
{
	int i = find(l->spec, x->mount.target);
	struct mount_spec *m;

	if (i < 0)
		return is_ours(x) ? MOUNT_IS_OURS : not_mounted(x, e);
	m = &l->spec->mounts[i];
	if (x->sets_readonly)
		m->readonly = x->mount.readonly;
	if (x->sets_exec)
		m->exec_off = x->mount.exec_off;
	return MOUNT_ADDED;
}

static int detach(struct mount_list *l, const struct fstab_entry *x, struct err *e)
{
	return mount_list_remove(l, x->mount.target) ? MOUNT_ADDED : not_mounted(x, e);
}

/* Looks if a source can be had, and if it is a device. */
static int look_at_source(struct mount_spec *m, const char *cwd, struct err *e)
{
	_close_ int fd = -1;
	struct stat st;
	int r;

	if (m->kind != MOUNT_BIND || !m->source) /* a volume by name */
		return 0;
	if (*m->source != '/' && !cwd)
		return err_set(e, ENOENT, "%s: the current directory is gone", m->source);
	r = *m->source == '/' ? 0 : mount_make_absolute(m, cwd, e);
	if (r < 0)
		return r;
	fd = path_open_source(m->source, 0, e);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", m->source);
	if (m->devices && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)))
		m->kind = MOUNT_DEVICE;
	return 0;
}

static int add(struct mount_list *l, struct fstab_entry *x, const char *asked, struct err *e)
{
	struct mount_spec *m = &x->mount, *to;
	int r = look_at_source(m, l->cwd, e);

	if (r < 0)
		return unless_optional(x, r);
	if (str_eq(m->target, "/"))
		return err_set(e, EINVAL, "the root cannot be a target");
	if (m->optional &&
	    (path_is_within(m->target, "/proc") || path_is_within(m->target, "/sys")))
		return unless_optional(x, err_set(e, EINVAL, "%s is csbx's own", m->target));
	(void)mount_list_remove(l, m->target);
	m->asked = strdup(asked);
	to = m->asked ? spec_add_mount(l->spec) : NULL;
	if (!to)
		return err_oom(e);
	*to = *m;
	*m = (struct mount_spec){0};
	return MOUNT_ADDED;
}

int mount_list_apply(struct mount_list *l, struct fstab_entry *x, const char *asked, struct err *e)
{
	int r;

	if (x->kind == FSTAB_REMOUNT)
		r = remount(l, x, e);
	else if (x->kind == FSTAB_UMOUNT)
		r = detach(l, x, e);
	else if (is_ours(x))
		r = MOUNT_IS_OURS;
	else if (x->is_kernel)
		r = unless_optional(
			x, err_set(e, EINVAL, "a file system of that type cannot be mounted"));
	else
		r = add(l, x, asked, e);
	fstab_entry_free(x);
	return r;
}
