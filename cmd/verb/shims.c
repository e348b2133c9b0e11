/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shim is a symbolic link to csbx, which takes its dialect from the name it is called by. With a
 * profile it is a script of two lines, because a link carries no settings.
 */
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

#define SCRIPT_MARK "# a shim of csbx\n"
#define ENVIRONMENT "csbx-env.sh"

enum profile { PROFILE_NONE, PROFILE_SANDBOX };

struct shims_args {
	enum profile profile;
	bool force, engine;
};

static const struct opt shims_opts[] = {
	{OPT_CHOICE, 0, "profile", "NAME", offsetof(struct shims_args, profile),
	 .choices = "none|sandbox", .initial = "none",
	 .help = "sandbox: no network for the one who does not ask for one, as if CSBX_NETWORK=none "
		 "were set, and for enroot the isolation of csbx, as if "
		 "CSBX_ENROOT_PROFILE=sandbox were"},
	{OPT_FLAG, 0, "engine", .offset = offsetof(struct shims_args, engine),
	 .help = "write a file csbx-env.sh as well: a shell that reads it (. DIRECTORY/csbx-env.sh) "
		 "has the shims first in PATH, and DOCKER_HOST set to csbx engine, which is started "
		 "where it does not run"},
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct shims_args, force),
	 .help = "replace what is there under these names, whatever it is"},
	{0},
};

static const struct opt_table shims_table = {"Options", shims_opts};
static const char *const names[] = {"docker", "enroot"};

/* This program's path, as the shims will name it. */
static char *own_path(struct err *e)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0) {
		err_sys(e, "/proc/self/exe");
		return NULL;
	}
	path[n] = 0;
	return str_printf("%s", path);
}

/* A link to any csbx, or a script of ours: made by this verb before. */
static bool is_ours(int dir, const char *name)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);

	if (n > 0) {
		target[n] = 0;
		return str_eq(target, "csbx") || str_has_suffix(target, "/csbx");
	}
	return io_read_file_at(dir, name, 4096, &text, NULL) >= 0 &&
	       strstr(strbuf_str(&text), SCRIPT_MARK);
}

static int check_free(int dir, const char *name, bool force, struct err *e)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", name);
	if (S_ISDIR(st.st_mode))
		return err_set(e, EISDIR, "%s: a directory is there", name);
	if (!force && !is_ours(dir, name))
		return err_set(e, EEXIST, "%s: something else is there (--force replaces it)",
			       name);
	return 0;
}

/* Single quotes, for sh. */
static void add_quoted(struct strbuf *out, const char *s)
{
	strbuf_addch(out, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			strbuf_addstr(out, "'\\''");
		else
			strbuf_addch(out, *s);
	}
	strbuf_addch(out, '\'');
}

static int write_script(int dir, const char *name, const char *path, struct err *e)
{
	const struct io_replace where = {dir, name, 0755, .replace = true};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r;

	strbuf_addstr(&text, "#!/bin/sh\n" SCRIPT_MARK);
	strbuf_addstr(&text,
		      "export CSBX_NETWORK=\"${CSBX_NETWORK-none}\"\n"
		      "export CSBX_ENROOT_PROFILE=\"${CSBX_ENROOT_PROFILE-sandbox}\"\nexec ");
	add_quoted(&text, path);
	strbuf_addf(&text, " %s \"$@\"\n", name);
	r = strbuf_check(&text, e);
	return r < 0 ? r : io_write_file_at(&where, text.data, text.len, e);
}

static int write_environment(int dir, const char *path, struct err *e)
{
	const struct io_replace where = {dir, ENVIRONMENT, 0644, .replace = true};
	_free_ char *proc = str_printf("/proc/self/fd/%d", dir);
	_free_ char *own = proc ? realpath(proc, NULL) : NULL;
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r;

	if (!own)
		return err_sys(e, "the directory's path");
	strbuf_addstr(&text, SCRIPT_MARK "PATH=");
	add_quoted(&text, own);
	strbuf_addstr(&text, ":$PATH\nexport PATH\neval \"$(");
	add_quoted(&text, path);
	strbuf_addstr(&text, " engine --env)\"\n");
	r = strbuf_check(&text, e);
	return r < 0 ? r : io_write_file_at(&where, text.data, text.len, e);
}

/* Under a temporary name first: a caller finds the old one or the new one meanwhile. */
static int write_link(int dir, const char *name, const char *path, struct err *e)
{
	_free_ char *temporary = str_printf(".%s.%ld", name, (long)getpid());

	if (!temporary)
		return err_oom(e);
	if (symlinkat(path, dir, temporary) < 0)
		return err_sys(e, "%s", name);
	if (renameat(dir, temporary, dir, name) < 0) {
		err_sys(e, "%s", name);
		unlinkat(dir, temporary, 0);
		return -e->code;
	}
	return 0;
}

/* Opened, and made when it is missing; by descriptor, as another user may write to its parent. */
static int open_directory(const char *directory, struct err *e)
{
	char rest[PATH_MAX];
	_close_ int way = path_open_nearest(directory, rest, e), fd = -1;
	size_t n = way < 0 ? 0 : strcspn(rest, "/");

	if (way < 0)
		return way;
	if (rest[n + strspn(rest + n, "/")])
		return err_code(e, ENOENT, "make it");
	rest[n] = 0;
	if (n && mkdirat(way, rest, 0755) < 0 && errno != EEXIST)
		return err_sys(e, "make it");
	fd = openat(way, n ? rest : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "open it") : take_fd(&fd);
}

static int make_shims(const struct shims_args *a, const char *directory, struct err *e)
{
	_free_ char *path = own_path(e);
	_close_ int dir = -1;
	int r = 0;

	if (!path)
		return -e->code;
	dir = open_directory(directory, e);
	if (dir < 0)
		return dir;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && r >= 0; i++)
		r = check_free(dir, names[i], a->force, e);
	if (r >= 0 && a->engine)
		r = check_free(dir, ENVIRONMENT, a->force, e);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && r >= 0; i++)
		r = a->profile == PROFILE_SANDBOX ? write_script(dir, names[i], path, e)
						  : write_link(dir, names[i], path, e);
	return r >= 0 && a->engine ? write_environment(dir, path, e) : r;
}

static int shims_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct err e = ERR_INIT;

	(void)c;
	(void)argc;
	return make_shims(args, argv[0], &e) < 0 ? cmd_error(&e, "shims %s", argv[0]) : CMD_EXIT_OK;
}

static const struct verb_example examples[] = {
	{"let scripts that call docker use csbx", "csbx shims ~/bin"},
	{"the same, and no network for them", "csbx shims --profile sandbox ~/bin"},
	{"for clients of Docker's socket as well",
	 "csbx shims --engine ~/csbx-bin && . ~/csbx-bin/csbx-env.sh"},
	{0},
};

const struct verb verb_shims = {
	.name = "shims",
	.usage = "[OPTIONS] DIRECTORY",
	.description =
		"Makes programs called as other launchers are, that run csbx in their dialect: "
		"docker and enroot. The directory is made when it is missing; put it first in "
		"PATH. A file that is there under such a name and was not made by this command "
		"stays, and is an error.\n\n"
		"A shim is a symbolic link to this csbx. With a profile it is a script, which sets "
		"settings for all that a command line leaves open.",
	.uses = (const struct opt_use[]){{&shims_table, 0}, {0}},
	.examples = examples,
	.offers = "file",
	.flags = VERB_NO_STATE,
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct shims_args),
	.run = shims_run,
};
