/* SPDX-License-Identifier: Apache-2.0 */
/* What the harness says, up to its end. */
#include "cmd/judge/harness_frame.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/str.h"
#include "tests/unit/tap.h"

static void test_end(bool leaves_bytes, const char *what)
{
	_strbuf_ struct strbuf said = STRBUF_INIT;
	struct harness_buffer in = {0};
	struct harness_frame f = {0};
	int pair[2];

	if (!ok(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0, "socketpair"))
		return;
	is_int(harness_frame_fill(&in, pair[0], NULL), -EAGAIN, "%s: nothing yet", what);
	harness_frame_write(&said, 'D', 7, "abc", 3);
	ok(write(pair[1], said.data, said.len) == (ssize_t)said.len, "%s: said", what);
	if (leaves_bytes)
		ok(write(pair[0], "unread", 6) == 6, "%s: told", what);
	close(pair[1]);
	is_int(harness_frame_fill(&in, pair[0], NULL), 1, "%s: what was said comes first", what);
	is_int(harness_frame_next(&in, &f, NULL), 1, "%s: whole", what);
	ok(f.kind == 'D' && f.number == 7 && f.len == 3, "%s: as it was said", what);
	is_int(harness_frame_fill(&in, pair[0], NULL), 0, "%s: the end", what);
	is_int(harness_frame_fill(&in, pair[0], NULL), 0, "%s: it stays", what);
	harness_buffer_free(&in);
	close(pair[0]);
}

int main(void)
{
	test_end(false, "a peer that has read all");
	test_end(true, "a peer that has left bytes unread");
	return done_testing();
}
