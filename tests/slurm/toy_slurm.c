/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/slurm/toy_slurm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/spank.h>

struct toy_slurm host;
static struct spank_option options[32];

static void log_text(const char *format, va_list ap)
{
	int n = vsnprintf(host.log + host.log_len, LOG_MAX - host.log_len, format, ap);

	host.log_len += n > 0 && (size_t)n < LOG_MAX - host.log_len - 1 ? (size_t)n : 0;
	host.log[host.log_len++] = '\n';
	host.log[host.log_len] = 0;
}

void slurm_error(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	log_text(format, ap);
	va_end(ap);
}

void slurm_spank_log(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	log_text(format, ap);
	va_end(ap);
}

spank_context_t spank_context(void)
{
	return (spank_context_t)host.context;
}

spank_err_t spank_option_register(spank_t sp, struct spank_option *o)
{
	(void)sp;
	if (host.n_options == 32)
		return ESPANK_ERROR;
	options[host.n_options++] = *o;
	return ESPANK_SUCCESS;
}

int toy_give(int which, const char *value)
{
	return options[which].cb(options[which].val, value, host.context == S_CTX_REMOTE);
}

spank_err_t spank_get_item(spank_t sp, spank_item_t item, ...)
{
	va_list ap;
	spank_err_t r = ESPANK_SUCCESS;

	(void)sp;
	if ((int)item == host.fail_item)
		return ESPANK_ERROR;
	va_start(ap, item);
	switch (item) {
	case S_JOB_ID:
		*va_arg(ap, uint32_t *) = host.job;
		break;
	case S_JOB_STEPID:
		*va_arg(ap, uint32_t *) = host.step;
		break;
	case S_JOB_NODEID:
		*va_arg(ap, uint32_t *) = host.node;
		break;
	case S_JOB_LOCAL_TASK_COUNT:
		*va_arg(ap, uint32_t *) = host.tasks;
		break;
	case S_TASK_ID:
		*va_arg(ap, int *) = host.task;
		break;
	case S_JOB_UID:
		*va_arg(ap, uid_t *) = host.uid;
		break;
	case S_JOB_GID:
		*va_arg(ap, gid_t *) = host.gid;
		break;
	case S_JOB_SUPPLEMENTARY_GIDS:
		*va_arg(ap, gid_t **) = host.groups;
		*va_arg(ap, int *) = host.n_groups;
		break;
	case S_JOB_ENV:
		*va_arg(ap, char ***) = host.env;
		break;
	case S_JOB_ARGV:
		*va_arg(ap, int *) = host.argc;
		if (host.copies_argv) {
			if (host.copy[0] != host.argv[0])
				free(host.copy[0]); /* put there by the plugin */
			memcpy(host.copy, host.argv, sizeof(host.copy));
		}
		*va_arg(ap, char ***) = host.copies_argv ? host.copy : host.argv;
		break;
	default:
		r = ESPANK_BAD_ARG;
	}
	va_end(ap);
	return r;
}

char **toy_find_env(const char *name)
{
	size_t len = strlen(name);
	char **p = host.env;

	while (*p && (strncmp(*p, name, len) || (*p)[len] != '='))
		p++;
	return p;
}

spank_err_t spank_getenv(spank_t sp, const char *name, char *buf, int len)
{
	char **at = toy_find_env(name);

	(void)sp;
	if (!*at)
		return ESPANK_ENV_NOEXIST;
	if (strlen(*at) - strlen(name) > (size_t)len)
		return ESPANK_NOSPACE;
	snprintf(buf, (size_t)len, "%s", *at + strlen(name) + 1);
	return ESPANK_SUCCESS;
}

spank_err_t spank_setenv(spank_t sp, const char *name, const char *value, int overwrite)
{
	char **at = toy_find_env(name);

	(void)sp;
	(void)overwrite;
	free(*at);
	if (asprintf(at, "%s=%s", name, value) < 0)
		abort();
	return ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv(spank_t sp, const char *name)
{
	char **at = toy_find_env(name);

	(void)sp;
	free(*at);
	for (; *at; at++)
		at[0] = at[1];
	return ESPANK_SUCCESS;
}

/* No header of SLURM's before 23.11 has it. */
spank_err_t spank_prepend_task_argv(spank_t sp, int argc, const char *argv[]);
spank_err_t spank_prepend_task_argv(spank_t sp, int argc, const char *argv[])
{
	(void)sp;
	host.n_prepended = argc;
	for (int i = 0; i < argc && i < 8; i++)
		host.prepended[i] = argv[i];
	return ESPANK_SUCCESS;
}

void toy_remove_link(const char *dir)
{
	static const char name[] = "/run/csbx-steps/other";
	char there[400];
	ssize_t n = readlink(name, there, sizeof(there) - 1);

	there[n > 0 ? n : 0] = 0;
	if (!strcmp(there, dir))
		unlink(name);
	rmdir("/run/csbx-steps");
}
