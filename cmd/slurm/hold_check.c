/* SPDX-License-Identifier: Apache-2.0 */

/* Refuses impossible wishes in words that name the flag or the variable. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/slurm/hold_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/settings/config.h"

int hold_check_sources(const struct hold *h, struct err *e)
{
	for (size_t i = 0; i < h->a.sources.n; i++) {
		if (access(h->a.sources.items[i], F_OK) < 0)
			return err_sys(e, "--container-mounts: %s", h->a.sources.items[i]);
	}
	return 0;
}

int hold_open_save(struct hold *h, struct err *e)
{
	const char *slash = h->a.save ? strrchr(h->a.save, '/') : NULL;
	_free_ char *dir =
		slash ? str_printf("%.*s", (int)(slash - h->a.save) + 1, h->a.save) : strdup(".");
	struct err why = ERR_INIT;

	if (!h->a.save)
		return 0;
	if (!dir)
		return err_oom(e);
	h->save_dir = path_open_output_dir(dir, NULL, &why);
	if (h->save_dir >= 0)
		return 0;
	return err_set(e, why.code, "--container-save: %s", why.msg);
}

/*
 * --- a container that has a supervisor ----------------------------------------------------------
 */

/* The setting that asks for one, NULL: it is none of the usual. */
static const char *supervised_by(const struct config *config)
{
	static const struct {
		const char *name, *value; /* NULL: any */
	} settings[] = {
		{"CSBX_MEMORY", NULL},     {"CSBX_CPUS", NULL},
		{"CSBX_PIDS_LIMIT", NULL}, {"CSBX_TIMEOUT", NULL},
		{"CSBX_MAX_OUTPUT", NULL}, {"CSBX_MAX_OUTPUT_KILL", NULL},
		{"CSBX_LIMITS", "strict"}, {"CSBX_ENROOT_PROFILE", "sandbox"},
		{"CSBX_USERNS", NULL},     {"CSBX_TTY", NULL},
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const char *value = config_get(config, settings[i].name);

		if (value && (!settings[i].value || str_eq(value, settings[i].value)))
			return settings[i].name;
	}
	return NULL;
}

int hold_explain_supervisor(const struct hold *h, const struct config *config, struct err *e)
{
	const char *setting = supervised_by(config);
	siginfo_t ended = {0};

	if (waitid(P_PID, (id_t)h->child, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || ended.si_pid)
		return -e->code;
	*e = (struct err)ERR_INIT;
	return err_set(
		e, EINVAL,
		"%s: a container with limits or a profile of csbx's own has a supervisor, and "
		"tasks cannot join it; leave it out, a step's limits are SLURM's",
		setting ? setting : "csbx's configuration");
}

/*
 * --- a container that runs already --------------------------------------------------------------
 */

static bool is_shared(pid_t pid, const char *name)
{
	_free_ char *its = str_printf("/proc/%d/ns/%s", pid, name);
	_free_ char *own = str_printf("/proc/self/ns/%s", name);
	struct stat a, b;

	return !its || !own || stat(its, &a) < 0 || stat(own, &b) < 0 || a.st_ino == b.st_ino;
}

static int check_namespace(const struct hold *h, int choice, pid_t pid, const char *name,
			   struct err *e)
{
	if (choice != HOLD_YES || !is_shared(pid, name))
		return 0;
	return err_set(
		e, EINVAL,
		"--container-unshare: the container \"%s\" is running without a %s namespace "
		"of its own",
		h->a.name, name);
}

int hold_check_running(const struct hold *h, pid_t pid, struct err *e)
{
	const struct {
		bool given;
		const char *flag;
	} idle[] = {
		{h->a.mounts.n > 0, "--container-mounts"},
		{h->a.mount_home != HOLD_UNSET, "--[no-]container-mount-home"},
		{h->a.remap_root != HOLD_UNSET, "--[no-]container-remap-root"},
		{h->a.writable == HOLD_YES, "--container-writable"},
		{h->a.writable == HOLD_NO, "--container-readonly"},
		{h->a.entrypoint == HOLD_YES, "--container-entrypoint"},
	};
	int r = check_namespace(h, h->a.net, pid, "net", e);

	if (r >= 0)
		r = check_namespace(h, h->a.ipc, pid, "ipc", e);
	if (r >= 0)
		r = check_namespace(h, h->a.uts, pid, "uts", e);
	if (r >= 0 && h->a.save)
		r = err_set(e, EBUSY,
			    "--container-save: the container \"%s\" is running; the step that "
			    "started it can save it",
			    h->a.name);
	for (size_t i = 0; r >= 0 && i < sizeof(idle) / sizeof(idle[0]); i++) {
		if (idle[i].given)
			cmd_warn("%s: of no effect, the container runs", idle[i].flag);
	}
	return r;
}
