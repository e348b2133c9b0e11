/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/scope.h"

#include <sys/stat.h>

#include <slurm/spank.h>

#include "cmd/spank/hold_argv.h"
#include "cmd/spank/home.h"
#include "cmd/spank/keeper.h"
#include "cmd/spank/launch.h"
#include "cmd/spank/plugstack.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

bool spank_scope_has_tasks(spank_t sp, const struct spank_plugstack *site)
{
	uint32_t step;

	/* One that is not known is prepared for, which fails: it must not run outside. */
	if (spank_get_item(sp, S_JOB_STEPID, &step) != ESPANK_SUCCESS)
		return true;
	return step != SPANK_STEP_EXTERN && (step != SPANK_STEP_BATCH || site->sbatch_support);
}

static int find_user(spank_t sp, struct spank_user *ret, char **ret_home, struct err *e)
{
	if (spank_get_item(sp, S_JOB_UID, &ret->uid) != ESPANK_SUCCESS)
		return err_set(e, EINVAL, "SLURM does not say whose job this was");
	return spank_home(ret->uid, ret_home, &ret->gid, e);
}

int spank_scope_end_job(spank_t sp, const struct spank_plugstack *site,
			void (*show)(const char *line), struct err *e)
{
	static char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
	_free_ char *home = NULL, *dir = NULL, *job = NULL;
	const char *csbx = site->csbx_path ? site->csbx_path : CSBX_BINDIR "/csbx";
	struct spank_launch launch = {.path = csbx};
	struct spank_user user = {0};
	struct stat st;
	uint32_t id;
	int r;

	if (spank_get_item(sp, S_JOB_ID, &id) != ESPANK_SUCCESS)
		return err_set(e, EINVAL, "SLURM does not say which job this was");
	r = find_user(sp, &user, &home, e);
	if (r < 0)
		return r;
	dir = str_printf("%s/%u", site->runtime_path, user.uid);
	job = str_printf("--job=%u", id);
	if (!dir || !job)
		return err_set(e, ENOMEM, "could not allocate memory");
	if (lstat(dir, &st) < 0)
		return 0; /* this user never had a container here */
	launch.user = user;
	launch.argv =
		(char *[]){(char *)"csbx", (char *)"__hold", (char *)"--end-job", job, dir, NULL};
	launch.env = (char *[]){home, path, NULL};
	return spank_keeper_run(&launch, show, e) < 0
		       ? err_set(e, ECANCELED, "what the job left could not be removed")
		       : 0;
}
