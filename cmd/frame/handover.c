/* SPDX-License-Identifier: Apache-2.0 */

/* Verbs that another of csbx's programs runs are handed over by exec with the same argv. */

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

static const char *const program_names[PROGRAM_MAX] = {
	[PROGRAM_CSBX] = "csbx",
	[PROGRAM_TOOL] = "csbx-tool",
	[PROGRAM_IMAGE] = "csbx-image",
	[PROGRAM_ENGINE] = "csbx-engine",
};

/* Directory of the running program, as the kernel knows it; argv[0] is the caller's word. */
static char *own_directory(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return NULL;
	while (n > 1 && path[n - 1] != '/')
		n--;
	path[n] = 0;
	return str_printf("%s", path);
}

int cmd_hand_over(enum program program, char **argv, struct err *e)
{
	const char *name = program_names[program];
	_free_ char *own = own_directory();
	_free_ char *beside = own ? str_printf("%s%s", own, name) : NULL;
	_free_ char *installed = str_printf("%s/%s", CSBX_LIBEXECDIR, name);

	/* A build tree and a private installation hold all programs in one directory. */
	if (beside)
		execv(beside, argv);
	if (installed && (!beside || errno == ENOENT))
		execv(installed, argv);
	if (errno == ENOENT)
		return err_set(e, ENOENT, "%s is not installed (looked in %s and %s)", name,
			       own ? own : "-", CSBX_LIBEXECDIR);
	return err_sys(e, "run %s", name);
}
