/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch/worker.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/judge/batch/batch.h"
#include "cmd/judge/batch/failed_line.h"
#include "cmd/judge/batch/line.h"
#include "cmd/judge/value/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/patient_fork.h"

#define READ_BYTES 65536u

/* In front of a line that goes to a process that waits for one. */
struct line_head {
	uint64_t number, label_len, len;
	uint64_t occurrence;
};

/* One that is gone is no signal for this process. */
static bool send_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return true;
}

static bool send_record(int fd, const struct batch_head *head, const struct strbuf *record)
{
	_strbuf_ struct strbuf all = STRBUF_INIT;

	strbuf_add(&all, head, sizeof(*head));
	strbuf_add(&all, strbuf_str(record), record->len);
	return !record->failed && !all.failed && send_all(fd, all.data, all.len);
}

/* True: the process may have another line. */
static bool work(const struct batch *b, const struct batch_worker *w, const char *text, size_t len,
		 int fd, int end_fd)
{
	struct value_pool pool = VALUE_POOL_INIT;
	struct strbuf record = STRBUF_INIT;
	bool goes_on = false;
	struct batch_line line = {.number = w->number,
				  .label = w->label.len ? strbuf_str(&w->label) : NULL,
				  .occurrence = w->occurrence,
				  .end_fd = end_fd,
				  .goes_on = &goes_on};
	struct batch_head head = {.how = BATCH_RAN};
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
		head.how = batch_failed_line(line.number, line.label, line.occurrence, &e, &record)
				   ? BATCH_BAD_LINE
				   : BATCH_FAILED;
	} else if (r) {
		head.how = BATCH_FAILED;
	}
	head.len = record.len;
	head.goes_on = goes_on && r == 0;
	if (!send_record(fd, &head, &record))
		return false;
	strbuf_free(&record);
	value_pool_free(&pool);
	return head.goes_on;
}

static bool read_text(int fd, uint64_t len, struct strbuf *ret)
{
	strbuf_reset(ret);
	if (len > BATCH_LINE_BYTES_MAX || !strbuf_reserve(ret, len + 1) ||
	    io_read_exact(fd, ret->data, len, NULL) < 0)
		return false;
	ret->len = len;
	ret->data[len] = 0;
	return true;
}

/* False: there is none to come. */
static bool wait_for_line(int fd, int end_fd, struct batch_worker *w, struct strbuf *line)
{
	struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = end_fd, .events = POLLIN}};
	struct line_head head;

	while (poll(p, 2, -1) < 0) {
		if (errno != EINTR)
			return false;
	}
	if (p[1].revents || io_read_exact(fd, &head, sizeof(head), NULL) < 0)
		return false;
	w->number = head.number;
	w->occurrence = (unsigned)head.occurrence;
	return read_text(fd, head.label_len, &w->label) && read_text(fd, head.len, line);
}

/* w: the process's own copy. */
static __attribute__((noreturn)) void serve(const struct batch *b, struct batch_worker *w,
					    const char *text, size_t len, int fd, int end_fd)
{
	struct strbuf line = STRBUF_INIT;

	while (work(b, w, text, len, fd, end_fd) && wait_for_line(fd, end_fd, w, &line)) {
		text = line.data;
		len = line.len;
	}
	_exit(0); /* the memory goes with the process */
}

static void begin(struct batch_worker *w)
{
	w->is_busy = true;
	w->head_len = 0;
	strbuf_reset(&w->record);
}

int batch_worker_start(struct batch_worker *w, const struct batch *b, const char *text, size_t len,
		       const sigset_t *mask, int end[2], struct err *e)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return err_sys(e, "socketpair");
	w->pid = patient_fork();
	if (!w->pid) {
		(void)sigprocmask(SIG_SETMASK, mask, NULL);
		close(end[1]);
		close(fds[0]);
		serve(b, w, text, len, fds[1], end[0]);
	}
	close(fds[1]);
	if (w->pid < 0) {
		close(fds[0]);
		w->pid = 0;
		return err_sys(e, "fork");
	}
	w->fd = fds[0];
	begin(w);
	return 0;
}

bool batch_worker_go_on(struct batch_worker *w, const char *text, size_t len)
{
	const struct line_head head = {.number = w->number,
				       .label_len = w->label.len,
				       .len = len,
				       .occurrence = w->occurrence};
	_strbuf_ struct strbuf all = STRBUF_INIT;

	strbuf_add(&all, &head, sizeof(head));
	strbuf_add(&all, strbuf_str(&w->label), w->label.len);
	strbuf_add(&all, text, len);
	if (all.failed || !send_all(w->fd, all.data, all.len))
		return false;
	begin(w);
	return true;
}

static bool is_whole(const struct batch_worker *w)
{
	return w->head_len == sizeof(w->head) && w->record.len == w->head.len && !w->record.failed;
}

int batch_worker_read(struct batch_worker *w, struct err *e)
{
	struct iovec parts[2] = {{(char *)&w->head + w->head_len, sizeof(w->head) - w->head_len}};
	size_t head;
	ssize_t n;

	(void)strbuf_reserve(&w->record, READ_BYTES);
	if (w->record.failed)
		return err_oom(e);
	parts[1] = (struct iovec){w->record.data + w->record.len, READ_BYTES};
	n = readv(w->fd, parts, 2);
	if (n < 0 && errno == EINTR)
		return 0;
	if (n <= 0)
		return 1;
	head = (size_t)n < parts[0].iov_len ? (size_t)n : parts[0].iov_len;
	w->head_len += head;
	w->record.len += (size_t)n - head;
	w->record.data[w->record.len] = 0;
	return is_whole(w);
}

/* Returns the wait status. */
static int reap(struct batch_worker *w)
{
	int status = 0;

	fd_close(&w->fd);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
	return status;
}

enum batch_ran batch_worker_finish(struct batch_worker *w)
{
	struct err why = ERR_INIT;
	int status = 0;

	w->is_busy = false;
	if (!is_whole(w) || !w->head.goes_on)
		status = reap(w);
	if (is_whole(w) && w->record.len && w->head.how != BATCH_LOST)
		return (enum batch_ran)w->head.how;
	err_set(&why, EIO, "csbx failed (wait status %d)", status);
	strbuf_reset(&w->record);
	(void)batch_failed_line(w->number, strbuf_str(&w->label), w->occurrence, &why, &w->record);
	return BATCH_FAILED;
}

void batch_worker_end(struct batch_worker *w)
{
	if (!w->pid || w->is_busy)
		return;
	(void)shutdown(w->fd, SHUT_RDWR); /* workers that were forked later have it open too */
	(void)reap(w);
}
