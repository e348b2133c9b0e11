/* SPDX-License-Identifier: Apache-2.0 */
/* Containers that last as long as a job: the names that its steps leave until the job ends, and
 * their removal then. */
#include <stdio.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/slurm/step_child.h"
#include "cmd/slurm/hold_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static void names_file(uint64_t job, char ret[32])
{
	snprintf(ret, 32, "job-%llu", (unsigned long long)job);
}

int hold_remember_name(const struct hold *h, struct err *e)
{
	_close_ int dirfd = hold_dir_open_parent(h, e);
	char file[32];

	names_file(h->a.job, file);
	return dirfd < 0 ? dirfd : hold_names_add(dirfd, file, h->a.name, e);
}

int hold_end_job(const struct hold_args *a)
{
	_close_ int dirfd = -1;
	struct err e = ERR_INIT;
	char file[32];

	dirfd = step_dir_open(a->dir, &e);
	if (dirfd < 0)
		return cmd_error(&e, "the job's end");
	hold_dir_sweep(dirfd);
	names_file(a->job, file);
	return hold_names_remove(dirfd, file, &e) < 0 ? cmd_error(&e, "the job's end")
						      : CMD_EXIT_OK;
}
