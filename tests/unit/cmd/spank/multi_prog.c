/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/multi_prog.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

#define MARK "# csbx: each command goes into the step's container\n"

static void wraps(void)
{
	static const struct {
		const char *text, *wrapped;
	} cases[] = {
		{"0 a b\n", "0 /j a b\n"},
		{"0-3,5 a", "0-3,5 /j a\n"},
		{" \t*  \ta\n", " \t*  \t/j a\n"},
		{"# 0 a\n  # b\n\n \n1 c\n", "# 0 a\n  # b\n\n \n1 /j c\n"},
		{"0 a \\\n 1 b\n1 c\n", "0 /j a \\\n 1 b\n1 /j c\n"},
		{"0 a \\\n\n1 b \\\n2 c\n3 d\n", "0 /j a \\\n\n1 b \\\n2 c\n3 /j d\n"},
		{"# a \\\n0 b\n1 c\n", "# a \\\n0 b\n1 /j c\n"},
		{"0\n1 \n2 'a b' %t\n", "0\n1 \n2 /j 'a b' %t\n"},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_strbuf_ struct strbuf b = STRBUF_INIT;
		struct err e = ERR_INIT;
		char *argv[] = {(char *)"f", NULL, NULL};

		is_int(spank_multi_prog_wrap(cases[i].text, "/j", &b, &e), 0, "case %zu", i);
		ok(str_has_prefix(strbuf_str(&b), MARK), "is marked");
		is_str(strbuf_str(&b) + strlen(MARK), cases[i].wrapped, "and wrapped");
		argv[1] = (char *)strbuf_str(&b);
		ok(spank_multi_prog_is_wrapped(2, argv), "so it is known again");
	}
}

static void escapes(void)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;
	struct err e = ERR_INIT;

	is_int(spank_multi_prog_wrap("0 a\n", "/x y/100%'\\j", &b, &e), 0, "an odd path");
	is_str(strbuf_str(&b), MARK "0 /x\\ y/100\\%\\'\\\\j a\n", "is escaped");
}

static void knows_a_file(void)
{
	char dir[TAP_PATH_SIZE] = "multi-prog", path[TAP_PATH_SIZE + 8];
	char *argv[] = {path, (char *)"0 a\n", NULL};
	int fd;

	if (!tap_mkdtemp(dir))
		return;
	snprintf(path, sizeof(path), "%s/f", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, "0 a\n", 4) != 4 || close(fd) < 0)
		abort();
	ok(spank_multi_prog_is(2, argv), "the file and its text");
	argv[1] = (char *)"0 b\n";
	ok(!spank_multi_prog_is(2, argv), "another text");
	argv[1] = (char *)"0 a\nx";
	ok(!spank_multi_prog_is(2, argv), "a longer one");
	argv[1] = (char *)"";
	ok(!spank_multi_prog_is(2, argv), "none");
	ok(!spank_multi_prog_is(1, argv), "one word");
	argv[0] = (char *)"/dev/null";
	argv[1] = (char *)"x";
	ok(!spank_multi_prog_is(2, argv), "a device");
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	wraps();
	escapes();
	knows_a_file();
	return done_testing();
}
