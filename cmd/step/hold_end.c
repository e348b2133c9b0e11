/* SPDX-License-Identifier: Apache-2.0 */

/* What stays of a step's container, and what of a job's names: as little as was asked for. */

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/enroot/enroot.h"
#include "cmd/step/child.h"
#include "cmd/step/hold_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"

#define END_TIMEOUT_MS 10000
#define SERVER_TIMEOUT_MS 3000
#define NAMES_BYTES_MAX (1u << 20)

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

/* csbx-hold ends when its socket does; an entry point that stands in its way is killed. */
static void end_container(struct hold *h)
{
	struct pollfd p = {.fd = -1, .events = POLLIN};
	int status;

	fd_close(&h->child_sock);
	if (!h->child)
		return;
	p.fd = (int)syscall(SYS_pidfd_open, h->child, 0);
	if (p.fd < 0 || poll(&p, 1, END_TIMEOUT_MS) != 1)
		kill(h->child, SIGKILL); /* our child, not waited for: the number is its own */
	while (waitpid(h->child, &status, 0) < 0 && errno == EINTR) {
	}
	h->child = 0;
	if (p.fd >= 0)
		close(p.fd);
	wait_for_server(h);
}

static int save(struct hold *h, struct err *e)
{
	struct stat st;
	int r;

	if (fstatat(h->dirfd, "joined", &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (uint64_t)st.st_size < h->a.tasks)
		return err_set(e, ECANCELED,
			       "not all tasks have started in the container: it is not saved");
	strbuf_reset(&h->said);
	r = hold_enroot(h, NULL, e, "export", "--force", "--output", h->a.save,
			h->a.name ? h->a.name : h->target, (char *)NULL);
	return r < 0 ? err_wrap(e, "%s", h->a.save) : 0;
}

static void remove_dir(const struct hold *h)
{
	_free_ char *parent = str_printf("%.*s", (int)(h->dirname - 1 - h->a.dir), h->a.dir);
	_close_ int fd = parent ? step_dir_open(parent, NULL) : -1;
	struct stat ours, there;

	/* Not that of the same step of a requeued job, which may have begun already. */
	if (fd >= 0 && fstat(h->dirfd, &ours) == 0 &&
	    fstatat(fd, h->dirname, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	    ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
		path_remove_tree_at(fd, h->dirname, NULL);
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
	remove_dir(h);
	return r;
}

/* --- names that go with their job ---------------------------------------------------------------
 */

static void names_file(uint64_t job, char ret[32])
{
	snprintf(ret, 32, "job-%llu", (unsigned long long)job);
}

/* A line a name: where its store is, then the name. The epilog has no environment to tell. */
int hold_remember_name(const struct hold *h, struct err *e)
{
	_free_ char *parent = str_printf("%.*s", (int)(h->dirname - 1 - h->a.dir), h->a.dir);
	_strbuf_ struct strbuf line = STRBUF_INIT;
	struct enroot x = {.self = PROGRAM_CSBX};
	_close_ int dirfd = -1, fd = -1;
	char file[32];
	int r = enroot_load_state(&x, e);

	if (r >= 0)
		strbuf_addf(&line, "%s\t%s\t%s\n", x.cmd.paths.data, x.cmd.paths.layers, h->a.name);
	enroot_free_state(&x);
	if (r < 0 || strbuf_check(&line, e) < 0)
		return r < 0 ? r : -ENOMEM;
	dirfd = parent ? step_dir_open(parent, e) : -ENOMEM;
	if (dirfd < 0)
		return dirfd;
	names_file(h->a.job, file);
	fd = openat(dirfd, file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "%s/%s", parent, file);
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
static int remove_names(int dirfd, const char *file, struct err *e)
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

int hold_end_job(const struct hold_args *a)
{
	_close_ int dirfd = -1;
	struct err e = ERR_INIT;
	char file[32];

	dirfd = step_dir_open(a->dir, &e);
	if (dirfd < 0)
		return cmd_error(&e, "the job's end");
	names_file(a->job, file);
	return remove_names(dirfd, file, &e) < 0 ? cmd_error(&e, "the job's end") : CMD_EXIT_OK;
}
