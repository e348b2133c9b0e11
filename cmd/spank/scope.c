/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/scope.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <slurm/spank.h>

#include "cmd/spank/hold_argv.h"
#include "cmd/spank/home.h"
#include "cmd/spank/keeper.h"
#include "cmd/spank/launch.h"
#include "cmd/spank/plugstack.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define EPILOG_TIMEOUT_MS 60000

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

/* A store on a file server that hangs must not keep the node from its next job. */
static int wait_for(pid_t pid)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	int status;

	if (p.fd < 0 || poll(&p, 1, EPILOG_TIMEOUT_MS) != 1)
		kill(pid, SIGKILL);
	if (p.fd >= 0)
		close(p.fd);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECANCELED;
}

static int run_gc(const struct spank_user *user, const char *path, char *const *argv,
		  char *const *env, void (*show)(const char *line), struct err *e)
{
	struct spank_keeper output = SPANK_KEEPER_INIT;
	struct spank_launch l = {*user, path, argv, env, .life_fd = -1};
	pid_t pid;
	int r;

	output.out_fd = memfd_create("csbx-epilog", MFD_CLOEXEC);
	if (output.out_fd < 0)
		return err_sys(e, "memfd_create");
	l.out_fd = output.out_fd;
	r = spank_launch(&l, &pid, e);
	if (r >= 0 && wait_for(pid) < 0)
		r = err_set(e, ECANCELED, "what the job left could not be removed");
	spank_keeper_show(&output, show);
	spank_keeper_close(&output);
	return r;
}

int spank_scope_end_job(spank_t sp, const struct spank_plugstack *site,
			void (*show)(const char *line), struct err *e)
{
	static char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
	_free_ char *home = NULL, *dir = NULL, *job = NULL;
	const char *csbx = site->csbx_path ? site->csbx_path : CSBX_BINDIR "/csbx";
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
	return run_gc(
		&user, csbx,
		(char *[]){(char *)"csbx", (char *)"__hold", (char *)"--end-job", job, dir, NULL},
		(char *[]){home, path, NULL}, show, e);
}
