/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/layer/lower.h"

#include <string.h>

#include "tests/unit/tap.h"

static void test_names(void)
{
	char name[LOWER_NAME_BYTES];

	lower_name(0, name);
	is_str(name, "lower", "the lowest");
	lower_name(10, name);
	is_str(name, "a", "in hexadecimal digits");
}

static void test_lists(void)
{
	char list[LOWER_LIST_BYTES];

	lower_list(1, "", list);
	is_str(list, "lower", "one");
	lower_list(3, "seeds:", list);
	is_str(list, "seeds:2:1:lower", "the topmost first");
	lower_list(LOWERS_MAX, "up/upper:", list);
	ok(strlen(list) < LOWER_LIST_BYTES - 1, "as many as there may be fit");
	ok(strstr(list, ":10:f:") && strstr(list, ":1:lower"), "all of them");
}

int main(void)
{
	test_names();
	test_lists();
	return done_testing();
}
