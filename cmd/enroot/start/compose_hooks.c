/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/enroot/start/compose_priv.h"
#include "cmd/enroot/conf/script.h"
#include "cmd/enroot/conf/dropin.h"
#include "cmd/enroot/start/stock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/spec/spec.h"

static int add_hook(struct compose *c, struct strv *argv, const char *shown, struct err *e)
{
	struct hook_command *h = spec_add_hook(c->spec);

	if (!h)
		return err_oom(e);
	h->argv = *argv;
	*argv = (struct strv)STRV_INIT;
	h->shown = str_printf("%s", shown);
	return h->shown ? strv_check(&h->argv, e) : err_oom(e);
}

static int add_files(struct compose *c, const char *dir, struct err *e)
{
	_strv_ struct strv files = STRV_INIT;
	int r = dropin_list(dir, "hooks.d", ".sh", &files, e);

	for (size_t i = 0; r >= 0 && i < files.n; i++) {
		_strv_ struct strv argv = STRV_INIT;

		if (stock_has_hook(dropin_name(files.items[i])) || access(files.items[i], X_OK) < 0)
			continue;
		strv_add(&argv, files.items[i]);
		r = add_hook(c, &argv, files.items[i], e);
	}
	return r;
}

static int add_script(struct compose *c, struct err *e)
{
	const struct conf_script *s = c->q->script;
	_strv_ struct strv argv = STRV_INIT;
	_free_ char *shown = NULL;
	int r;

	if (!s || !s->has[CONF_HOOKS])
		return 0;
	r = conf_script_argv(s, CONF_HOOKS, c->q->argv, &argv, e);
	shown = str_printf("%s: hooks()", s->path);
	if (r < 0 || !shown)
		return r < 0 ? r : err_oom(e);
	return add_hook(c, &argv, shown, e);
}

/* One line a variable; hooks do not see a variable that no line can hold, and it stays as it is. */
static char *environ_text(const struct strv *env)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;

	for (size_t i = 0; i < env->n; i++) {
		if (strchr(env->items[i], '\n'))
			continue;
		strbuf_addstr(&b, env->items[i]);
		strbuf_addch(&b, '\n');
	}
	strbuf_addstr(&b, "");
	return strbuf_take(&b);
}

static int complete(struct compose *c, struct err *e)
{
	struct hooks_spec *h = &c->spec->hooks;
	_close_ int dir = path_open_private_dir(c->hook_dir, e);

	if (dir < 0)
		return err_wrap(e, "hooks");
	for (size_t i = 0; i < c->script_env.n; i++)
		strv_add(&h->env, c->script_env.items[i]);
	h->dir = strdup(c->hook_dir);
	h->cwd = c->cwd ? strdup(c->cwd) : NULL;
	h->environ_text = environ_text(&c->spec->proc.env);
	if (!h->dir || !h->environ_text || (c->cwd && !h->cwd))
		return err_oom(e);
	return strv_check(&h->env, e);
}

int compose_hooks(struct compose *c, struct err *e)
{
	int r = 0;

	if (!c->q->is_sandbox) {
		r = add_files(c, c->q->system_dir, e);
		if (r >= 0)
			r = stock_nvidia(c->q->host_env, c->rootfs, c->spec, e);
		if (r >= 0)
			r = add_files(c, c->q->user_dir, e);
	}
	if (r >= 0)
		r = add_script(c, e);
	return r >= 0 && c->spec->hooks.n ? complete(c, e) : r;
}
