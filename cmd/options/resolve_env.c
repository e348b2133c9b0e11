/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/resolve_env.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/* "NAME=VALUE" of a variable in a list of such, NULL when it is not set. */
static const char *find(char *const *list, const char *name)
{
	size_t n = strlen(name);

	for (; list && *list; list++) {
		if (!strncmp(*list, name, n) && (*list)[n] == '=')
			return *list;
	}
	return NULL;
}

void env_add_list(struct strv *env, const struct strv *list, char *const *host)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *item = list->items[i];
		const char *own = strchr(item, '=') ? item : find(host, item);

		strv_add(env, own ? own : item);
	}
	strv_settle_env(env);
}

static void add_line(struct strv *env, const char *line, size_t len)
{
	const char *equals;
	_free_ char *text = NULL;

	while (len && (*line == ' ' || *line == '\t'))
		line++, len--;
	if (len > 7 && !strncmp(line, "export ", 7))
		line += 7, len -= 7;
	equals = memchr(line, '=', len);
	if (!len || *line == '#' || !equals || equals == line || memchr(line, 0, len))
		return;
	text = strndup(line, len);
	if (text) {
		char *value = text + (equals - line) + 1, quote = *value;
		size_t n = strlen(value);

		while (n && (value[n - 1] == ' ' || value[n - 1] == '\t' || value[n - 1] == '\r'))
			value[--n] = 0;
		if ((quote == '"' || quote == '\'') && n >= 2 && value[n - 1] == quote) {
			memmove(value, value + 1, n - 2);
			value[n - 2] = 0;
		}
	}
	strv_take(env, take_ptr(text));
}

void env_add_environment_file(struct strv *env, const char *text, size_t len)
{
	while (len) {
		const char *newline = memchr(text, '\n', len);
		size_t n = newline ? (size_t)(newline - text) : len;

		add_line(env, text, n);
		n += newline != NULL;
		text += n;
		len -= n;
	}
	strv_settle_env(env);
}

void env_add_job(struct strv *env, char *const *host)
{
	static const char *const jobs[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"};
	static const char *const passed[] = {
		"SLURM_",
		"SLURMD_",
		"PMI_",
		"PMIX_", /* every name that begins so */
		"MASTER_ADDR=",
		"MASTER_PORT=",
		"WORLD_SIZE=",
		"RANK=",
		"LOCAL_RANK=",
		"CUDA_VISIBLE_DEVICES=",
		"OMP_NUM_THREADS=",
	};
	bool in_job = false;

	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		in_job = in_job || find(host, jobs[i]);
	for (; in_job && *host; host++) {
		for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
			if (str_has_prefix(*host, passed[i]) && strchr(*host, '='))
				strv_add(env, *host);
		}
	}
	strv_settle_env(env);
}
