/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/groups.h"

#include <stdlib.h>

#include "cmd/docker/frame/fault.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"
#include "runtime/spec/user.h"
#include "runtime/userns/userns.h"

static int find_gid(const char *name, const struct user_db *db, uint32_t *ret,
		    struct docker_fault *f)
{
	_free_ char *spec = str_printf("0:%s", name);
	struct user found = USER_INIT;
	int r;

	if (!spec)
		return err_oom(&f->err);
	r = *name ? user_resolve(db, spec, &found, &f->err) : -ENOENT;
	*ret = found.gid;
	user_free(&found);
	if (r == -ENOENT)
		return docker_refuse(
			f, "Unable to find group %s: no matching entries in group file", name);
	return r < 0 ? docker_fault_is(f, DOCKER_BAD_REQUEST,
				       err_wrap(&f->err, "--group-add %s", name))
		     : 0;
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
	return add(p, p->gid) < 0 ? err_oom(e) : 0;
}

int docker_groups_add(const struct strv *asked, const struct user_db *db, struct container_spec *s,
		      struct docker_fault *f)
{
	struct process_spec *p = &s->proc;
	struct id_map map;
	int r;

	if (p->keep_groups)
		return 0;
	r = userns_map_for(p->uid, p->gid, s->ns.userns, &map, &f->err);
	for (size_t i = 0; r >= 0 && i < asked->n; i++) {
		uint32_t gid = 0;

		r = find_gid(asked->items[i], db, &gid, f);
		if (r < 0)
			return r;
		if (!id_extents_have(map.gid, map.n_gid, gid))
			return docker_refuse_early(f,
						   "--group-add %s: csbx has no group %u for you "
						   "here: it takes ranges in /etc/subgid that hold "
						   "so many",
						   asked->items[i], gid);
		if (p->n_groups >= USER_GROUPS_MAX || add(p, gid) < 0)
			return docker_refuse_early(f, "--group-add: too many groups");
	}
	if (r < 0)
		return r;
	/* With one id the kernel lets no process set groups. */
	return id_map_is_one(&map) ? 0 : docker_groups_add_main(p, &f->err);
}
