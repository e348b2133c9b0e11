/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/str.h"

#include <string.h>

#include "tests/unit/tap.h"

static const struct {
	const char *text, *lines;
} cases[] = {
	{"", ""},
	{"plain", "plain"},
	{"two\nlines\n", "two\nlines\n"},
	{"a\tb", "a\tb"},
	{"end\r\nnext\r\n", "end\r\nnext\r\n"},
	{"over\rwritten\r", "over\\x0dwritten\\x0d"},
	{"\r\r\n", "\\x0d\r\n"},
	{"\x1b[31mred\n\x1b", "\\x1b[31mred\n\\x1b"},
	{"c1 \xc2\x9b and \x9b", "c1 \\xc2\\x9b and \\x9b"},
	{"\xc3\xa4\n", "\xc3\xa4\n"},
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_strbuf_ struct strbuf b = STRBUF_INIT;

		strbuf_add_lines_escaped(&b, cases[i].text, strlen(cases[i].text));
		is_str(strbuf_str(&b), cases[i].lines, "lines, case %zu", i);
	}
	return done_testing();
}
