/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/slurm/hold.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/frame.h"
#include "cmd/slurm/hold_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/kernel/file_lock.h"

/*
 * --- the step's directory -----------------------------------------------------------------------
 */

static int take_lock(const struct hold *h, struct err *e)
{
	_close_ int fd = openat(h->dirfd, "lock", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : file_lock_try(fd, true);

	return r < 0 ? err_code(e, r, "%s/lock", h->a.dir) : take_fd(&fd);
}

static void tell_daemon(char byte)
{
	if (write(HOLD_LIFE_FD, &byte, 1) < 0)
		return; /* it has gone: the next look at the socket tells */
}

/*
 * --- what went wrong, for the tasks to print ----------------------------------------------------
 */

static void add_lines(struct strbuf *out, const char *prefix, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len) {
			strbuf_addstr(out, prefix);
			strbuf_add_escaped(out, text, len);
			strbuf_addch(out, '\n');
		}
		text += len + (text[len] == '\n');
	}
}

static void write_error(struct hold *h, const struct err *why)
{
	const struct io_replace where = {h->dirfd, "error", 0600, .replace = 1};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct err e = ERR_INIT;

	add_lines(&text, "csbx: ", why->msg);
	add_lines(&text, "csbx:     ", strbuf_str(&h->said));
	unlinkat(h->dirfd, "state", 0);
	if (strbuf_check(&text, &e) < 0 || io_write_file_at(&where, text.data, text.len, &e) < 0)
		cmd_error(&e, "join");
}

/*
 * --- life ---------------------------------------------------------------------------------------
 */

static int prepare(struct hold *h, struct err *e)
{
	int r = hold_check_sources(h, e);

	if (r >= 0)
		r = hold_open_save(h, e);
	if (r >= 0 && h->a.name && (h->a.how == HOLD_AUTO || h->a.how == HOLD_EXEC))
		r = hold_join_running(h, e);
	if (r == 0)
		r = hold_find(h, e);
	else if (r > 0)
		return step_state_write(h->dirfd, &h->state, e);
	if (r >= 0)
		r = hold_start(h, e);
	/* A container that runs has the file open, and a named one keeps it for good. */
	if (r >= 0)
		hold_drop_import(h);
	return r < 0 ? r : step_state_write(h->dirfd, &h->state, e);
}

/* The container's own process may die before the tasks: of too little memory, or by their hand. */
static void container_gone(struct hold *h)
{
	struct err e = ERR_INIT;

	fd_close(&h->child_sock);
	err_set(&e, ESRCH, "the container's own process has been killed");
	write_error(h, &e);
}

/* Until slurmstepd closes. True when all tasks have ended. */
static bool wait_for_end(struct hold *h)
{
	bool all_ended = false;

	for (;;) {
		struct pollfd p[2] = {{.fd = HOLD_LIFE_FD, .events = POLLIN},
				      {.fd = h->child_sock, .events = POLLIN}};
		char byte;

		if (poll(p, 2, -1) < 0)
			continue;
		if (p[1].revents && read(h->child_sock, &byte, 1) <= 0)
			container_gone(h);
		if (!p[0].revents)
			continue;
		if (read(HOLD_LIFE_FD, &byte, 1) <= 0)
			return all_ended;
		all_ended = all_ended || byte == 's';
	}
}

static void free_all(struct hold *h)
{
	hold_args_free(&h->a);
	free(h->image);
	free(h->target);
	step_state_free(&h->state);
	strbuf_free(&h->said);
	fd_close(&h->dirfd);
	fd_close(&h->alive_fd);
	fd_close(&h->child_sock);
	fd_close(&h->server_pidfd);
	fd_close(&h->save_dir);
}

/* Removes the directories of holders that were killed with their slurmstepd. */
static void sweep(const struct hold *h)
{
	_close_ int parentfd = hold_dir_open_parent(h, NULL);

	if (parentfd >= 0)
		hold_dir_sweep(parentfd);
}

static int hold(struct hold *h)
{
	struct err e = ERR_INIT;
	_close_ int lock = -1;
	bool all_ended;
	int r = hold_dir_make(h, &e);

	if (r >= 0)
		r = lock = take_lock(h, &e);
	if (r < 0)
		return cmd_error(&e, "join");
	tell_daemon('r');
	sweep(h);
	h->stop_fd = HOLD_LIFE_FD;
	r = prepare(h, &e);
	h->stop_fd = 0;
	if (r < 0)
		write_error(h, &e);
	fd_close(&lock);
	all_ended = wait_for_end(h);
	e = (struct err)ERR_INIT;
	if (hold_end(h, all_ended && r >= 0, &e) >= 0) {
		tell_daemon('d');
		return CMD_EXIT_OK;
	}
	tell_daemon('f');
	return cmd_error(&e, "--container-save");
}

int hold_main(int argc, char **argv)
{
	struct hold h = HOLD_INIT;
	struct err e = ERR_INIT;
	sigset_t all;
	int code;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (cmd_begin(&e) < 0 || hold_args_parse(&h.a, argc, argv, &e) < 0)
		code = cmd_error(&e, "__hold");
	else
		code = h.a.end_job    ? hold_end_job(&h.a)
		       : h.a.end_step ? hold_end_step(&h)
				      : hold(&h);
	free_all(&h);
	return code;
}

/*
 * --- commands -----------------------------------------------------------------------------------
 */
