/* SPDX-License-Identifier: Apache-2.0 */
/* Traces: foreign text in them does not steer the terminal. */
#include "runtime/base/log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/tap.h"

static char text[8192];

static void trace(const char *arg)
{
	int pipes[2], old = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	ssize_t n;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		abort();
	dup2(pipes[1], STDERR_FILENO);
	log_trace("no lane: %s", arg);
	dup2(old, STDERR_FILENO);
	close(pipes[1]);
	n = read(pipes[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	close(pipes[0]);
	close(old);
}

static bool ends_in(const char *end)
{
	size_t n = strlen(text), len = strlen(end);

	return n >= len && !strcmp(text + n - len, end);
}

int main(void)
{
	char longest[2000];

	unsetenv("CSBX_DEBUG");
	log_init();
	trace("x");
	is_str(text, "", "nothing unless it is wanted");
	setenv("CSBX_DEBUG", "1", 1);
	log_init();
	trace("plain \xc3\xbc");
	ok(ends_in("no lane: plain \xc3\xbc\n"), "plain text as it is");
	trace("a\x1b[2J\nb\x9b\xc2\x9b");
	ok(ends_in("no lane: a\\x1b[2J\\x0ab\\x9b\\xc2\\x9b\n"), "control characters are shown");
	memset(longest, 0x1b, sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	trace(longest);
	ok(strlen(text) < 4096 && ends_in("\\x1b\n"), "a long text is cut");
	return done_testing();
}
