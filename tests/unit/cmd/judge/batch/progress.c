/* SPDX-License-Identifier: Apache-2.0 */
/* The words in which a batch tells its progress. */
#include "cmd/judge/batch/progress.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

#define S UINT64_C(1000000000)

static void line_is(const struct batch_progress *p, uint64_t now, const char *expected)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	batch_progress_add_line(p, now, &out);
	is_str(strbuf_str(&out), expected, "line: %s", expected);
}

static void end_is(const struct batch_progress *p, uint64_t now, const char *expected, bool told)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	ok(batch_progress_add_end(p, now, &out) == told, "told: %d", told);
	is_str(strbuf_str(&out), expected, "end: %s", expected);
}

static void test_lines(void)
{
	struct batch_progress p = {.total = 2000, .begin_ns = 5 * S};

	line_is(&p, 5 * S, "0 of 2,000 lines done");
	line_is(&p, 9 * S, "0 of 2,000 lines done");
	p.done = 154;
	line_is(&p, 15 * S, "154 of 2,000 lines done, 15 a second, 2 min 0 s left");
	p.done = 1000;
	p.passed_over = 990; /* these took no time */
	line_is(&p, 15 * S, "1,000 of 2,000 lines done, 1.0 a second, 16 min 40 s left");
	p.done = 2000;
	p.wrong = 3;
	p.failed = 1;
	line_is(&p, 1015 * S, "2,000 of 2,000 lines done, 4 wrong, 1.0 a second");
	p = (struct batch_progress){.done = 1234567, .begin_ns = S};
	line_is(&p, 2 * S, "1,234,567 lines done, 1234567 a second");
	p = (struct batch_progress){.done = 1, .total = 50000, .begin_ns = S};
	line_is(&p, 2 * S, "1 of 50,000 lines done, 1.0 a second, 13 h 53 min left");
}

static void test_ends(void)
{
	struct batch_progress p = {.total = 2000, .done = 154, .begin_ns = S};

	end_is(&p, 14 * S, "154 of 2,000 lines were done in 13 s", true);
	p.done = 2000;
	end_is(&p, 3 * S, "2,000 of 2,000 lines were done in 2.0 s", false);
	p.passed_over = 154;
	p.wrong = 1;
	end_is(&p, 3 * S,
	       "2,000 of 2,000 lines were done in 2.0 s, 154 of them by a run before, 1 is a wrong "
	       "line (bad_line)",
	       true);
	p = (struct batch_progress){.done = 3, .wrong = 2, .failed = 1, .begin_ns = S};
	end_is(&p, 80 * S,
	       "3 lines were done in 1 min 19 s, 2 are wrong lines (bad_line), 1 could not be run "
	       "(sandbox_error, launch_error)",
	       true);
	p = (struct batch_progress){.total = 1, .done = 1, .begin_ns = S};
	end_is(&p, S, "1 of 1 line was done in 0.0 s", false);
}

static void test_counting(void)
{
	static const char text[] = "skipped\n{}\n\n \t\r\n  x\nlast";
	_close_ int fd = memfd_create("lines", MFD_CLOEXEC);
	struct batch_progress p;
	int pipes[2];

	ok(write(fd, text, strlen(text)) == (ssize_t)strlen(text), "write");
	ok(lseek(fd, 8, SEEK_SET) == 8, "seek");
	batch_progress_begin(&p, fd);
	ok(p.total == 3, "lines that are not blank, from where it stands: %d", (int)p.total);
	ok(lseek(fd, 0, SEEK_CUR) == 8, "it still stands there");
	ok(!pipe2(pipes, O_CLOEXEC), "pipe");
	batch_progress_begin(&p, pipes[0]);
	ok(!p.total, "a pipe's lines are not known");
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	test_lines();
	test_ends();
	test_counting();
	return done_testing();
}
