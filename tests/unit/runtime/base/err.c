/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/err.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/tap.h"

struct wrap_case {
	const char *words, *cause, *message;
};

static void wraps(void)
{
	static const struct wrap_case cases[] = {
		{"mount /x", "no", "mount /x: no"},
		{"mount /x", "/x: no", "mount /x: no"},
		{"/x", "/x: no", "/x: no"},
		{"import oci:/x", "/x: no", "import oci:/x: no"},
		{"import oci:/x", "oci:/x: no", "import oci:/x: no"},
		{"mount /y/x", "/x: no", "mount /y/x: /x: no"},
		{"mount /y/x", "x: no", "mount /y/x: x: no"},
		{"mount /x", "/x/y: no", "mount /x: /x/y: no"},
		{"mount /x", "/x", "mount /x: /x"},
		{"mount", ": no", "mount: : no"},
		{"", "/x: no", ": /x: no"},
		{"a: b", "a: b: no", "a: b: a: b: no"},
		{"copy of /x", "/x: /x: no", "copy of /x: /x: no"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = {0};

		err_set(&e, ENOENT, "%s", cases[i].cause);
		is_int(err_wrap(&e, "%s", cases[i].words), -ENOENT, "the code stays");
		is_str(e.msg, cases[i].message, "%s and %s", cases[i].words, cases[i].cause);
	}
}

int main(void)
{
	wraps();
	return done_testing();
}
