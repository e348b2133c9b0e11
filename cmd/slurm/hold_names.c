/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Names of containers that somebody else may have to remove: those that go with their job
 * (RUNTIME/UID/job-ID, the epilog's), and the one that a step has made for itself (own in its
 * directory), should its holder be killed. A line a name: where its store is, then the name. Who
 * removeshas not the environment to tell. This file and hold_dir.c call each other: a directory of
 * a dead holder leads to the names in it, and names are removed from a parent that is swept first.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/slurm/child.h"
#include "cmd/slurm/hold_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define NAMES_BYTES_MAX (1u << 20)

int hold_names_add(int dirfd, const char *file, const char *name, struct err *e)
{
	_strbuf_ struct strbuf line = STRBUF_INIT;
	struct enroot x = {.self = PROGRAM_CSBX};
	_close_ int fd = -1;
	int r = enroot_load_state(&x, e);

	if (r >= 0)
		strbuf_addf(&line, "%s\t%s\t%s\n", x.cmd.paths.data, x.cmd.paths.layers, name);
	enroot_free_state(&x);
	if (r < 0 || strbuf_check(&line, e) < 0)
		return r < 0 ? r : -ENOMEM;
	fd = openat(dirfd, file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "%s", file);
	return io_write_all(fd, line.data, line.len, e);
}

static int remove_name(char *line, struct err *e)
{
	_strv_ struct strv argv = STRV_INIT, env = STRV_INIT;
	struct step_child c = {.argv = &argv, .env = &env, .in_fd = -1};
	char *layers = strchr(line, '\t'), *name = layers ? strchr(layers + 1, '\t') : NULL;

	if (!name)
		return 0;
	*layers = *name = 0;
	strv_take(&env, str_printf("CSBX_DATA_PATH=%s", line));
	strv_take(&env, str_printf("CSBX_LAYER_PATH=%s", layers + 1));
	for (const char *const *w =
		     (const char *const[]){"csbx", "enroot", "remove", "--force", name + 1, NULL};
	     *w; w++)
		strv_add(&argv, *w);
	if (strv_check(&argv, e) < 0 || strv_check(&env, e) < 0)
		return -ENOMEM;
	return step_child_run(&c, NULL, NULL, e);
}

/* A name that is gone already was removed by hand: said, and no reason to stop. */
int hold_names_remove(int dirfd, const char *file, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = io_read_file_at(dirfd, file, NAMES_BYTES_MAX, &text, e);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	for (char *p = text.data; p && *p;) {
		size_t len = strcspn(p, "\n");
		bool more = p[len];
		struct err why = ERR_INIT;

		p[len] = 0;
		if (remove_name(p, &why) < 0)
			cmd_warn("%s", why.msg);
		p += len + more;
	}
	unlinkat(dirfd, file, 0);
	return 0;
}

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
