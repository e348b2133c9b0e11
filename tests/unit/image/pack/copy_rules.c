/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pack/copy_rules.h"

#include <errno.h>

#include "tests/unit/tap.h"

enum { FILE_, DIRECTORY, NOTHING };

static const struct {
	const char *source;
	int source_is;
	const char *target;
	int target_is, result;
	const char *parent, *member, *name;
} cases[] = {
	{"/a/f", FILE_, "x", NOTHING, 0, ".", "f", "x"},
	{"/a/f", FILE_, "/t/x", NOTHING, 0, "/t/", "f", "x"},
	{"f", FILE_, "/x", NOTHING, 0, "/", "f", "x"},
	{"f", FILE_, "/t/x/", NOTHING, -ENOENT, 0, 0, 0},
	{"f", FILE_, "/t/x/.", NOTHING, -ENOENT, 0, 0, 0},
	{"f", FILE_, "/t/x", FILE_, 0, "/t/", "f", "x"},
	{"f", FILE_, "/t/x/", FILE_, -ENOTDIR, 0, 0, 0},
	{"/a/f", FILE_, "/t", DIRECTORY, 0, "/t", "f", "f"},
	{"/a/f", FILE_, "/", DIRECTORY, 0, "/", "f", "f"},
	{"/a/d", DIRECTORY, "/t", DIRECTORY, 0, "/t", "d", "d"},
	{"/a/d/", DIRECTORY, "/t/", DIRECTORY, 0, "/t/", "d", "d"},
	{"/a/d/.", DIRECTORY, "/t", DIRECTORY, 0, "/t", ".", ""},
	{".", DIRECTORY, "/t", DIRECTORY, 0, "/t", ".", ""},
	{"/", DIRECTORY, "/t", DIRECTORY, 0, "/t", ".", ""},
	{"a/..", DIRECTORY, "/t", DIRECTORY, 0, "/t", ".", ""},
	{"/a/d", DIRECTORY, "/t/x", NOTHING, 0, "/t/", "d", "x"},
	{"/a/d", DIRECTORY, "/t/x/", NOTHING, 0, "/t/", "d", "x"},
	{"/a/d/.", DIRECTORY, "/t/x", NOTHING, 0, "/t/", ".", "x"},
	{"/a/d", DIRECTORY, "/t/x", FILE_, -EISDIR, 0, 0, 0},
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct copy_source s = {cases[i].source, cases[i].source_is == DIRECTORY};
		const struct copy_target t = {cases[i].target, cases[i].target_is != NOTHING,
					      cases[i].target_is == DIRECTORY};
		struct copy_plan p = {0};
		int r = copy_plan_make(&s, &t, &p);

		ok(r == cases[i].result, "%s -> %s: %d", s.path, t.path, r);
		if (r == 0) {
			is_str(p.parent, cases[i].parent, "parent of %s", s.path);
			is_str(p.member, cases[i].member, "member of %s", s.path);
			is_str(p.name, cases[i].name, "name of %s", s.path);
		}
		copy_plan_free(&p);
	}
	done_testing();
}
