/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/enroot/conf/expand.h"
#include "cmd/enroot/start/stock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

static const char *get(char *const *host, const char *name)
{
	const char *value = env_list_get(host, name, strlen(name));

	return value && *value ? value : NULL;
}

static bool in_step(char *const *host)
{
	return get(host, "SLURM_JOB_ID") && get(host, "SLURM_STEP_ID");
}

/* PMIx is what the job uses, or may use. */
static bool uses_pmix(char *const *host)
{
	const char *type = get(host, "SLURM_MPI_TYPE");

	if (type && !str_has_prefix(type, "pmix"))
		return false;
	for (; *host; host++) {
		if (str_has_prefix(*host, "PMIX_"))
			return true;
	}
	return false;
}

static void add_named(char *const *host, const char *prefix, struct strv *env)
{
	for (; *host; host++) {
		if (str_has_prefix(*host, prefix) && strchr(*host, '='))
			strv_add(env, *host);
	}
	strv_settle_env(env);
}

static void set_if_unset(struct strv *env, const char *name, const char *value)
{
	_free_ char *text = NULL;

	if (!value || strv_get_env(env, name))
		return;
	text = str_printf("%s=%s", name, value);
	if (text)
		strv_add(env, text);
	else
		env->failed = true;
}

/* Sets the variables that a client of PMIx reads, from those in which its server says what it
 * uses. */
static void add_pmix(char *const *host, struct strv *env)
{
	static const char *const names[][2] = {
		{"PMIX_MCA_ptl", "PMIX_PTL_MODULE"},
		{"PMIX_MCA_psec", "PMIX_SECURITY_MODE"},
		{"PMIX_MCA_gds", "PMIX_GDS_MODULE"},
	};

	add_named(host, "PMIX_", env);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!get(host, names[i][0]))
			set_if_unset(env, names[i][0], get(host, names[i][1]));
	}
}

/*
 * The first name of a list of nodes: "n[03-05,9],m1" has n03 first. The answer of scontrol(1), for
 * the forms that it takes; anything else is left to it.
 */
static char *first_node(const char *list)
{
	size_t name = strcspn(list, ",[");
	size_t number = list[name] == '[' ? strcspn(list + name + 1, "-,]") : 0;

	if (list[name] == '[' && (!number || !list[name + 1 + number]))
		return NULL;
	return str_printf("%.*s%.*s", (int)name, list, (int)number, list + name + (number > 0));
}

#define PORT_BASE 61000u
#define PORT_RANGE 4536u

static uint64_t number_of(char *const *host, const char *name, uint64_t otherwise)
{
	const char *text = get(host, name);
	uint64_t value;

	return text && num_parse_u64(text, UINT32_MAX, &value) >= 0 ? value : otherwise;
}

static void add_pytorch(char *const *host, struct strv *env)
{
	const char *nodes = get(host, "SLURM_STEP_NODELIST");
	_free_ char *master = nodes ? first_node(nodes) : NULL;
	char port[32];

	set_if_unset(env, "MASTER_ADDR", master);
	snprintf(port, sizeof(port), "%llu",
		 (unsigned long long)(number_of(host, "SLURM_JOB_ID", 0) % PORT_RANGE + PORT_BASE));
	set_if_unset(env, "MASTER_PORT", port);
	set_if_unset(env, "WORLD_SIZE", get(host, "SLURM_NTASKS"));
	set_if_unset(env, "RANK", get(host, "SLURM_PROCID"));
	set_if_unset(env, "LOCAL_RANK", get(host, "SLURM_LOCALID"));
	if (number_of(host, "SLURM_STEP_NUM_TASKS", 1) > number_of(host, "SLURM_STEP_NUM_NODES", 1))
		set_if_unset(env, "OMP_NUM_THREADS", "1");
}

int stock_slurm_environ(char *const *host, struct strv *env, struct err *e)
{
	if (!host || !in_step(host))
		return 0;
	add_named(host, "SLURM_", env);
	if (uses_pmix(host))
		add_pmix(host, env);
	add_named(host, "PMI_", env);
	if (strv_get_env(env, "PYTORCH_VERSION"))
		add_pytorch(host, env);
	return strv_check(env, e);
}

/* Slurm's own plugin has a directory for each step, beside the one that PMIx is told of. */
int stock_slurm_pmix_dirs(char *const *host, struct strv *out, struct err *e)
{
	static const char *const places[] = {"PMIX_SYSTEM_TMPDIR", "TMPDIR", "TEMP", "TMP"};
	const char *server = host ? get(host, "PMIX_SERVER_TMPDIR") : NULL, *system = NULL;

	if (!host || !in_step(host) || !uses_pmix(host))
		return 0;
	for (size_t i = 0; !system && i < sizeof(places) / sizeof(places[0]); i++)
		system = get(host, places[i]);
	if (!system || *system != '/')
		system = "/tmp";
	if (get(host, "SLURM_JOB_UID"))
		strv_take(out,
			  str_printf("%s/spmix_appdir_%s_%s.%s", system, get(host, "SLURM_JOB_UID"),
				     get(host, "SLURM_JOB_ID"), get(host, "SLURM_STEP_ID")));
	strv_take(out, str_printf("%s/spmix_appdir_%s.%s", system, get(host, "SLURM_JOB_ID"),
				  get(host, "SLURM_STEP_ID")));
	if (server && *server == '/')
		strv_add(out, server);
	return strv_check(out, e);
}

int stock_slurm_open_pmix(const char *dir, char **ret_real, struct err *e)
{
	struct err why = ERR_INIT;
	_close_ int fd = path_open_source(dir, O_DIRECTORY | O_NOFOLLOW, &why);
	struct stat st;

	if (fd == -ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode) ||
	    (st.st_uid != geteuid() && st.st_uid != 0))
		return err_set(e, EPERM, "%s is left out: it is no directory of yours or root's",
			       dir);
	*ret_real = path_of_open(fd, dir, e);
	return *ret_real ? 1 : -e->code;
}
