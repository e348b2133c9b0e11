/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/init/init.h"

static int write_one(const struct init_msg *m, int pid, const char *name, struct init_range map)
{
	char path[PROC_NAME_BYTES];

	proc_name(path, pid, name);
	return proc_write(path, (const char *)m + map.off, map.len);
}

/* user_namespaces(7): an unprivileged gid map needs setgroups(2) given up first. */
int idmap_write(const struct init_msg *m, int pid)
{
	int r = write_one(m, pid, "uid_map", m->uid_map);

	if (r >= 0 && (m->flags & INIT_DENY_SETGROUPS)) {
		char path[PROC_NAME_BYTES];

		proc_name(path, pid, "setgroups");
		r = proc_write(path, "deny", 4);
	}
	if (r >= 0)
		r = write_one(m, pid, "gid_map", m->gid_map);
	return r;
}
