/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of lines, also of those that cannot be read, and lines that share one. */
#include "cmd/judge/batch/line.h"

#include <string.h>

#include "cmd/judge/batch/seen.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

static void label_is(const char *text, const char *expected)
{
	_strbuf_ struct strbuf label = STRBUF_INIT;

	batch_find_label(text, strlen(text), &label);
	is_str(strbuf_str(&label), expected, "%s", text);
}

int main(void)
{
	struct batch_seen seen = {0};

	label_is("{\"id\": \"a\"}", "\"a\"");
	label_is("{\"id\": -0, \"x\": ", "0");
	label_is("{\"id\": 12345678901234567890123, \"x\": nonsense", "12345678901234567890123");
	label_is("{\"x\": {\"id\": 1}, \"y\": [{\"id\": 2}], \"task_id\": \"t\"", "\"t\"");
	label_is("{\"instance_id\": \"i\", \"task_id\": \"t\"}", "\"t\"");
	label_is("{\"task_id\": \"t\", \"id\": 3}", "3");
	label_is("{\"id\": null, \"task_id\": \"t\"}", "\"t\"");
	label_is("{\"id\": \"id\", \"task_id\": \"t\"}", "\"id\"");
	label_is("{\"id\": 1.5}", "");
	label_is("{\"id\": [1]}", "");
	label_is("[\"id\", 1]", "");
	label_is("\"id\"", "");
	label_is("{", "");
	label_is("", "");

	ok(batch_seen_add(&seen, "1") == 1 && batch_seen_add(&seen, "\"1\"") == 1, "two ids");
	ok(batch_seen_add(&seen, "1") == 2 && batch_seen_add(&seen, "1") == 3, "of one");
	ok(batch_seen_add(&seen, "\"1\"") == 2, "of the other");
	batch_seen_free(&seen);
	ok(batch_seen_add(&seen, "1") == 1, "nothing is left");
	batch_seen_free(&seen);
	return done_testing();
}
