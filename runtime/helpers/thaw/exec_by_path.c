/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/thaw/thaw.h"

#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/sys.h"

#define PATH_BYTES_MAX 4096u

static int exec_in(const char *dir, size_t len, char **argv, char **envp)
{
	static char path[PATH_BYTES_MAX];
	size_t name = strlen(argv[0]);

	if (len + name + 2 > sizeof(path))
		return -ENAMETOOLONG;
	memcpy(path, dir, len);
	path[len] = '/';
	memcpy(path + len + 1, argv[0], name + 1);
	return sys_execve(path, argv, envp);
}

static const char *search_path(char **envp)
{
	for (; *envp; envp++) {
		const char *p = *envp;

		if (p[0] == 'P' && p[1] == 'A' && p[2] == 'T' && p[3] == 'H' && p[4] == '=')
			return p + 5;
	}
	return "/usr/local/bin:/usr/bin:/bin";
}

int exec_by_path(char **argv, char **envp)
{
	const char *p = search_path(envp);
	int r = -ENOENT;

	for (const char *c = argv[0]; *c; c++) {
		if (*c == '/')
			return sys_execve(argv[0], argv, envp);
	}
	while (*p) {
		size_t len = 0;

		while (p[len] && p[len] != ':')
			len++;
		if (len)
			r = exec_in(p, len, argv, envp);
		p += len + (p[len] == ':');
	}
	return r;
}
