/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/task_command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/spank.h>

#include "cmd/spank/multi_prog.h"
#include "cmd/spank/plugstack.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

#ifndef CSBX_SPANK_PREPENDS
#define CSBX_SPANK_PREPENDS (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0))
#endif
#if CSBX_SPANK_PREPENDS && SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
extern spank_err_t spank_prepend_task_argv(spank_t spank, int argc, const char *argv[]);
#endif

int spank_programs_find(const struct spank_plugstack *site, struct spank_programs *ret,
			struct err *e)
{
	const char *csbx = site->csbx_path ? site->csbx_path : CSBX_BINDIR "/csbx";
	const char *slash = strrchr(csbx, '/');

	ret->csbx = str_printf("%s", csbx);
	ret->join = str_printf("%.*s/csbx-join", (int)(slash - csbx), csbx);
	if (ret->join && access(ret->join, X_OK) < 0) {
		free(ret->join);
		ret->join = str_printf("%s/csbx-join", CSBX_LIBEXECDIR);
	}
	if (!ret->csbx || !ret->join)
		return err_set(e, ENOMEM, "could not allocate memory");
	if (access(ret->csbx, X_OK) < 0)
		return err_sys(e, "%s", ret->csbx);
	if (access(ret->join, X_OK) < 0)
		return err_sys(e, "%s", ret->join);
	return 0;
}

void spank_programs_free(struct spank_programs *p)
{
	free(p->csbx);
	free(p->join);
	*p = (struct spank_programs){0};
}

#if CSBX_SPANK_PREPENDS
int spank_task_command_prepend(spank_t sp, const struct spank_programs *p, const char *step_dir,
			       struct err *e)
{
	const char *words[] = {p->csbx, "join", step_dir, "--"};

	if (spank_prepend_task_argv(sp, 4, words) != ESPANK_SUCCESS)
		return err_set(e, EINVAL, "could not put csbx join before the task's command");
	return 0;
}

int spank_multi_prog_prepend(spank_t sp, const struct spank_plugstack *site,
			     struct spank_programs *p, struct err *e)
{
	(void)sp;
	(void)site;
	(void)p;
	(void)e;
	return 0;
}
#else
/* Each task of --multi-prog has a command of its own, which srun has put words before. */
static int check_multi_prog(spank_t sp, int argc, char *const *argv, struct err *e)
{
	if (!spank_multi_prog_is_wrapped(argc, argv))
		return err_set(e, EINVAL,
			       "--multi-prog: srun has not the same plugin as this node");
	spank_unsetenv(sp, "SPANK_CSBX_COMMAND");
	return 0;
}

int spank_task_command_prepend(spank_t sp, const struct spank_programs *p, const char *step_dir,
			       struct err *e)
{
	char **argv = NULL, **again = NULL;
	int argc = 0, n = 0;
	char *join;

	if (spank_get_item(sp, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS || argc < 1 || !argv ||
	    !argv[0])
		return err_set(e, EINVAL, "the task has no command");
	if (spank_setenv(sp, "SPANK_CSBX_STEP", step_dir, 1) != ESPANK_SUCCESS ||
	    spank_setenv(sp, "SPANK_CSBX_COMMAND", argv[0], 1) != ESPANK_SUCCESS)
		return err_set(e, EINVAL, "could not set the task's environment");
	if (spank_multi_prog_is_wrapped(argc, argv) || spank_multi_prog_is(argc, argv))
		return check_multi_prog(sp, argc, argv, e);
	join = str_printf("%s", p->join);
	if (!join)
		return err_set(e, ENOMEM, "could not allocate memory");
	argv[0] = join; /* of a process that is about to be the task: no process frees it */
	if (spank_get_item(sp, S_JOB_ARGV, &n, &again) != ESPANK_SUCCESS || again != argv ||
	    again[0] != join)
		return err_set(e, EINVAL, "this SLURM gives a copy of the task's command");
	return 0;
}

int spank_multi_prog_prepend(spank_t sp, const struct spank_plugstack *site,
			     struct spank_programs *p, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	char **argv = NULL;
	int argc = 0, r;

	/* The array is the one that srun sends to the nodes. */
	if (spank_get_item(sp, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS || !argv ||
	    !spank_multi_prog_is(argc, argv))
		return 0;
	r = spank_programs_find(site, p, e);
	if (r >= 0)
		r = spank_multi_prog_wrap(argv[1], p->join, &text, e);
	if (r < 0)
		return err_wrap(e, "--multi-prog");
	argv[1] = strbuf_take(&text); /* srun's from here on, which ends without freeing it */
	return 0;
}
#endif
