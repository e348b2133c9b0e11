/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The SPANK plugin: spank(8), <slurm/spank.h>. pyxis's flags for srun, sbatch and salloc.
 *
 * As little as possible happens in SLURM's processes. srun checks the flags and says what is wrong
 * with them; a text of --multi-prog gets its words there (multi_prog.h). In slurmstepd, once a step
 * and node:
 *
 *	init_post_opt	(root)	 a directory where the step's tasks find their container
 *	user_init	(user)	 fork, drop to the user, exec csbx __hold: imports, creates, starts,
 *				 holds. It is not waited for, so a long import delays the tasks and
 *				 not the daemon (keeper.h)
 *	task_init	(user)	 the task's command becomes csbx-join COMMAND, which waits for the
 *				 container, tells why there is none, or joins it. SLURM goes on with
 *				 the task as with any other: TaskProlog, limits, CPU mask, cgroup
 *				 (task_command.h)
 *	task_exit	(root)	 after the last task the holder is told, saves, cleans up and ends
 *	exit			 the same for a step whose tasks never ran; nothing of the user's is
 *				 left in the daemon's own control group (sweep.h)
 *
 * No container code runs in slurmstepd, and no namespace is entered there: a process that has left
 * root's realm for an image's with the daemon's memory and descriptors in it is what attacks on
 * runtimes are made of.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/spank.h>

#include "cmd/spank/hold_argv.h"
#include "cmd/spank/home.h"
#include "cmd/spank/keeper.h"
#include "cmd/spank/launch.h"
#include "cmd/spank/options.h"
#include "cmd/spank/plugstack.h"
#include "cmd/spank/rundir.h"
#include "cmd/spank/scope.h"
#include "cmd/spank/sweep.h"
#include "cmd/spank/task_command.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/* cppcheck-suppress unknownMacro */
SPANK_PLUGIN(csbx, 1)

#define FAILED (-1)

/* SLURM's callbacks have no argument for it: the one place where the plugin keeps anything. */
static struct plugin {
	struct spank_plugstack site;
	struct spank_options options;
	struct spank_keeper keeper;
	char *user_dir, *step_dir; /* RUNTIME/UID, RUNTIME/UID/STEP */
	struct spank_programs programs;
	uint32_t tasks, ended;
	struct err failure; /* in slurmstepd: the error that the tasks are to fail with */
	bool bad;           /* in srun: an option's callback has said what is wrong */
} plugin = {.keeper = SPANK_KEEPER_INIT};

static int complain(const struct err *e)
{
	slurm_error("csbx: %s", e->msg);
	return FAILED;
}

/*
 * If slurmstepd fails before there is a task, srun says so and ends with 0 nonetheless, and a user
 * who looks at exit codes takes the step for done. So there each task fails in our stead.
 */
static int fail(const struct err *e)
{
	if (spank_context() != S_CTX_REMOTE)
		return complain(e);
	if (!plugin.failure.code)
		plugin.failure = *e;
	return 0;
}

/*
 * --- options ------------------------------------------------------------------------------------
 */

static int take_option(int val, const char *arg, int remote)
{
	struct err e = ERR_INIT;

	(void)remote;
	if (spank_options_set(&plugin.options, (enum spank_opt)val, arg, &e) >= 0)
		return 0;
	plugin.bad = true;
	return fail(&e);
}

static int register_options(spank_t sp)
{
	for (int i = 0; i < SPANK_OPT_MAX; i++) {
		const struct spank_flag *f = &spank_flags[i];
		struct spank_option o = {
			(char *)f->name, (char *)f->arg, (char *)f->usage, f->arg != NULL, i,
			take_option};

		if (spank_option_register(sp, &o) != ESPANK_SUCCESS) {
			slurm_error("csbx: could not register --%s", f->name);
			return FAILED;
		}
	}
	return 0;
}

