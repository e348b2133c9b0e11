/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Names of containers that another process may have to remove: those that go with their job
 * (RUNTIME/UID/job-ID, the epilog's), and the one that a step has made for itself (own in its
 * directory), should its holder be killed. A line a name: the directory of its store, then the
 * name. The process that removes has not the environment to tell.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/slurm/step_child.h"
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
