/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/image/login_try.h"
#include "cmd/image/prompt.h"
#include "cmd/image/settings.h"
#include "image/credentials/credentials.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/* The name of Docker Hub, and the one that docker's client prints for it. */
#define HUB "docker.io"
#define HUB_SHOWN "https://index.docker.io/v1/"

struct login_args {
	const char *user, *password;
	bool password_stdin;
};

static const struct opt login_opts[] = {
	{OPT_STR, 'p', "password", "string", offsetof(struct login_args, password),
	 .help = "Password or Personal Access Token (PAT)"},
	{OPT_FLAG, 0, "password-stdin", NULL, offsetof(struct login_args, password_stdin),
	 .help = "Take the Password or Personal Access Token (PAT) from stdin"},
	{OPT_STR, 'u', "username", "string", offsetof(struct login_args, user), .help = "Username"},
	{0},
};
static const struct opt_table login_table = {"Options", login_opts};

/* "https://index.docker.io/v1/" -> "docker.io", "https://reg:5000/" -> "reg:5000". Caller frees. */
static char *registry_name(const char *operand)
{
	const char *name = operand ? operand : HUB;

	if (str_eq(name, HUB_SHOWN) || str_eq(name, "index.docker.io"))
		return strdup(HUB);
	if (str_has_prefix(name, "https://"))
		name += strlen("https://");
	else if (str_has_prefix(name, "http://"))
		name += strlen("http://");
	return str_printf("%.*s", (int)strcspn(name, "/"), name);
}

static int ask(const struct login_args *a, struct credentials *ret, struct err *e)
{
	int r = 0;

	if (a->user)
		ret->user = strdup(a->user);
	else
		r = prompt_line("Username: ", false, &ret->user, e);
	if (r >= 0 && a->password)
		ret->password = strdup(a->password);
	else if (r >= 0)
		r = a->password_stdin ? prompt_stdin(&ret->password, e)
				      : prompt_line("Password: ", true, &ret->password, e);
	if (r == -ENXIO)
		return err_set(e, ENXIO,
			       "Cannot perform an interactive login from a non TTY device");
	if (r >= 0 && (!ret->user || !ret->password))
		return err_oom(e);
	return r < 0 ? r : 0;
}

static int check(const struct login_args *a)
{
	if (a->password)
		docker_say(0, "WARNING! Using --password via the CLI is insecure. Use "
			      "--password-stdin.");
	if (a->password && a->password_stdin)
		return docker_say(DOCKER_EXIT_FAILED,
				  "--password and --password-stdin are mutually exclusive");
	if (a->password_stdin && (!a->user || !*a->user))
		return docker_say(DOCKER_EXIT_FAILED,
				  "Must provide --username with --password-stdin");
	return 0;
}

static int login_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct login_args *a = args;
	_image_settings_ struct image_settings settings = {0};
	_credentials_ struct credentials who = {0};
	_free_ char *name = registry_name(argc ? argv[0] : NULL);
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	if (check(a))
		return DOCKER_EXIT_FAILED;
	if (!name)
		return docker_say(DOCKER_EXIT_FAILED, "out of memory");
	if (ask(a, &who, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "Error: %s", e.msg);
	if (image_settings_read(&d->cmd, &settings, &e) < 0 ||
	    login_try(&d->cmd, &settings.source.registry, name, &who, &e) < 0)
		return docker_daemon_error("Get \"https://%s/v2/\": %s%s", name,
					   e.code == EACCES ? "unauthorized: " : "", e.msg);
	if (credentials_store(settings.source.registry.authfile, name, &who, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "Error saving credentials: %s", e.msg);
	strbuf_addstr(&out, "Login Succeeded\n");
	return cmd_print(&out);
}

const struct docker_verb docker_verb_login = {
	.name = "login",
	.usage = "[OPTIONS] [SERVER]",
	.uses = (const struct opt_use[]){{&login_table, 0}, {0}},
	.max_operands = 1,
	.args_bytes = sizeof(struct login_args),
	.run = login_run,
};

static int logout_run(struct docker *d, void *args, int argc, char **argv)
{
	_image_settings_ struct image_settings settings = {0};
	_free_ char *name = registry_name(argc ? argv[0] : NULL);
	const char *shown = name && str_eq(name, HUB) ? HUB_SHOWN : name;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_strv_ struct strv where = STRV_INIT;
	struct err e = ERR_INIT;
	int r;

	(void)args;
	if (!name || image_settings_read(&d->cmd, &settings, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", name ? e.msg : "out of memory");
	r = credentials_forget(settings.source.registry.authfile, name, &where, &e);
	if (r < 0)
		return docker_say(DOCKER_EXIT_FAILED, "WARNING: could not erase credentials: %s",
				  e.msg);
	strbuf_addf(&out, "Removing login credentials for %s\n", shown);
	return cmd_print(&out);
}

const struct docker_verb docker_verb_logout = {
	.name = "logout",
	.usage = "[SERVER]",
	.max_operands = 1,
	.run = logout_run,
};