/* The job's variables in slurmstepd, the process's own in srun. */
static const char *variable(void *ctx, const char *name)
{
	static char buf[SPANK_VALUE_MAX + 2];
	spank_err_t r;

	if (spank_context() != S_CTX_REMOTE)
		return getenv(name);
	r = spank_getenv((spank_t)ctx, name, buf, sizeof(buf));
	if (r != ESPANK_NOSPACE)
		return r == ESPANK_SUCCESS ? buf : NULL;
	/* Not for absent: the step would run outside. It is refused for its length. */
	memset(buf, 'x', sizeof(buf) - 1);
	return buf;
}

/*
 * --- the step's directory -----------------------------------------------------------------------
 */

static int get_step(spank_t sp, struct spank_step *ret, struct err *e)
{
	if (spank_get_item(sp, S_JOB_ID, &ret->job) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_STEPID, &ret->step) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_NODEID, &ret->node) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_LOCAL_TASK_COUNT, &ret->tasks) != ESPANK_SUCCESS)
		return err_set(e, EINVAL, "SLURM does not say which step this is");
	ret->dir = plugin.step_dir;
	return 0;
}

/* As root, before anything is the user's. */
static int prepare_step(spank_t sp, struct err *e)
{
	struct spank_step step = {0};
	char name[64];
	uid_t uid;
	gid_t gid;
	int r = get_step(sp, &step, e);

	if (r >= 0 && (spank_get_item(sp, S_JOB_UID, &uid) != ESPANK_SUCCESS ||
		       spank_get_item(sp, S_JOB_GID, &gid) != ESPANK_SUCCESS))
		r = err_set(e, EINVAL, "SLURM does not say whose step this is");
	if (r >= 0)
		r = spank_programs_find(&plugin.site, &plugin.programs, e);
	if (r >= 0)
		r = spank_rundir_prepare(plugin.site.runtime_path, uid, gid, &plugin.user_dir, e);
	if (r >= 0 && !geteuid() && !str_eq(plugin.site.runtime_path, SPANK_RUNTIME_DIR))
		r = spank_rundir_tell(SPANK_RUNTIME_DIR, plugin.site.runtime_path, e);
	if (r < 0)
		return r;
	spank_step_name(&step, name);
	plugin.tasks = step.tasks;
	plugin.step_dir = str_printf("%s/%s", plugin.user_dir, name);
	return plugin.step_dir ? 0 : err_set(e, ENOMEM, "could not allocate memory");
}

/*
 * --- the step's container -----------------------------------------------------------------------
 */

static void show_line(const char *line)
{
	slurm_spank_log("%s%s", str_has_prefix(line, "csbx: ") ? "" : "csbx: ", line);
}

static int get_user(spank_t sp, struct spank_user *ret, struct err *e)
{
	gid_t *groups = NULL;
	int n = 0;

	if (spank_get_item(sp, S_JOB_UID, &ret->uid) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_GID, &ret->gid) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_SUPPLEMENTARY_GIDS, &groups, &n) != ESPANK_SUCCESS || n < 0)
		return err_set(e, EINVAL, "SLURM does not say whose step this is");
	ret->groups = groups;
	ret->n_groups = (size_t)n;
	return 0;
}

