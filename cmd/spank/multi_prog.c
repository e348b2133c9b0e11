/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/multi_prog.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/* A comment to SLURM. */
#define MARK "# csbx: each command goes into the step's container\n"
#define BLANKS " \t\v\f\r"

bool spank_multi_prog_is(int argc, char *const *argv)
{
	size_t len = argc > 1 && argv[0] && argv[1] ? strlen(argv[1]) : 0;
	_close_ int fd = len ? open(argv[0], O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	_free_ char *text = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (size_t)st.st_size != len)
		return false;
	text = malloc(len);
	return text && read(fd, text, len) == (ssize_t)len && !memcmp(text, argv[1], len);
}

bool spank_multi_prog_is_wrapped(int argc, char *const *argv)
{
	return argc > 1 && argv[1] && str_has_prefix(argv[1], MARK);
}

/* A blank, a quote, a percent sign and the like mean something there. */
static void add_escaped(struct strbuf *b, const char *word)
{
	for (; *word; word++) {
		if (strchr(BLANKS "\\'%", *word))
			strbuf_addch(b, '\\');
		strbuf_addch(b, *word);
	}
}

/* The length of "RANKS " and the blanks around it; 0: no command is on that line. */
static size_t ranks(const char *line, size_t len)
{
	_free_ char *copy = strndup(line, len);
	size_t n;

	if (!copy)
		return 0;
	n = strspn(copy, BLANKS);
	if (copy[n] == '#')
		return 0;
	n += strcspn(copy + n, BLANKS);
	n += strspn(copy + n, BLANKS);
	return copy[n] ? n : 0;
}

int spank_multi_prog_wrap(const char *text, const char *program, struct strbuf *ret, struct err *e)
{
	bool goes_on = false; /* the line before ended in a backslash */

	strbuf_addstr(ret, MARK);
	while (*text) {
		size_t len = strcspn(text, "\n"), n = goes_on ? 0 : ranks(text, len);

		strbuf_add(ret, text, n);
		if (n) {
			add_escaped(ret, program);
			strbuf_addch(ret, ' ');
		}
		strbuf_add(ret, text + n, len - n);
		strbuf_addch(ret, '\n');
		/* Empty lines are none to SLURM. */
		if (len)
			goes_on = text[len - 1] == '\\';
		text += len + (text[len] == '\n');
	}
	return strbuf_check(ret, e);
}
