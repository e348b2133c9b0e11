/* SPDX-License-Identifier: Apache-2.0 */

/*
 * docker top: ps(1) of the host with the caller's options, of whose lines those of the container's
 * processes are shown, as the daemon does it.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/container/processes.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

#define OUTPUT_BYTES_MAX (16u << 20)
#define CELL_MIN 20u
#define CELL_GAP 3u

/* Does not return. */
static void become_ps(int argc, char **argv, int out)
{
	char *words[68] = {(char *)"ps", (char *)"-ef", NULL};

	for (int i = 0; i < argc && i < 66; i++) {
		words[i + 1] = argv[i];
		words[i + 2] = NULL;
	}
	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0)
		execvp("ps", words);
	_exit(127);
}

static int run_ps(int argc, char **argv, struct strbuf *out, struct err *e)
{
	_close_ int read_end = -1, write_end = -1;
	int ends[2], status = 0, r;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	read_end = ends[0];
	write_end = ends[1];
	pid = fork();
	if (!pid)
		become_ps(argc, argv, write_end);
	if (pid < 0)
		return err_sys(e, "fork");
	fd_close(&write_end);
	r = io_read_all(read_end, OUTPUT_BYTES_MAX, out, e);
	fd_close(&read_end);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r >= 0 && status && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(e, ENOENT, "Error running ps: it is not installed on this host");
	if (r >= 0 && status)
		return err_set(e, EINVAL, "Error running ps: %s", strbuf_str(out));
	return r < 0 ? r : 0;
}

/* The words of a line; the last of n takes the rest. */
static void split(char *line, size_t n, struct strv *ret)
{
	char *rest = line, *word;

	while (ret->n + 1 < n && (word = strtok_r(NULL, " \t", &rest)))
		strv_add(ret, word);
	rest += strspn(rest, " \t");
	if (*rest)
		strv_add(ret, rest);
}

static bool is_shown(const struct process_list *l, const char *text)
{
	uint64_t pid;

	if (num_parse_u64(text, INT32_MAX, &pid) < 0)
		return false;
	for (size_t i = 0; i < l->n; i++) {
		if ((uint64_t)l->items[i].pid == pid)
			return true;
	}
	return false;
}

struct rows {
	struct strv *items;
	size_t n;
};

static int choose(char *text, const struct process_list *l, struct rows *ret, struct err *e)
{
	size_t pid_at = SIZE_MAX, n_columns = SIZE_MAX;
	char *save = NULL, *line = strtok_r(text, "\n", &save);

	for (; line; line = strtok_r(NULL, "\n", &save)) {
		struct strv *items = reallocarray(ret->items, ret->n + 1, sizeof(*items)), *row;

		if (!items)
			return err_oom(e);
		ret->items = items;
		row = &items[ret->n];
		*row = (struct strv)STRV_INIT;
		split(line, n_columns, row);
		for (size_t i = 0; !ret->n && i < row->n; i++) {
			if (str_eq(row->items[i], "PID"))
				pid_at = i;
		}
		if (!ret->n && pid_at == SIZE_MAX) {
			strv_free(row);
			return err_set(e, EINVAL, "Couldn't find PID field in ps output");
		}
		if (!ret->n)
			n_columns = row->n;
		if (!ret->n || (pid_at < row->n && is_shown(l, row->items[pid_at])))
			ret->n++;
		else
			strv_free(row);
	}
	return ret->n ? 0 : err_set(e, EINVAL, "Couldn't find PID field in ps output");
}

/* text/tabwriter with a least width of 20 and three blanks between; the last cell ends the line. */
static void print_rows(const struct rows *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct strv *row = &r->items[i];

		for (size_t k = 0; k < row->n; k++) {
			size_t width = CELL_MIN, len = strlen(row->items[k]);

			for (size_t j = 0; j < r->n; j++) {
				size_t other = k < r->items[j].n ? strlen(r->items[j].items[k]) : 0;

				width = other + CELL_GAP > width ? other + CELL_GAP : width;
			}
			strbuf_addstr(out, row->items[k]);
			for (; k + 1 < row->n && len < width; len++)
				strbuf_addch(out, ' ');
		}
		strbuf_addch(out, '\n');
	}
}

static int top(struct docker *d, int argc, char **argv, struct strbuf *out, struct docker_fault *f)
{
	_process_list_ struct process_list l = {0};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct docker_target t;
	struct rows rows = {0};
	int r = docker_target_open(&d->cmd.paths, argv[0], &t, f);

	if (r >= 0)
		r = docker_target_instance(&d->cmd.paths, &t, f);
	/* The list after ps: what has ended meanwhile is left out, with what has begun. */
	if (r >= 0)
		r = run_ps(argc - 1, argv + 1, &text, &f->err);
	if (r >= 0)
		r = process_list_read(&l, t.instance.init, &f->err);
	if (r >= 0)
		r = text.len ? choose(text.data, &l, &rows, &f->err)
			     : docker_refuse(f, "Couldn't find PID field in ps output");
	if (r >= 0)
		print_rows(&rows, out);
	for (size_t i = 0; i < rows.n; i++)
		strv_free(&rows.items[i]);
	free(rows.items);
	docker_target_close(&t);
	return r;
}

static int top_run(struct docker *d, void *args, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;

	(void)args;
	if (top(d, argc, argv, &out, &f) < 0)
		return docker_daemon_error("%s", f.err.msg);
	return cmd_print(&out);
}

const struct docker_verb docker_verb_top = {
	.name = "top",
	.usage = "CONTAINER [ps OPTIONS]",
	.flags = DOCKER_OPERAND_ENDS,
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.run = top_run,
};
