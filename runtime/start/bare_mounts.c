/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "runtime/start/bare.h"
#include "runtime/base/err.h"
#include "runtime/start/container_setup.h"
#include "runtime/spec/spec.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int add(struct container_spec *s, const struct mount_spec *m, const char *target,
	       struct err *e)
{
	struct mount_spec *p = spec_add_mount(s);

	if (!p)
		return err_oom(e);
	*p = *m;
	p->target = strdup(target);
	if (m->kind == MOUNT_BIND)
		p->source = strdup(target);
	return p->target && (m->kind != MOUNT_BIND || p->source) ? 0 : err_oom(e);
}

int bare_system_mounts(struct container_spec *s, struct err *e)
{
	static const struct {
		const char *target;
		unsigned mode;
	} empty[] = {{"/tmp", 01777}, {"/run", 0755}, {"/var/lock", 01777}};
	static const char *const files[] = {"/etc/hosts", "/etc/hostname", "/etc/resolv.conf",
					    "/etc/machine-id"};
	const struct mount_spec bind = {.kind = MOUNT_BIND, .readonly = true, .optional = true};
	int r = 0;

	s->ns.host_dev = true;
	s->ns.host_sys = s->ns.net == NET_HOST;
	for (size_t i = 0; r >= 0 && i < COUNT(empty); i++) {
		const struct mount_spec m = {.kind = MOUNT_TMPFS,
					     .tmpfs_mode = empty[i].mode,
					     .tmpfs_bytes = container_base_bytes(s)};

		r = add(s, &m, empty[i].target, e);
	}
	for (size_t i = 0; r >= 0 && i < COUNT(files); i++)
		r = add(s, &bind, files[i], e);
	return r;
}
