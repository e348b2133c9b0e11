/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/usage/top.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/usage/processes.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

#define OUTPUT_BYTES_MAX (16u << 20)
#define WORDS_MAX 66u

/* Does not return. */
static void become_ps(const struct strv *options, char *only, int out)
{
	char *words[WORDS_MAX + 3] = {(char *)"ps", (char *)"-ef", only, NULL};

	for (size_t i = 0; i < options->n && i < WORDS_MAX; i++) {
		words[i + 1] = options->items[i];
		words[i + 2] = only;
		words[i + 3] = NULL;
	}
	if (dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0)
		execvp("ps", words);
	_exit(127);
}

/* only: the word that asks for the container's processes and no others, or NULL. */
static int run_ps(const struct strv *options, char *only, struct strbuf *out, struct err *e)
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
		become_ps(options, only, write_end);
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

static int choose(char *text, const struct process_list *l, struct docker_top *ret, struct err *e)
{
	size_t pid_at = SIZE_MAX, n_columns = SIZE_MAX;
	char *save = NULL, *line = strtok_r(text, "\n", &save);

	for (; line; line = strtok_r(NULL, "\n", &save)) {
		struct strv *items = reallocarray(ret->rows, ret->n + 1, sizeof(*items)), *row;

		if (!items)
			return err_oom(e);
		ret->rows = items;
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

static char *ids_word(const struct process_list *l)
{
	_strbuf_ struct strbuf word = STRBUF_INIT;

	strbuf_addstr(&word, "-q");
	for (size_t i = 0; i < l->n; i++)
		strbuf_addf(&word, "%s%d", i ? "," : "", (int)l->items[i].pid);
	return strbuf_check(&word, NULL) < 0 ? NULL : strdup(strbuf_str(&word));
}

/*
 * ps shows the container's processes alone where it can. Some options forbid that, and some ps do
 * not know of it: there it shows those of the host, of which the others are left out.
 */
static int look(const struct strv *words, const struct process_list *l, struct strbuf *out,
		struct err *e)
{
	_free_ char *only = l->n ? ids_word(l) : NULL;

	if (only && run_ps(words, only, out, NULL) >= 0)
		return 0;
	strbuf_reset(out);
	return run_ps(words, NULL, out, e);
}

int docker_top(const struct paths *p, struct docker_target *t, const struct strv *words,
	       struct docker_top *ret, struct docker_fault *f)
{
	_process_list_ struct process_list l = {0};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = docker_target_instance(p, t, f);

	if (r >= 0)
		r = process_list_read(&l, t->instance.init, &f->err);
	if (r >= 0)
		r = look(words, &l, &text, &f->err);
	if (r >= 0)
		r = text.len ? choose(text.data, &l, ret, &f->err)
			     : docker_refuse(f, "Couldn't find PID field in ps output");
	if (r >= 0)
		docker_event_target(p, t, "top", NULL, NULL);
	return r;
}

void docker_top_free(struct docker_top *t)
{
	for (size_t i = 0; i < t->n; i++)
		strv_free(&t->rows[i]);
	free(t->rows);
	*t = (struct docker_top){0};
}
