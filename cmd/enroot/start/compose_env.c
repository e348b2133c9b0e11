/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>

#include "cmd/enroot/start/compose_priv.h"
#include "cmd/enroot/conf/script.h"
#include "cmd/enroot/conf/dropin.h"
#include "cmd/enroot/conf/expand.h"
#include "cmd/enroot/start/stock.h"
#include "cmd/options/resolve_env.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/spec/env_lines.h"
#include "runtime/server/image_meta.h"
#include "runtime/spec/spec.h"

#define FILE_BYTES_MAX (1u << 20)

/*
 * enroot's own variables are never the container's. The caller settles the list after it has added
 * all: there may be thousands.
 */
static void add(struct compose *c, const char *assignment)
{
	if (!str_has_prefix(assignment, "ENROOT_"))
		strv_add(&c->spec->proc.env, assignment);
}

/* Taken as it stands: an image's text is never filled in with the host's variables. */
static int add_image(struct compose *c, struct err *e)
{
	const struct image_meta *m = c->q->meta;
	_strv_ struct strv lines = STRV_INIT;
	int r = 0;

	for (size_t i = 0; i < m->env.n; i++)
		add(c, m->env.items[i]);
	if (!m->has_config && m->environment)
		r = env_lines_parse(m->environment, m->environment_len, ENV_LINES_HAND, &lines,
				    NULL, e);
	for (size_t i = 0; r >= 0 && i < lines.n; i++)
		add(c, lines.items[i]);
	strv_settle_env(&c->spec->proc.env);
	return r;
}

static int add_expanded(struct compose *c, const char *assignment, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t name = strcspn(assignment, "=") + 1;

	strbuf_add(&text, assignment, name);
	expand_variables(assignment + name, strlen(assignment + name), c->script_env.items, &text);
	if (strbuf_check(&text, e) < 0)
		return -ENOMEM;
	add(c, strbuf_str(&text));
	return 0;
}

static int add_file(struct compose *c, const char *path, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_strv_ struct strv lines = STRV_INIT, wrong = STRV_INIT;
	int r = path_read_believed(path, FILE_BYTES_MAX, &text, e);

	if (r < 0)
		return err_wrap(e, "%s", path);
	r = env_lines_parse(strbuf_str(&text), text.len, ENV_LINES_HAND, &lines, &wrong, e);
	for (size_t i = 0; r >= 0 && i < lines.n; i++)
		r = add_expanded(c, lines.items[i], e);
	for (size_t i = 0; i < wrong.n; i++)
		compose_warn(c, "%s: %s", path, wrong.items[i]);
	return r;
}

static int add_files(struct compose *c, struct err *e)
{
	_strv_ struct strv files = STRV_INIT;
	int r = dropin_list(c->q->system_dir, "environ.d", ".env", &files, e);

	if (r >= 0)
		r = dropin_list(c->q->user_dir, "environ.d", ".env", &files, e);
	for (size_t i = 0; r >= 0 && i < files.n; i++)
		r = add_file(c, files.items[i], e);
	strv_settle_env(&c->spec->proc.env);
	return r;
}

/*
 * Lost variables are told. Functions of the caller's that `env` prints cannot be passed, and are
 * not what is meant.
 */
static void warn_of_lost(struct compose *c, const struct strbuf *out, const struct strv *wrong)
{
	static const char function[] = "BASH_FUNC_";

	if (wrong->n && !memmem(out->data, out->len, function, sizeof(function) - 1))
		compose_warn(c, "%s: environ(): %s%s (env -0 keeps line breaks)",
			     c->q->script->path, wrong->items[0],
			     wrong->n > 1 ? ", and others" : "");
}

/* The programs' output is exact: a value keeps its quotes, and with env -0 its line breaks. */
static int add_script(struct compose *c, struct err *e)
{
	const struct conf_script *s = c->q->script;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_strv_ struct strv lines = STRV_INIT, wrong = STRV_INIT;
	int r;

	if (!s || !s->has[CONF_ENVIRON])
		return 0;
	r = conf_script_call(s, CONF_ENVIRON, c->q->argv, c->script_env.items, &out, e);
	if (r >= 0)
		r = env_lines_parse(strbuf_str(&out), out.len, 0, &lines, &wrong, e);
	for (size_t i = 0; r >= 0 && i < lines.n; i++)
		add(c, lines.items[i]);
	warn_of_lost(c, &out, &wrong);
	strv_settle_env(&c->spec->proc.env);
	return r;
}

static int add_options(struct compose *c, struct err *e)
{
	const struct strv *given = c->q->env;
	_strv_ struct strv kept = STRV_INIT;

	for (size_t i = 0; given && i < given->n; i++) {
		if (!env_name_is_valid(given->items[i]))
			return err_set(e, EINVAL, "Invalid argument: %s", given->items[i]);
		if (!str_has_prefix(given->items[i], "ENROOT_"))
			strv_add(&kept, given->items[i]);
	}
	env_add_list(&c->spec->proc.env, &kept, c->q->host_env);
	return strv_check(&kept, e);
}

static void set_default(struct compose *c, const char *name, const char *value)
{
	_free_ char *text = NULL;

	if (!value || strv_get_env(&c->spec->proc.env, name))
		return;
	text = str_printf("%s=%s", name, value);
	strv_set_env(&c->spec->proc.env, text ? text : "");
	c->spec->proc.env.failed |= !text;
}

/* The variables that a login gives; TERM is that of enroot's own 10-terminal.env. */
static void add_login(struct compose *c)
{
	set_default(c, "PATH", ENV_DEFAULT_PATH);
	set_default(c, "HOME", c->home);
	set_default(c, "USER", c->user);
	set_default(c, "LOGNAME", c->user);
	if (c->q->meta->has_shell)
		set_default(c, "SHELL", "/bin/sh");
	set_default(c, "TERM", env_list_get(c->q->host_env, "TERM", 4));
}

int compose_env(struct compose *c, struct err *e)
{
	struct strv *env = &c->spec->proc.env;
	int r = add_image(c, e);

	if (r >= 0)
		r = add_files(c, e);
	if (r >= 0)
		r = stock_slurm_environ(c->q->host_env, env, e);
	if (r >= 0)
		r = add_script(c, e);
	if (r >= 0)
		r = add_options(c, e);
	if (r < 0)
		return r;
	add_login(c);
	return strv_check(env, e);
}
