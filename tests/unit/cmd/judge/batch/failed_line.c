/* SPDX-License-Identifier: Apache-2.0 */
/* The line is to blame, or the machine. */
#include "cmd/judge/batch/failed_line.h"

#include <errno.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

static void record_of(int code, const char *label, unsigned occurrence, bool blames_line,
		      const char *expected)
{
	struct strbuf record = STRBUF_INIT;
	struct err why = ERR_INIT;

	(void)err_set(&why, code, "why");
	ok(batch_failed_line(7, label, occurrence, &why, &record) == blames_line, "errno %d", code);
	is_str(strbuf_str(&record), expected, "record of errno %d", code);
	strbuf_free(&record);
}

int main(void)
{
	static const int of_the_host[] = {ENOMEM, EMFILE, ENFILE, ENOSPC,
					  EDQUOT, EAGAIN, EIO,    EROFS};

	record_of(EINVAL, NULL, 1, true,
		  "{\"id\":null,\"line\":7,\"status\":\"bad_line\",\"success\":false,\"error\":"
		  "{\"code\":\"bad_line\",\"stage\":\"line 7\",\"message\":\"why\"}}\n");
	record_of(
		ENOENT, "\"a\"", 2, true,
		"{\"id\":\"a\",\"occurrence\":2,\"line\":7,\"status\":\"bad_line\",\"success\":false,"
		"\"error\":{\"code\":\"bad_line\",\"stage\":\"line 7\",\"message\":\"why\"}}\n");
	for (size_t i = 0; i < sizeof(of_the_host) / sizeof(of_the_host[0]); i++)
		record_of(
			of_the_host[i], "3", 1, false,
			"{\"id\":3,\"line\":7,\"status\":\"sandbox_error\",\"success\":false,\"error\":"
			"{\"code\":\"sandbox_error\",\"stage\":\"line 7\",\"message\":\"why\"}}\n");
	return done_testing();
}
