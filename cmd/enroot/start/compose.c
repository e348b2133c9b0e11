/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/start/compose_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/enroot/conf/conf.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/spec/spec.h"

/* enroot's hooks ask whether a variable is set: a false one must not be. */
static void drop_false(struct strv *env)
{
	size_t kept = 0;

	for (size_t i = 0; i < env->n; i++) {
		char *item = env->items[i], *value = strchr(item, '=');

		if (str_has_prefix(item, "ENROOT_") && value && enroot_conf_is_false(value + 1))
			free(item);
		else
			env->items[kept++] = item;
	}
	env->n = kept;
	if (env->items)
		env->items[kept] = NULL;
}

static void set(struct strv *env, const char *name, const char *value, bool replace)
{
	_free_ char *text = NULL;

	if (!value || (!replace && strv_get_env(env, name)))
		return;
	text = str_printf("%s=%s", name, value);
	strv_set_env(env, text ? text : "=");
	env->failed |= !text;
}

/* The variables that enroot itself sets for its scripts. */
static void add_settings(struct compose *c)
{
	struct strv *env = &c->script_env;
	const struct enroot_start *q = c->q;

	set(env, "ENROOT_LIBRARY_PATH", "/usr/lib/enroot", false);
	set(env, "ENROOT_SYSCONF_PATH", q->system_dir, true);
	set(env, "ENROOT_CONFIG_PATH", q->user_dir, true);
	set(env, "ENROOT_REMAP_ROOT", q->remap_root ? "y" : NULL, true);
	set(env, "ENROOT_ROOTFS_WRITABLE", c->spec->rootfs.upper != UPPER_READONLY ? "y" : NULL,
	    true);
}

/*
 * The environment of scripts and hooks of the host: the caller's environment and enroot's settings.
 */
static int make_script_env(struct compose *c, struct err *e)
{
	const struct strv *settings = c->q->settings;
	_free_ char *root = str_printf("ENROOT_ROOTFS=%s", c->rootfs);

	for (char *const *v = c->q->host_env; v && *v; v++) {
		if (!str_has_prefix(*v, "BASH_ENV="))
			strv_add(&c->script_env, *v);
	}
	for (size_t i = 0; settings && i < settings->n; i++)
		strv_set_env(&c->script_env, settings->items[i]);
	drop_false(&c->script_env);
	if (root)
		strv_set_env(&c->script_env, root);
	c->script_env.failed |= !root;
	add_settings(c);
	return strv_check(&c->script_env, e);
}

static int begin(struct compose *c, struct err *e)
{
	const char *dir = c->q->runtime_dir;

	c->hook_dir = str_printf("%s/hooks", dir ? dir : "");
	c->rootfs = c->hook_dir ? str_printf("%s/root", c->hook_dir) : NULL;
	if (!c->rootfs)
		return err_oom(e);
	c->cwd = getcwd(NULL, 0);
	return make_script_env(c, e);
}

int enroot_compose(const struct enroot_start *q, struct container_spec *spec, struct err *e)
{
	static int (*const steps[])(struct compose *, struct err *) = {
		begin, compose_user, compose_env, compose_mounts, compose_hooks, compose_command,
	};
	struct compose c = {.q = q, .spec = spec};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
		r = steps[i](&c, e);
	free(c.hook_dir);
	free(c.rootfs);
	strv_free(&c.script_env);
	free(c.cwd);
	free(c.user);
	free(c.home);
	return r;
}
