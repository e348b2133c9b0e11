/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/slurm/step_env.h"

#include <stdbool.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

static bool in_list(const struct strv *names, const char *assignment)
{
	for (size_t i = 0; i < names->n; i++) {
		size_t len = strlen(names->items[i]);

		if (!strncmp(assignment, names->items[i], len) && assignment[len] == '=')
			return true;
	}
	return false;
}

/* Words that end in "=" are whole names. */
static bool begins(const char *const *words, const char *assignment)
{
	for (; *words; words++) {
		if (str_has_prefix(assignment, *words))
			return true;
	}
	return false;
}

/* The plugin's own, and what describes the host's files. */
static bool is_dropped(const char *assignment)
{
	static const char *const words[] = {"SPANK_CSBX_", "LANG=", "LANGUAGE=", "LC_ALL=", NULL};

	return begins(words, assignment);
}

static bool is_tasks_own(const char *assignment)
{
	static const char *const words[] = {"SLURM_",
					    "SLURMD_",
					    "PMI_",
					    "PMIX_",
					    "PMI2_",
					    "RANK=",
					    "LOCAL_RANK=",
					    "CUDA_VISIBLE_DEVICES=",
					    "ROCR_VISIBLE_DEVICES=",
					    NULL};

	return begins(words, assignment);
}

/* The value of the assignment's name in env. */
static const char *same_name(const struct strv *env, const char *assignment)
{
	_free_ char *name = str_printf("%.*s", (int)strcspn(assignment, "="), assignment);

	return name ? strv_get_env(env, name) : NULL;
}

static void set(struct strv *env, const char *name, const char *value)
{
	_free_ char *assignment =
		value && !strv_get_env(env, name) ? str_printf("%s=%s", name, value) : NULL;

	if (assignment)
		strv_set_env(env, assignment);
}

int step_env_merge(char *const *task, const struct strv *container, const struct strv *keep,
		   struct strv *ret, struct err *e)
{
	for (; *task; task++) {
		if (strchr(*task, '=') && (in_list(keep, *task) || !is_dropped(*task)))
			strv_add(ret, *task);
	}
	for (size_t i = 0; i < container->n; i++) {
		const char *x = container->items[i];

		if ((in_list(keep, x) || is_tasks_own(x)) && same_name(ret, x))
			continue;
		strv_set_env(ret, x);
	}
	/* The variables that PyTorch's launcher would set, for images that are PyTorch's. */
	if (strv_get_env(container, "PYTORCH_VERSION")) {
		set(ret, "RANK", strv_get_env(ret, "SLURM_PROCID"));
		set(ret, "LOCAL_RANK", strv_get_env(ret, "SLURM_LOCALID"));
	}
	return strv_check(ret, e);
}
