/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch/progress.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define COUNT_BYTES 65536u
#define REDRAW_NS UINT64_C(200000000)
#define NS_PER_S 1e9

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Lines that are not blank. */
static uint64_t count_lines(int fd)
{
	char buf[COUNT_BYTES];
	off_t at = lseek(fd, 0, SEEK_CUR);
	bool is_blank = true;
	uint64_t count = 0;
	ssize_t n;

	while (at >= 0 && (n = pread(fd, buf, sizeof(buf), at)) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] == '\n')
				is_blank = true;
			else if (is_blank && buf[i] != ' ' && buf[i] != '\t' && buf[i] != '\r') {
				is_blank = false;
				count++;
			}
		}
		at += n;
	}
	return count;
}

void batch_progress_begin(struct batch_progress *p, int in_fd)
{
	struct stat st;

	*p = (struct batch_progress){.is_terminal = isatty(STDERR_FILENO), .begin_ns = now_ns()};
	if (fstat(in_fd, &st) == 0 && S_ISREG(st.st_mode))
		p->total = count_lines(in_fd);
}

/* 2,000 */
static void add_count(struct strbuf *out, uint64_t n)
{
	if (n < 1000) {
		strbuf_addf(out, "%llu", (unsigned long long)n);
		return;
	}
	add_count(out, n / 1000);
	strbuf_addf(out, ",%03llu", (unsigned long long)(n % 1000));
}

static void add_time(struct strbuf *out, double s)
{
	unsigned long long whole = s < 1e12 ? (unsigned long long)(s + 0.5) : 1000000000000u;

	if (s < 10 && whole < 10)
		strbuf_addf(out, "%.1f s", s);
	else if (whole < 60)
		strbuf_addf(out, "%llu s", whole);
	else if (whole < 3600)
		strbuf_addf(out, "%llu min %llu s", whole / 60, whole % 60);
	else
		strbuf_addf(out, "%llu h %llu min", whole / 3600, whole / 60 % 60);
}

/* "154 of 2,000 lines" */
static void add_done(const struct batch_progress *p, struct strbuf *out)
{
	add_count(out, p->done);
	if (p->total) {
		strbuf_addstr(out, " of ");
		add_count(out, p->total);
	}
	strbuf_addstr(out, (p->total ? p->total : p->done) == 1 ? " line" : " lines");
}

static double seconds_since(const struct batch_progress *p, uint64_t now)
{
	return now > p->begin_ns ? (double)(now - p->begin_ns) / NS_PER_S : 0;
}

void batch_progress_add_line(const struct batch_progress *p, uint64_t now, struct strbuf *out)
{
	double s = seconds_since(p, now), rate;

	add_done(p, out);
	strbuf_addstr(out, " done");
	if (p->wrong + p->failed) {
		strbuf_addstr(out, ", ");
		add_count(out, p->wrong + p->failed);
		strbuf_addstr(out, " wrong");
	}
	rate = s > 0 ? (double)(p->done - p->passed_over) / s : 0;
	if (rate <= 0)
		return;
	strbuf_addf(out, rate < 10 ? ", %.1f a second" : ", %.0f a second", rate);
	if (p->total > p->done) {
		strbuf_addstr(out, ", ");
		add_time(out, (double)(p->total - p->done) / rate);
		strbuf_addstr(out, " left");
	}
}

bool batch_progress_add_end(const struct batch_progress *p, uint64_t now, struct strbuf *out)
{
	add_done(p, out);
	strbuf_addstr(out,
		      (p->total ? p->total : p->done) == 1 ? " was done in " : " were done in ");
	add_time(out, seconds_since(p, now));
	if (p->passed_over) {
		strbuf_addstr(out, ", ");
		add_count(out, p->passed_over);
		strbuf_addstr(out, " of them by a run before");
	}
	if (p->wrong) {
		strbuf_addstr(out, ", ");
		add_count(out, p->wrong);
		strbuf_addstr(out, p->wrong == 1 ? " is a wrong line (bad_line)"
						 : " are wrong lines (bad_line)");
	}
	if (p->failed) {
		strbuf_addstr(out, ", ");
		add_count(out, p->failed);
		strbuf_addstr(out, " could not be run (sandbox_error, launch_error)");
	}
	return p->wrong || p->failed || p->done < p->total;
}

void batch_progress_draw(struct batch_progress *p)
{
	_strbuf_ struct strbuf line = STRBUF_INIT;
	struct winsize size = {0};
	size_t columns;
	uint64_t now;

	if (!p->is_terminal)
		return;
	now = now_ns();
	if (p->drawn_ns && now - p->drawn_ns < REDRAW_NS)
		return;
	columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
	strbuf_addch(&line, '\r');
	batch_progress_add_line(p, now, &line);
	if (line.len > columns)
		line.len = columns;
	strbuf_addstr(&line, "\033[K");
	if (!line.failed)
		(void)io_write_all(STDERR_FILENO, line.data, line.len, NULL);
	p->is_drawn = true;
	p->drawn_ns = now;
}

void batch_progress_clear(struct batch_progress *p)
{
	if (p->is_drawn)
		(void)io_write_all(STDERR_FILENO, "\r\033[K", 4, NULL);
	p->is_drawn = false;
}
