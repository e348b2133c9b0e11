/* SPDX-License-Identifier: Apache-2.0 */

/* The part of a step's container that stays: as little as was asked for. */

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/slurm/step_child.h"
#include "cmd/slurm/hold_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define END_TIMEOUT_MS 10000
#define SERVER_TIMEOUT_MS 3000

/*
 * It leaves with its last container, and takes its socket with it; SLURM, which comes next, would
 * kill it. Another step that has joined the container, or what tasks have left in it, keeps it.
 */
static void wait_for_server(const struct hold *h)
{
	struct pollfd p = {.fd = h->server_pidfd, .events = POLLIN};

	if (p.fd >= 0)
		poll(&p, 1, SERVER_TIMEOUT_MS);
}

/*
 * csbx-hold ends when its socket does; an entry point that stands in its way is killed, and so is
 * what it has left in the background.
 */
static void end_container(struct hold *h)
{
	struct pollfd p = {.fd = -1, .events = POLLIN};

	fd_close(&h->child_sock);
	if (!h->child)
		return;
	p.fd = (int)syscall(SYS_pidfd_open, h->child, 0);
	if (p.fd < 0 || poll(&p, 1, END_TIMEOUT_MS) != 1)
		kill(h->child, SIGKILL);
	step_child_reap(h->child);
	h->child = 0;
	if (p.fd >= 0)
		close(p.fd);
	wait_for_server(h);
}

static int save(struct hold *h, struct err *e)
{
	const char *slash = strrchr(h->a.save, '/');
	_free_ char *out = NULL;
	struct stat st;
	int r;

	if (fstatat(h->dirfd, "joined", &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (uint64_t)st.st_size < h->a.tasks)
		return err_set(e, ECANCELED,
			       "not all tasks have started in the container: it is not saved");
	strbuf_reset(&h->said);
	out = str_printf("/proc/%d/fd/%d/%s", getpid(), h->save_dir, slash ? slash + 1 : h->a.save);
	if (!out)
		return err_oom(e);
	r = hold_enroot(h, NULL, e, "export", "--force", "--output", out,
			h->a.name ? h->a.name : h->target, (char *)NULL);
	return r < 0 ? err_wrap(e, "%s", h->a.save) : 0;
}

int hold_end(struct hold *h, bool all_ended, struct err *e)
{
	struct err ignored = ERR_INIT;
	int r = 0;

	end_container(h);
	if (h->a.save && all_ended)
		r = save(h, e);
	if (h->name_is_ours && h->target)
		hold_enroot(h, NULL, &ignored, "remove", "--force", h->target, (char *)NULL);
	hold_release_image(h);
	hold_dir_remove(h);
	return r;
}

/*
 * A holder that was killed has done none of this; slurmstepd has seen it, and calls for what can
 * still be done (cmd/spank/plugin.c).
 */
int hold_end_step(struct hold *h)
{
	struct err e = ERR_INIT;
	_close_ int parentfd = -1;

	if (hold_dir_name(h, &e) < 0 || (parentfd = hold_dir_open_parent(h, &e)) < 0)
		return cmd_error(&e, "the step's end");
	hold_dir_sweep(parentfd);
	hold_release_image(h);
	hold_sweep_imports();
	return CMD_EXIT_OK;
}
