/* SPDX-License-Identifier: Apache-2.0 */

/* --push: docker push of each name, by a program of its own, whose lines are those of a push. */

#include "cmd/build/build.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"

static _Noreturn void exec_push(const char *name, bool is_quiet)
{
	char docker[] = "docker", push[] = "push", q[] = "-q";
	char *argv[] = {docker, push, is_quiet ? q : (char *)name, is_quiet ? (char *)name : NULL,
			NULL};

	/* The id is what a build says on standard output. */
	if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		cmd_hand_over(PROGRAM_IMAGE, argv, NULL);
	_exit(CMD_EXIT_FAILED);
}

int build_push(const struct build_args *a, struct err *e)
{
	for (size_t i = 0; a->push && i < a->tags.n; i++) {
		int status = 0;
		pid_t child;

		fflush(NULL);
		child = fork();
		if (!child)
			exec_push(a->tags.items[i], a->quiet);
		if (child < 0)
			return err_sys(e, "fork");
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			return err_set(e, EIO, "push of %s: it failed; the image is here",
				       a->tags.items[i]);
	}
	return 0;
}
