/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/hold_argv.h"

#include <stdio.h>

#include "cmd/spank/options.h"
#include "cmd/spank/plugstack.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define SAFE_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

void spank_step_name(const struct spank_step *s, char ret[64])
{
	if (s->step == SPANK_STEP_BATCH)
		snprintf(ret, 64, "%u.batch.%u", s->job, s->node);
	else if (s->step == SPANK_STEP_INTERACTIVE)
		snprintf(ret, 64, "%u.interactive.%u", s->job, s->node);
	else
		snprintf(ret, 64, "%u.%u.%u", s->job, s->step, s->node);
}

static void add(struct strv *v, const char *flag, const char *value)
{
	if (value)
		strv_take(v, str_printf("--%s=%s", flag, value));
}

static void add_choice(struct strv *v, const char *flag, enum spank_choice c)
{
	if (c != SPANK_UNSET)
		add(v, flag, c == SPANK_YES ? "yes" : "no");
}

static void add_lists(struct strv *v, const struct spank_options *o)
{
	for (size_t i = 0; i < o->mounts.n; i++)
		add(v, "mount", o->mounts.items[i]);
	for (size_t i = 0; i < o->sources.n; i++)
		add(v, "source", o->sources.items[i]);
	for (size_t i = 0; i < o->env.n; i++)
		add(v, "env", o->env.items[i]);
}

/* The name in the store: pyxis's, so that what it made is found, by sweepers of sites too. */
static void add_name(struct strv *v, const struct spank_plugstack *site,
		     const struct spank_options *o, const struct spank_step *step)
{
	static const char *const how[] = {"auto", "create", "exec", "no_exec"};

	if (!o->name)
		return;
	if (site->job_scope)
		strv_take(v, str_printf("--name=pyxis_%u_%s", step->job, o->name));
	else
		strv_take(v, str_printf("--name=pyxis_%s", o->name));
	add(v, "how", how[o->name_how]);
	if (site->job_scope)
		add(v, "scope", "job");
}

int spank_hold_argv(const struct spank_plugstack *site, const struct spank_options *o,
		    const struct spank_step *step, struct strv *ret, struct err *e)
{
	enum spank_choice entry = o->entrypoint;

	if (entry == SPANK_UNSET)
		entry = site->execute_entrypoint ? SPANK_YES : SPANK_NO;
	strv_add(ret, "csbx");
	strv_add(ret, "__hold");
	if (step->is_over)
		strv_add(ret, "--end-step");
	strv_take(ret, str_printf("--job=%u", step->job));
	strv_take(ret, str_printf("--tasks=%u", step->tasks));
	add(ret, "image", o->image);
	add(ret, "importer", site->importer);
	add_name(ret, site, o, step);
	add_lists(ret, o);
	add(ret, "workdir", o->workdir);
	add(ret, "save", o->save);
	add_choice(ret, "mount-home", o->mount_home);
	add_choice(ret, "remap-root", o->remap_root);
	add_choice(ret, "writable", o->writable);
	add_choice(ret, "entrypoint", entry);
	add_choice(ret, "entrypoint-log", o->entrypoint_log);
	add(ret, "net", o->unshare & SPANK_UNSHARE_NET ? "yes" : NULL);
	add(ret, "ipc", o->unshare & SPANK_UNSHARE_IPC ? "yes" : NULL);
	add(ret, "uts", o->unshare & SPANK_UNSHARE_UTS ? "yes" : NULL);
	strv_add(ret, step->dir);
	return strv_check(ret, e);
}

/* One task's, or the site's. A word that ends in "=" is a whole name, else a name begins so. */
static const char *const not_passed[] = {
	"LD_",
	"GLIBC_TUNABLES=",
	"PATH=",
	"BASH_ENV=",
	"ENV=",
	"IFS=",
	"SPANK_CSBX_",
	"SLURM_PROCID=",
	"SLURM_LOCALID=",
	"SLURM_TASK_PID=",
	"SLURM_GTIDS=",
	"PMI_RANK=",
	"PMI_FD=",
	"PMIX_RANK=",
	"ENROOT_LIBRARY_PATH=",
	"ENROOT_SYSCONF_PATH=",
	"ENROOT_RUNTIME_PATH=",
	"ENROOT_CACHE_PATH=",
	"ENROOT_DATA_PATH=",
	"ENROOT_TEMP_PATH=",
	"ENROOT_ALLOW_HTTP=",
	"ENROOT_ZSTD_OPTIONS=",
	"ENROOT_TRANSFER_RETRIES=",
	"ENROOT_CONNECT_TIMEOUT=",
	"ENROOT_MAX_CONNECTIONS=",
};

static bool is_passed(const char *assignment)
{
	if (*assignment == '=' || !strchr(assignment, '='))
		return false;
	for (size_t i = 0; i < sizeof(not_passed) / sizeof(not_passed[0]); i++) {
		if (str_has_prefix(assignment, not_passed[i]))
			return false;
	}
	return true;
}

int spank_hold_env(char *const *job_env, struct strv *ret, struct err *e)
{
	strv_add(ret, SAFE_PATH);
	for (; job_env && *job_env; job_env++) {
		if (is_passed(*job_env))
			strv_add(ret, *job_env);
	}
	return strv_check(ret, e);
}
