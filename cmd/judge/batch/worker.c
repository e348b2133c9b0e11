/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/judge/batch/bad_line.h"
#include "cmd/judge/batch/batch.h"
#include "cmd/judge/batch/line.h"
#include "cmd/judge/value/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define READ_BYTES 65536u

static void work(const struct batch *b, const struct batch_worker *w, const char *text, size_t len,
		 int fd, int end_fd)
{
	struct value_pool pool = VALUE_POOL_INIT;
	struct strbuf record = STRBUF_INIT;
	struct batch_line line = {.number = w->number,
				  .label = w->label.len ? strbuf_str(&w->label) : NULL,
				  .occurrence = w->occurrence,
				  .end_fd = end_fd};
	enum batch_ran how = BATCH_RAN;
	struct err e = ERR_INIT;
	struct value v;
	int r;

	r = batch_read_line(&pool, text, len, &v, &e);
	if (r >= 0) {
		line.object = &v;
		r = b->work(b->ctx, &line, &record, &e);
	}
	if (r < 0) {
		strbuf_reset(&record);
		batch_bad_line(line.number, line.label, line.occurrence, &e, &record);
		how = BATCH_BAD_LINE;
	} else if (r) {
		how = BATCH_FAILED;
	}
	if (io_write_all(fd, strbuf_str(&record), record.len, NULL) < 0)
		how = BATCH_LOST;
	_exit((int)how); /* the memory goes with the process */
}

int batch_worker_start(struct batch_worker *w, const struct batch *b, const char *text, size_t len,
		       const sigset_t *mask, int end[2], struct err *e)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	w->pid = fork();
	if (!w->pid) {
		(void)sigprocmask(SIG_SETMASK, mask, NULL);
		close(end[1]);
		work(b, w, text, len, fds[1], end[0]);
	}
	close(fds[1]);
	if (w->pid < 0) {
		close(fds[0]);
		w->pid = 0;
		return err_sys(e, "fork");
	}
	w->fd = fds[0];
	strbuf_reset(&w->record);
	return 0;
}

int batch_worker_read(struct batch_worker *w, struct err *e)
{
	ssize_t n;

	(void)strbuf_reserve(&w->record, READ_BYTES);
	if (w->record.failed)
		return err_oom(e);
	n = read(w->fd, w->record.data + w->record.len, READ_BYTES);
	if (n < 0 && errno == EINTR)
		return 0;
	if (n <= 0)
		return 1;
	w->record.len += (size_t)n;
	w->record.data[w->record.len] = 0;
	return 0;
}

enum batch_ran batch_worker_reap(struct batch_worker *w)
{
	struct err why = ERR_INIT;
	int status = 0;
	enum batch_ran how;

	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	fd_close(&w->fd);
	w->pid = 0;
	how = WIFEXITED(status) ? (enum batch_ran)WEXITSTATUS(status) : BATCH_LOST;
	if (how != BATCH_LOST && how <= BATCH_FAILED && w->record.len && !w->record.failed)
		return how;
	err_set(&why, EIO, "csbx failed (wait status %d)", status);
	strbuf_reset(&w->record);
	batch_bad_line(w->number, strbuf_str(&w->label), w->occurrence, &why, &w->record);
	return BATCH_BAD_LINE;
}
