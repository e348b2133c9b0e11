/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/groups.h"

#include <stdlib.h>

#include "cmd/docker/frame/docker.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"
#include "runtime/spec/user.h"
#include "runtime/userns/userns.h"

static int find_gid(const struct docker *d, const char *name, const struct user_db *db,
		    uint32_t *ret)
{
	_free_ char *spec = str_printf("0:%s", name);
	struct user found = USER_INIT;
	struct err e = ERR_INIT;
	int r;

	if (!spec)
		return docker_daemon_fail(d, "out of memory");
	r = *name ? user_resolve(db, spec, &found, &e) : -ENOENT;
	*ret = found.gid;
	user_free(&found);
	if (r == -ENOENT)
		return docker_daemon_fail(
			d, "Unable to find group %s: no matching entries in group file", name);
	return r < 0 ? docker_daemon_fail(d, "--group-add %s: %s", name, e.msg) : 0;
}

static int add(struct process_spec *p, uint32_t gid)
{
	uint32_t *groups;

	for (size_t i = 0; i < p->n_groups; i++) {
		if (p->groups[i] == gid)
			return 0;
	}
	groups = reallocarray(p->groups, p->n_groups + 1, sizeof(*groups));
	if (!groups)
		return -ENOMEM;
	groups[p->n_groups++] = gid;
	p->groups = groups;
	return 0;
}

int docker_groups_add_main(struct process_spec *p, struct err *e)
{
	if (p->keep_groups)
		return 0;
	return add(p, p->gid) < 0 ? err_set(e, ENOMEM, "out of memory") : 0;
}

int docker_groups_add(const struct docker *d, const struct strv *asked, const struct user_db *db,
		      struct container_spec *s)
{
	struct process_spec *p = &s->proc;
	struct err e = ERR_INIT;
	struct id_map map;

	if (p->keep_groups)
		return 0;
	if (userns_map_for(p->uid, p->gid, s->ns.userns, &map, &e) < 0)
		return docker_daemon_fail(d, "%s", e.msg);
	for (size_t i = 0; i < asked->n; i++) {
		uint32_t gid = 0;
		int code = find_gid(d, asked->items[i], db, &gid);

		if (code)
			return code;
		if (!id_extents_have(map.gid, map.n_gid, gid))
			return docker_fail(d,
					   "--group-add %s: csbx has no group %u for you here: it "
					   "takes ranges in /etc/subgid that hold so many",
					   asked->items[i], gid);
		if (p->n_groups >= USER_GROUPS_MAX || add(p, gid) < 0)
			return docker_fail(d, "--group-add: too many groups");
	}
	/* With one id the kernel lets nobody set groups. */
	if (!id_map_is_one(&map) && docker_groups_add_main(p, &e) < 0)
		return docker_fail(d, "%s", e.msg);
	return 0;
}