/* The script of sbatch lies in slurmd's own directory: the container is shown that one file. */
static int mount_script(spank_t sp, const struct spank_step *step, struct err *e)
{
	_free_ char *entry = NULL;
	char **argv = NULL;
	int argc = 0;

	if (step->step != SPANK_STEP_BATCH)
		return 0;
	if (spank_get_item(sp, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS || argc < 1 || !argv ||
	    !argv[0] || *argv[0] != '/')
		return err_set(e, EINVAL, "SLURM does not say where the batch script is");
	entry = str_printf("%s:%s:ro", argv[0], argv[0]);
	return entry ? spank_options_set(&plugin.options, SPANK_MOUNTS, entry, e)
		     : err_set(e, ENOMEM, "could not allocate memory");
}

/* A user unknown to the node may have all necessary values in variables of csbx's. */
static int add_home(uid_t uid, struct strv *env, struct err *e)
{
	struct err unknown = ERR_INIT;
	char *home = NULL;
	gid_t gid;

	if (strv_get_env(env, "HOME") || spank_home(uid, &home, &gid, &unknown) < 0)
		return 0;
	strv_take(env, home);
	return strv_check(env, e);
}

struct hold_call {
	struct spank_launch launch;
	struct strv argv, env;
};

static void free_call(struct hold_call *c)
{
	strv_free(&c->argv);
	strv_free(&c->env);
}

/* free_call() in any case. */
static int make_call(spank_t sp, bool is_over, struct hold_call *ret, struct err *e)
{
	struct spank_step step = {.is_over = is_over};
	char **job_env = NULL;
	int r;

	*ret = (struct hold_call){.launch.path = plugin.programs.csbx};
	r = get_user(sp, &ret->launch.user, e);
	if (r >= 0)
		r = get_step(sp, &step, e);
	if (r >= 0 && spank_get_item(sp, S_JOB_ENV, &job_env) != ESPANK_SUCCESS)
		r = err_set(e, EINVAL, "SLURM does not give the job's environment");
	if (r >= 0)
		r = mount_script(sp, &step, e);
	if (r >= 0)
		r = spank_hold_argv(&plugin.site, &plugin.options, &step, &ret->argv, e);
	if (r >= 0)
		r = spank_hold_env(job_env, &ret->env, e);
	if (r >= 0)
		r = add_home(ret->launch.user.uid, &ret->env, e);
	ret->launch.argv = ret->argv.items;
	ret->launch.env = ret->env.items;
	return r;
}

static int start_keeper(spank_t sp, struct err *e)
{
	struct hold_call call;
	int r = make_call(sp, false, &call, e);

	if (r >= 0)
		r = spank_keeper_start(&plugin.keeper, &call.launch, e);
	free_call(&call);
	return r;
}

/* The holder was killed, and what it should have removed is left: another one does it. */
static void end_step(spank_t sp)
{
	struct err e = ERR_INIT;
	struct hold_call call;

	if (make_call(sp, true, &call, &e) < 0 || spank_keeper_run(&call.launch, show_line, &e) < 0)
		complain(&e);
	free_call(&call);
}

static bool is_active(void)
{
	return spank_options_active(&plugin.options) && plugin.step_dir;
}

/* Once a node: what the holder printed, then the reason. */
static int tell_failure(spank_t sp)
{
	int task = 0;

	if (spank_get_item(sp, S_TASK_ID, &task) == ESPANK_SUCCESS && task != 0)
		return FAILED;
	spank_keeper_show(&plugin.keeper, show_line);
	return complain(&plugin.failure);
}

/* For `csbx join JOB.STEP`, which knows the usual place alone. */
static void tell_runtime_path(spank_t sp)
{
	if (!str_eq(plugin.site.runtime_path, SPANK_RUNTIME_DIR))
		spank_setenv(sp, "SPANK_CSBX_STEPS", plugin.site.runtime_path, 1);
}

/*
 * --- what SLURM calls ---------------------------------------------------------------------------
 */

static bool is_job_context(void)
{
	spank_context_t c = spank_context();

	return c == S_CTX_LOCAL || c == S_CTX_ALLOCATOR || c == S_CTX_REMOTE;
}

int slurm_spank_init(spank_t sp, int ac, char **av)
{
	struct err e = ERR_INIT;
	int r = 0;

	if (spank_plugstack_parse(&plugin.site, ac, av, &e) < 0)
		r = fail(&e);
	/*
	 * A node that a word too many in its configuration drains would be lost to every other job.
	 */
	if (!is_job_context())
		return 0;
	if (r < 0)
		return r;
	if (spank_context() == S_CTX_ALLOCATOR && !plugin.site.sbatch_support)
		return 0;
	return register_options(sp);
}

int slurm_spank_init_post_opt(spank_t sp, int ac, char **av)
{
	struct err e = ERR_INIT;

	(void)ac;
	(void)av;
	if (!is_job_context() || plugin.failure.code)
		return 0;
	if (plugin.bad)
		return FAILED;
	if (spank_options_finish(&plugin.options, variable, sp, &e) < 0)
		return fail(&e);
	if (spank_context() != S_CTX_REMOTE || !spank_options_active(&plugin.options) ||
	    !spank_scope_has_tasks(sp, &plugin.site))
		return 0;
	return prepare_step(sp, &e) < 0 ? fail(&e) : 0;
}

/* In srun, once the step is known and before it is begun. */
int slurm_spank_local_user_init(spank_t sp, int ac, char **av)
{
	struct err e = ERR_INIT;

	(void)ac;
	(void)av;
	if (!spank_options_active(&plugin.options))
		return 0;
	return spank_multi_prog_prepend(sp, &plugin.site, &plugin.programs, &e) < 0 ? fail(&e) : 0;
}

int slurm_spank_user_init(spank_t sp, int ac, char **av)
{
	struct err e = ERR_INIT;

	(void)ac;
	(void)av;
	if (!plugin.failure.code && is_active() && start_keeper(sp, &e) < 0)
		return fail(&e);
	return 0;
}

int slurm_spank_task_init(spank_t sp, int ac, char **av)
{
	struct err e = ERR_INIT;

	(void)ac;
	(void)av;
	if (plugin.failure.code)
		return tell_failure(sp);
	tell_runtime_path(sp);
	if (!is_active())
		return 0;
	return spank_task_command_prepend(sp, &plugin.programs, plugin.step_dir, &e) < 0
		       ? complain(&e)
		       : 0;
}

static int finish(spank_t sp)
{
	struct err e = ERR_INIT;
	int r;

	if (plugin.keeper.life_fd < 0 || plugin.failure.code)
		return 0;
	r = spank_keeper_finish(&plugin.keeper, plugin.options.save, &e);
	spank_keeper_show(&plugin.keeper, show_line);
	spank_keeper_close(&plugin.keeper);
	if (r > 0 && plugin.options.save)
		err_set(&e, ECANCELED,
			"--container-save: not saved, the container's holder was killed");
	if (r > 0 || r == -ETIMEDOUT)
		end_step(sp);
	spank_sweep();
	return e.code ? complain(&e) : 0;
}

int slurm_spank_task_exit(spank_t sp, int ac, char **av)
{
	(void)ac;
	(void)av;
	if (!is_active() || ++plugin.ended < plugin.tasks)
		return 0;
	return finish(sp);
}

/* Says what went wrong and never fails: SLURM drains a node whose epilog does. */
int slurm_spank_job_epilog(spank_t sp, int ac, char **av)
{
	struct spank_plugstack site;
	struct err e = ERR_INIT;
	int r = spank_plugstack_parse(&site, ac, av, &e);

	if (r >= 0)
		r = spank_scope_end_job(sp, &site, show_line, &e);
	if (r < 0)
		complain(&e);
	spank_plugstack_free(&site);
	return 0;
}

static void forget(void)
{
	spank_options_free(&plugin.options);
	spank_plugstack_free(&plugin.site);
	spank_keeper_close(&plugin.keeper);
	free(plugin.user_dir);
	free(plugin.step_dir);
	spank_programs_free(&plugin.programs);
	plugin = (struct plugin){.keeper = SPANK_KEEPER_INIT};
}

int slurm_spank_exit(spank_t sp, int ac, char **av)
{
	int r = 0;

	(void)ac;
	(void)av;
	if (spank_context() == S_CTX_REMOTE) {
		r = finish(sp);
		if (plugin.step_dir)
			spank_sweep();
	}
	forget();
	return r;
}
