/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdlib.h>

#include "cmd/frame/cmd.h"
#include "cmd/image/login_try.h"
#include "cmd/image/prompt.h"
#include "cmd/image/registry_opts.h"
#include "cmd/frame/verbs.h"
#include "image/credentials/credentials.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

struct login_args {
	const char *user;
	bool password_stdin;
	struct registry_opts registry;
};

static const struct opt login_opts[] = {
	{OPT_STR, 'u', "username", "USER", offsetof(struct login_args, user),
	 .help = "log in as USER; asked for on the terminal when it is not given"},
	{OPT_FLAG, 0, "password-stdin", .offset = offsetof(struct login_args, password_stdin),
	 .help = "read the password or token from standard input instead of the terminal"},
	{0},
};

static const struct opt_table login_table = {"Options", login_opts};

static int ask(const struct login_args *a, struct credentials *ret, struct err *e)
{
	int r = 0;

	if (a->password_stdin && !a->user)
		return err_set(e, EINVAL, "--password-stdin goes with --username");
	if (a->user)
		ret->user = strdup(a->user);
	else
		r = prompt_line("Username: ", false, &ret->user, e);
	if (r < 0)
		return err_wrap(e, "username");
	if (!ret->user)
		return err_oom(e);
	if (!*ret->user || strchr(ret->user, ':'))
		return err_set(e, EINVAL, "username: %s",
			       *ret->user ? "may have no colon" : "empty");
	r = a->password_stdin ? prompt_stdin(&ret->password, e)
			      : prompt_line("Password: ", true, &ret->password, e);
	if (r == -ENXIO)
		err_append(e, "use --password-stdin");
	return r < 0 ? err_wrap(e, "password") : 0;
}

static int login(struct cmd *c, struct login_args *a, const char *name, struct err *e)
{
	_credentials_ struct credentials who = {0};
	_free_ char *path = credentials_login_path(a->registry.authfile);
	int r = ask(a, &who, e), asked;

	if (r >= 0)
		r = login_try(c, &a->registry, name, &who, e);
	asked = r;
	if (r >= 0)
		r = credentials_store(a->registry.authfile, name, &who, e);
	if (r < 0)
		return r;
	if (!asked)
		cmd_warn("login: %s asks for no password; kept all the same", name);
	cmd_warn("login: %s: logged in as %s, kept in %s", name, who.user, path ? path : "");
	return 0;
}

static int login_run(struct cmd *c, void *args, int argc, char **argv)
{
	const char *name = argc ? argv[0] : "docker.io";
	struct err e = ERR_INIT;

	return login(c, args, name, &e) < 0 ? cmd_error(&e, "login %s", name) : CMD_EXIT_OK;
}

static void login_done(void *args)
{
	registry_opts_done(&((struct login_args *)args)->registry);
}

static const struct verb_example login_examples[] = {
	{"from a terminal", "csbx login registry.example:5000"},
	{"from a script", "csbx login -u ci --password-stdin registry.example <token"},
	{0},
};

const struct verb verb_login = {
	.name = "login",
	.usage = "[OPTIONS] [REGISTRY]",
	.description =
		"Tries a user name and a password or token at a registry (HOST[:PORT]; docker.io "
		"when none is named), and keeps them for later when the registry takes "
		"them.\n\n"
		"They are kept in ~/.config/containers/auth.json, readable by the user alone, "
		"where podman and skopeo look too; --authfile or REGISTRY_AUTH_FILE name another "
		"file. A password is never taken from the command line, where other users would "
		"see it.",
	.uses = (const struct opt_use[]){{&login_table, 0},
					 {&registry_opts_table,
					  offsetof(struct login_args, registry)},
					 {0}},
	.examples = login_examples,
	.max_operands = 1,
	.args_bytes = sizeof(struct login_args),
	.done = login_done,
	.run = login_run,
};

struct logout_args {
	const char *authfile;
};

static const struct opt logout_opts[] = {
	{OPT_STR, 0, "authfile", "FILE", offsetof(struct logout_args, authfile), .has_key = true,
	 .offers = "file", .help = "the file to remove them from (so does REGISTRY_AUTH_FILE)"},
	{0},
};

static const struct opt_table logout_table = {"Options", logout_opts};

static int logout_run(struct cmd *c, void *args, int argc, char **argv)
{
	const struct logout_args *a = args;
	const char *name = argc ? argv[0] : "docker.io";
	_free_ char *path = credentials_login_path(a->authfile);
	_strv_ struct strv where = STRV_INIT;
	struct err e = ERR_INIT;
	int r = credentials_forget(a->authfile, name, &where, &e);

	(void)c;
	for (size_t i = 0; i < where.n; i++)
		cmd_warn("logout: %s: forgotten by %s", name, where.items[i]);
	if (!r && !where.n)
		r = err_set(&e, ENOENT, "there is no login in %s", path ? path : "");
	return r < 0 ? cmd_error(&e, "logout %s", name) : CMD_EXIT_OK;
}

static const struct verb_example logout_examples[] = {
	{"forget the password for one registry", "csbx logout registry.example.org"},
	{0},
};

const struct verb verb_logout = {
	.name = "logout",
	.usage = "[OPTIONS] [REGISTRY]",
	.description =
		"Forgets a registry (docker.io when none is named): removes what csbx login, "
		"podman login and docker login kept in their files, and tells the credential "
		"helpers that these name to erase it. --authfile or REGISTRY_AUTH_FILE: that file "
		"alone. enroot's .credentials stays.",
	.uses = (const struct opt_use[]){{&logout_table, 0}, {0}},
	.examples = logout_examples,
	.max_operands = 1,
	.args_bytes = sizeof(struct logout_args),
	.run = logout_run,
};
