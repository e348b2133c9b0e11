/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <grp.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/verb/gc_job.h"
#include "runtime/base/err.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/life/gc.h"
#include "runtime/settings/config.h"

static bool read_id(const char *variable, uint64_t *ret)
{
	const char *v = getenv(variable);

	return v && num_parse_u64(v, UINT32_MAX - 1, ret) >= 0;
}

bool gc_job_is_epilog(void)
{
	uint64_t uid;

	return geteuid() == 0 && read_id("SLURM_JOB_UID", &uid) && uid != 0;
}

/*
 * All ids at once and for good: from here on nothing of the user's is touched with root's rights.
 */
static int become(struct err *e)
{
	uint64_t uid, gid;
	gid_t group;

	if (!read_id("SLURM_JOB_UID", &uid) || !read_id("SLURM_JOB_GID", &gid))
		return err_set(e, EINVAL, "SLURM_JOB_UID and SLURM_JOB_GID are not both set");
	group = (gid_t)gid;
	if (setgroups(1, &group) < 0 || setresgid(group, group, group) < 0 ||
	    setresuid((uid_t)uid, (uid_t)uid, (uid_t)uid) < 0)
		return err_sys(e, "become user %u", (unsigned)uid);
	if (!setresuid(0, 0, 0) || geteuid() != (uid_t)uid || getegid() != group)
		return err_set(e, EPERM, "become user %u: still somebody else", (unsigned)uid);
	return 0;
}

/* His home may be on a file system that the node cannot reach now; nothing there is node-local. */
static int leave_home(struct err *e)
{
	static const char *const gone[] = {"XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
					   "XDG_RUNTIME_DIR"};
	int r = setenv("HOME", "/nonexistent", 1);

	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		r |= unsetenv(gone[i]);
	return r ? err_oom(e) : 0;
}

/*
 * Any user may have taken a name in /tmp, and the job's may close what is his: csbx has nothing of
 * the job's there, or cannot see it. An Epilog that fails for it would have the node drained.
 */
static int pass_over(int r, struct err *e)
{
	if (r >= 0 || r == -ENOMEM)
		return r;
	cmd_warn("gc: %s; it is left as it is", e->msg);
	*e = (struct err)ERR_INIT;
	return 0;
}

/* Takes runtime, where the Epilog has not named a runtime path itself. */
static int sweep(struct cmd *c, const struct gc_request *q, char *runtime, struct gc_report *ret,
		 struct err *e)
{
	const char *own = config_get(c->config, "CSBX_RUNTIME_PATH");
	struct gc_report here;
	int r;

	paths_free(&c->paths);
	r = runtime ? paths_init(&c->paths, c->config, e) : err_oom(e);
	if (r < 0 || (own && *own)) {
		free(runtime);
	} else {
		free(c->paths.runtime);
		c->paths.runtime = runtime;
	}
	if (r < 0)
		return r;
	r = pass_over(gc_run(&c->paths, q, &here, e), e);
	for (size_t i = 0; i < here.n; i++) {
		if (!gc_report_add(ret, here.items[i].kind, here.items[i].path,
				   here.items[i].failed))
			r = err_oom(e);
		here.items[i].path = NULL;
	}
	gc_report_free(&here);
	return r;
}

int gc_job_epilog(struct cmd *c, const struct gc_request *q, struct gc_report *ret, struct err *e)
{
	char session[32];
	int r = become(e);

	*ret = (struct gc_report){0};
	if (r >= 0)
		r = leave_home(e);
	if (r >= 0)
		r = sweep(c, q, str_printf("/tmp/csbx-%u", geteuid()), ret, e);
	snprintf(session, sizeof(session), "/run/user/%u", geteuid());
	if (r < 0 || access(session, X_OK) < 0)
		return r;
	return sweep(c, q, str_printf("%s/csbx", session), ret, e);
}
