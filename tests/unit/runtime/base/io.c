/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "tests/unit/tap.h"

#define BYTES (1u << 20) /* more than a pipe holds */

/* Reads when nothing more fits; exits with 0 when as many bytes came as were to come. */
static _Noreturn void read_late(int in, int out)
{
	static char chunk[8192];
	size_t total = 0;
	ssize_t n;
	int held = 0, full = fcntl(out, F_GETPIPE_SZ);

	close(out);
	while (held < full && ioctl(in, FIONREAD, &held) == 0)
		;
	while ((n = read(in, chunk, sizeof(chunk))) > 0)
		total += (size_t)n;
	_exit(total != BYTES);
}

/* A terminal that another program has told not to wait is the same for us. */
static void test_write_waits_for_room(void)
{
	char *data = calloc(1, BYTES);
	struct err e = ERR_INIT;
	int ends[2], status;
	pid_t pid;

	if (!data || pipe2(ends, O_CLOEXEC) < 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0)
		abort();
	pid = fork();
	if (!pid)
		read_late(ends[0], ends[1]);
	close(ends[0]);
	is_int(io_write_all(ends[1], data, BYTES, &e), 0, "all is written: %s", e.msg);
	close(ends[1]);
	ok(waitpid(pid, &status, 0) == pid && status == 0, "and all is read");
	free(data);
}

/* A file that the container chose for us to read must not hold us up. */
static void test_read_does_not_wait(void)
{
	struct err e = ERR_INIT;
	int ends[2];
	char c;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		abort();
	is_int(io_read_exact(ends[0], &c, 1, &e), -EAGAIN, "nothing is there: an error");
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	test_write_waits_for_room();
	test_read_does_not_wait();
	return done_testing();
}
