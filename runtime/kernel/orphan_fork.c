/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/orphan_fork.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t orphan_fork(void (*first)(void *arg), void *arg)
{
	volatile pid_t child = -1;
	pid_t between = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */

	if (between == 0) {
		if (first)
			first(arg); /* NOLINT(clang-analyzer-unix.Vfork) */
		child = fork();     /* NOLINT(clang-analyzer-unix.Vfork) */
		if (child == 0)
			return 0;
		_exit(0);
	}
	while (between > 0 && waitpid(between, NULL, 0) < 0 && errno == EINTR)
		;
	return child;
}
