/* SPDX-License-Identifier: Apache-2.0 */
/* The log of a container: what does not fit is told, and a log is gone on with after a kill. */
#include "runtime/stream/run_log.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "tests/unit/tap.h"

static char dir[] = "/tmp/csbx-test-log-XXXXXX";
static int dirfd_;

/* All that is in the log; notes in brackets of their own anyway. */
static char *read_log(unsigned *ret_notes)
{
	_strbuf_ struct strbuf all = STRBUF_INIT;
	struct run_log_frame f = {.data = STRBUF_INIT};
	struct run_log_reader r;

	*ret_notes = 0;
	is_int(run_log_open(dirfd_, &r, NULL), 0, "opened");
	while (run_log_next(&r, &f, NULL) > 0) {
		strbuf_add(&all, f.data.data, f.data.len);
		*ret_notes += f.is_note;
	}
	strbuf_free(&f.data);
	run_log_reader_close(&r);
	return strbuf_take(&all);
}

static void limit_files(rlim_t bytes)
{
	struct rlimit l;

	getrlimit(RLIMIT_FSIZE, &l);
	l.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &l);
}

static void clear(void)
{
	unlinkat(dirfd_, "log", 0);
	unlinkat(dirfd_, "log.1", 0);
}

/* A file that cannot grow stands for a full disk: a write is refused, or is short. */
static void test_full(void)
{
	static char block[3000];
	_free_ char *text = NULL;
	unsigned notes;
	struct run_log l;

	memset(block, 'x', sizeof(block));
	is_int(run_log_create(dirfd_, RUN_LOG_BYTES, &l, NULL), 0, "made");
	run_log_add(&l, 1, "begin\n", 6);
	limit_files(40);
	run_log_add(&l, 1, block, sizeof(block));
	run_log_add(&l, 2, block, 100);
	is_int(l.all_lost_bytes, 3100, "what did not fit is counted");
	limit_files(RLIM_INFINITY);
	run_log_add(&l, 1, "end\n", 4);
	run_log_close(&l);
	text = read_log(&notes);
	ok(text && str_has_prefix(text, "begin\n[csbx: 3100 bytes of output are not here: "),
	   "and told");
	ok(text && str_has_suffix(text, "]\nend\n") && notes == 1, "before what fits again");
	clear();
}

static void test_full_to_the_end(void)
{
	_free_ char *text = NULL;
	unsigned notes;
	struct run_log l;

	is_int(run_log_create(dirfd_, RUN_LOG_BYTES, &l, NULL), 0, "made");
	limit_files(0);
	run_log_add(&l, 1, "lost\n", 5);
	limit_files(RLIM_INFINITY);
	run_log_close(&l);
	text = read_log(&notes);
	ok(text && notes == 1 && str_has_prefix(text, "[csbx: 5 bytes"), "told at the end");
	clear();
}

static void test_go_on(void)
{
	_free_ char *text = NULL, *again = NULL;
	unsigned notes;
	struct run_log l;
	int fd;

	is_int(run_log_reopen(dirfd_, RUN_LOG_BYTES, &l, NULL), 0, "a first time");
	run_log_add(&l, 1, "one\n", 4);
	run_log_close(&l);
	/* A kill in the middle of a frame. */
	fd = openat(dirfd_, "log", O_WRONLY | O_APPEND | O_CLOEXEC);
	ok(fd >= 0 && write(fd, "00000000000000ff o 00000010\nhalf", 32) == 32, "cut off");
	fd_close(&fd);
	is_int(run_log_reopen(dirfd_, RUN_LOG_BYTES, &l, NULL), 0, "again");
	run_log_add(&l, 2, "two\n", 4);
	run_log_close(&l);
	text = read_log(&notes);
	is_str(text, "one\ntwo\n", "the half frame is gone");
	fd = openat(dirfd_, "log", O_WRONLY | O_APPEND | O_CLOEXEC);
	ok(fd >= 0 && write(fd, "no frame at all, and longer than a head\n", 40) == 40, "garbage");
	fd_close(&fd);
	is_int(run_log_reopen(dirfd_, RUN_LOG_BYTES, &l, NULL), 0, "and again");
	run_log_add(&l, 1, "three\n", 6);
	run_log_close(&l);
	again = read_log(&notes);
	is_str(again, "one\ntwo\nthree\n", "all else stays");
	clear();
}

int main(void)
{
	signal(SIGXFSZ, SIG_IGN);
	if (!mkdtemp(dir) || (dirfd_ = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return 1;
	test_full();
	test_full_to_the_end();
	test_go_on();
	path_remove_tree_at(AT_FDCWD, dir, NULL);
	return done_testing();
}
