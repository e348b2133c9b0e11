/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/stream/run_log.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define HEAD_BYTES 28
#define NAME "log"
#define NAME_OLD "log.1"

/* --- writing ------------------------------------------------------------------------------ */

static int begin_file(struct run_log *l)
{
	l->fd = openat(l->dirfd, NAME,
		       O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	l->bytes = 0;
	return l->fd < 0 ? -errno : 0;
}

int run_log_create(int dirfd, uint64_t cap_bytes, struct run_log *ret, struct err *e)
{
	int r;

	*ret = (struct run_log){.dirfd = dirfd, .fd = -1, .half_bytes = cap_bytes / 2};
	r = begin_file(ret);
	return r < 0 ? err_code(e, r, "make the log") : 0;
}

static void turn(struct run_log *l)
{
	fd_close(&l->fd);
	if (renameat(l->dirfd, NAME, l->dirfd, NAME_OLD) == 0)
		(void)begin_file(l);
}

/* 0, or the positive errno for which nothing of it is in the log. */
static int write_frame(struct run_log *l, char kind, const void *data, size_t len)
{
	char head[HEAD_BYTES + 1];
	struct timespec t;
	struct iovec iov[2] = {{head, HEAD_BYTES}, {(void *)data, len}};
	ssize_t n;
	int error;

	clock_gettime(CLOCK_REALTIME, &t);
	snprintf(head, sizeof(head), "%016" PRIx64 " %c %08zx\n",
		 (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec, kind, len);
	n = writev(l->fd, iov, 2);
	if (n == (ssize_t)(HEAD_BYTES + len)) {
		l->bytes += (uint64_t)n;
		return 0;
	}
	error = n < 0 ? errno : ENOSPC;
	if (n > 0 && ftruncate(l->fd, (off_t)l->bytes) < 0)
		turn(l); /* half a frame would hide all that follow */
	return error;
}

static void note_loss(struct run_log *l)
{
	char text[160];
	int n;

	if (!l->lost_bytes || l->fd < 0)
		return;
	n = snprintf(text, sizeof(text), "[csbx: %llu bytes of output are not here: %s]\n",
		     (unsigned long long)l->lost_bytes, err_text(l->lost_error));
	if (n > 0 && !write_frame(l, 'n', text, (size_t)n))
		l->lost_bytes = 0;
}

static void add_frame(struct run_log *l, int stream, const void *data, size_t len)
{
	int error;

	note_loss(l);
	error = l->lost_bytes ? l->lost_error : write_frame(l, stream == 1 ? 'o' : 'e', data, len);
	if (!error)
		return;
	l->lost_bytes += len;
	l->all_lost_bytes += len;
	l->lost_error = error;
}

void run_log_add(struct run_log *l, int stream, const void *data, size_t len)
{
	const char *p = data;

	int error = 0;

	/* The first, or the next where it could not be made when the last one was full. */
	if (l->fd < 0 && l->dirfd >= 0)
		error = -begin_file(l);
	if (l->fd < 0)
		l->all_lost_bytes += len, l->lost_bytes += len, l->lost_error = error;
	while (len && l->fd >= 0) {
		size_t n = len < RUN_LOG_FRAME_MAX ? len : RUN_LOG_FRAME_MAX;

		if (l->bytes && l->bytes + HEAD_BYTES + n > l->half_bytes)
			turn(l);
		if (l->fd >= 0)
			add_frame(l, stream, p, n);
		p += n;
		len -= n;
	}
}

void run_log_close(struct run_log *l)
{
	note_loss(l);
	fd_close(&l->fd);
}

/* --- going on ----------------------------------------------------------------------------- */

static bool parse_head(const char *head, struct run_log_frame *f, size_t *ret_len);

/* The end of the last whole frame: a frame that a kill has cut off would hide all that follow. */
static off_t whole_bytes(int fd)
{
	struct run_log_frame f;
	char head[HEAD_BYTES];
	struct stat st;
	off_t at = 0;
	size_t len;

	if (fstat(fd, &st) < 0)
		return 0;
	while (pread(fd, head, sizeof(head), at) == HEAD_BYTES && parse_head(head, &f, &len) &&
	       at + HEAD_BYTES + (off_t)len <= st.st_size)
		at += HEAD_BYTES + (off_t)len;
	return at;
}

int run_log_reopen(int dirfd, uint64_t cap_bytes, struct run_log *ret, struct err *e)
{
	off_t end;

	*ret = (struct run_log){.dirfd = dirfd, .fd = -1, .half_bytes = cap_bytes / 2};
	ret->fd = openat(dirfd, NAME, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	/* It is made by the first output. */
	if (ret->fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, "open the log");
	end = whole_bytes(ret->fd);
	if (ftruncate(ret->fd, end) < 0)
		return err_sys(e, "open the log");
	ret->bytes = (uint64_t)end;
	return 0;
}

/* --- reading ------------------------------------------------------------------------------ */

static int open_file(struct run_log_reader *r, const char *name)
{
	r->off = 0;
	r->fd = openat(r->dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return r->fd < 0 ? -errno : 0;
}

int run_log_open(int dirfd, struct run_log_reader *ret, struct err *e)
{
	int r;

	*ret = (struct run_log_reader){.dirfd = dirfd, .fd = -1, .in_old = true};
	r = open_file(ret, NAME_OLD);
	if (r == -ENOENT) {
		ret->in_old = false;
		r = open_file(ret, NAME);
	}
	return r < 0 && r != -ENOENT ? err_code(e, r, "open the log") : 0;
}

/* False for what is no header; *ret_len is at most RUN_LOG_FRAME_MAX. */
static bool parse_head(const char *head, struct run_log_frame *f, size_t *ret_len)
{
	uint64_t number[2] = {0, 0};

	for (int i = 0; i < HEAD_BYTES; i++) {
		char c = head[i];
		bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');

		if (i == 16 || i == 18 ? c != ' '
		    : i == 17          ? c != 'o' && c != 'e' && c != 'n'
		    : i == 27          ? c != '\n'
				       : !digit)
			return false;
		if (digit && i != 17)
			number[i > 17] =
				number[i > 17] << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	f->time_ns = number[0];
	f->stream = head[17] == 'o' ? 1 : 2;
	f->is_note = head[17] == 'n';
	*ret_len = (size_t)number[1];
	return number[1] <= RUN_LOG_FRAME_MAX;
}

/* 1 a frame, 0 the end of this file. */
static int read_frame(struct run_log_reader *r, struct run_log_frame *f, struct err *e)
{
	char head[HEAD_BYTES];
	ssize_t n = pread(r->fd, head, sizeof(head), (off_t)r->off);
	size_t len;

	if (n < 0)
		return err_sys(e, "read the log");
	if (n < HEAD_BYTES)
		return 0;
	if (!parse_head(head, f, &len))
		return err_set(e, EBADMSG, "the log is damaged");
	strbuf_reset(&f->data);
	if (!strbuf_reserve(&f->data, len))
		return err_oom(e);
	n = pread(r->fd, f->data.data, len, (off_t)(r->off + HEAD_BYTES));
	if (n < 0)
		return err_sys(e, "read the log");
	if ((size_t)n < len)
		return 0;
	f->data.len = len;
	r->off += HEAD_BYTES + len;
	return 1;
}

/* True when the writer has begun another file since ours was opened. */
static bool has_turned(const struct run_log_reader *r)
{
	struct stat mine, now;

	return r->in_old || (fstat(r->fd, &mine) == 0 &&
			     fstatat(r->dirfd, NAME, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
			     (mine.st_ino != now.st_ino || mine.st_dev != now.st_dev));
}

int run_log_next(struct run_log_reader *r, struct run_log_frame *f, struct err *e)
{
	for (;;) {
		/* Asked before: a frame added between the two belongs to the file that is read. */
		bool turned = r->fd < 0 || has_turned(r);
		int got = r->fd < 0 ? 0 : read_frame(r, f, e);

		if (got || !turned)
			return got;
		fd_close(&r->fd);
		got = open_file(r, NAME);
		r->in_old = false;
		if (got < 0) /* nothing was written yet, or the next is about to be made */
			return got == -ENOENT ? 0 : err_code(e, got, "open the log");
	}
}

void run_log_reader_close(struct run_log_reader *r)
{
	fd_close(&r->fd);
}
