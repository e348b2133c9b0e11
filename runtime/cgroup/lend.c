/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cgroup/lend.h"

#include <fcntl.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/cgroup/cgroup.h"

#define RUN_ID "run"

int cgroup_lend(const struct cgroup *cg, const char *id, struct cgroup_parent *ret, struct err *e)
{
	_free_ char *path = cgroup_path(&cg->parent, id);
	int r = path ? cgroup_parent_open(path, cg->holds, ret, e) : err_oom(e);

	for (unsigned bit = 1; r >= 0 && bit & CGROUP_ALL; bit <<= 1) {
		if (cg->holds & bit)
			r = cgroup_change_limit(cg, bit, 0);
		if (r < 0)
			return err_code(e, r, "%s: lift a limit", path);
	}
	if (r >= 0 && (ret->offers & cg->holds) != cg->holds)
		r = err_set(e, EOPNOTSUPP, "%s: offers less than it has", path);
	return r;
}

int cgroup_make_run(const struct cgroup *cg, const struct cgroup_parent *lent,
		    const struct limit_spec *limits, unsigned need, struct cgroup *ret,
		    struct err *e)
{
	struct cgroup_parent parent = {
		.fd = fcntl(lent->fd, F_DUPFD_CLOEXEC, 3),
		.path = strdup(lent->path),
		.offers = lent->offers,
		.rule = lent->rule,
	};
	int r;

	if (parent.fd < 0 || !parent.path) {
		cgroup_parent_close(&parent);
		return err_oom(e);
	}
	r = cgroup_make_alone(ret, &parent, RUN_ID, limits, need, e);
	if (r >= 0 && ret->holds != cg->holds) {
		(void)cgroup_remove(ret, NULL);
		r = err_set(e, EOPNOTSUPP, "%s: a controller was taken away", lent->path);
	}
	return r;
}

uint64_t cgroup_kept_bytes(const struct cgroup *cg, uint64_t enough)
{
	char text[8192];
	uint64_t bytes, files;

	if (!(cg->parent.offers & CGROUP_MEMORY) ||
	    cgroup_read(cg->limit_fd, "memory.current", text, sizeof(text)) < 0)
		return 0;
	bytes = cgroup_parse_number(text);
	/* The kernel walks over its CPUs for this. */
	if (bytes <= enough || cgroup_read(cg->limit_fd, "memory.stat", text, sizeof(text)) < 0)
		return bytes;
	files = cgroup_parse_key(text, "active_file") + cgroup_parse_key(text, "inactive_file");
	return bytes > files ? bytes - files : 0;
}
