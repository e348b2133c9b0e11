/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csbx-thaw --freeze FD COMMAND...: writes COMMAND into FD where it stops itself.
 * csbx-thaw FD COMMAND...: goes on from there; if it cannot, runs COMMAND.
 *
 * An interpreter takes longer to start than a container. When many snippets begin the same way,
 * csbx makes the beginning once, in a container like theirs, and each of theirs then begins with a
 * copy of its memory. This program is what runs there in the place of the interpreter: with the
 * rights of the program that is judged, and none besides, so that it has no process to protect.
 */
#include <stdbool.h>

#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/sys.h"
#include "runtime/helpers/thaw/abi/image.h"
#include "runtime/helpers/thaw/thaw.h"

static struct thaw_image image;

static bool is_text(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static int parse_fd(const char *s)
{
	int n = 0;

	while (*s >= '0' && *s <= '9' && n < 100000)
		n = n * 10 + (*s++ - '0');
	return *s ? -1 : n;
}

/* At the end of what the kernel put on the stack: argc, argv, environment, auxiliary vector. */
__attribute__((noreturn)) void thaw_main(long *stack)
{
	char **argv = (char **)(stack + 1), **envp = argv + stack[0] + 1;
	bool is_freeze = stack[0] > 3 && is_text(argv[1], "--freeze");
	int fd = stack[0] > 2 ? parse_fd(argv[is_freeze ? 2 : 1]) : -1;

	if (fd < 0)
		sys_exit(125);
	if (is_freeze) {
		(void)freeze(fd, &image, argv + 3, envp);
		sys_exit(126);
	}
	(void)thaw(fd, &image, argv, envp);
	sys_close(fd);
	exec_by_path(argv + 2, envp);
	sys_exit(127);
}
