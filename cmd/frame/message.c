/* SPDX-License-Identifier: Apache-2.0 */

/* The messages of csbx to people: the only place that writes them to stderr. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/doctor/host.h"

/*
 * One write a message, so that parallel runs do not mix their lines. Names and paths come from
 * images and archives: control characters are shown, not sent to the terminal.
 */
static void say(const char *lead, const char *text, size_t len)
{
	_strbuf_ struct strbuf line = STRBUF_INIT;

	strbuf_addstr(&line, lead);
	strbuf_add_escaped(&line, text, len);
	strbuf_addch(&line, '\n');
	if (!line.failed)
		io_write_all(STDERR_FILENO, line.data, line.len, NULL);
}

static void say_format(const char *lead, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void say_format(const char *lead, const char *fmt, va_list ap)
{
	_free_ char *text = str_vprintf(fmt, ap);

	if (text)
		say(lead, text, strlen(text));
}

int cmd_error(const struct err *e, const char *what, ...)
{
	_strbuf_ struct strbuf hint = STRBUF_INIT, line = STRBUF_INIT;
	_free_ char *asked = NULL;
	va_list ap;

	va_start(ap, what);
	asked = str_vprintf(what, ap);
	va_end(ap);
	strbuf_addstr(&line, asked ? asked : "csbx");
	strbuf_addstr(&line, ": ");
	strbuf_addstr(&line, err_without_name(e->msg, asked ? asked : ""));
	say("csbx: ", strbuf_str(&line), line.len);
	if (host_hint(e->code, e->msg, &hint))
		say("hint: ", strbuf_str(&hint), hint.len);
	else if (e->origin == ERR_NO_CONTAINER)
		cmd_hint("csbx list shows the containers, csbx ps what runs");
	return CMD_EXIT_FAILED;
}

void cmd_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_format("csbx: ", fmt, ap);
	va_end(ap);
}

void cmd_hint(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_format("hint: ", fmt, ap);
	va_end(ap);
}

int cmd_write_shown(int fd, const struct strbuf *b, struct err *e)
{
	_strbuf_ struct strbuf shown = STRBUF_INIT;
	bool is_terminal = isatty(fd);

	if (is_terminal)
		strbuf_add_lines_escaped(&shown, strbuf_str(b), b->len);
	if (strbuf_check(b, e) < 0 || strbuf_check(&shown, e) < 0)
		return -ENOMEM;
	return is_terminal ? io_write_all(fd, strbuf_str(&shown), shown.len, e)
			   : io_write_all(fd, strbuf_str(b), b->len, e);
}

int cmd_print(const struct strbuf *b)
{
	struct err e = ERR_INIT;

	if (cmd_write_shown(STDOUT_FILENO, b, &e) < 0)
		return cmd_error(&e, "standard output");
	return CMD_EXIT_OK;
}
