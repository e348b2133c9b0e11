/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "cmd/enroot/frame/enroot.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/doctor/host.h"

#define RED "\033[31m"
#define YELLOW "\033[33m"
#define BLUE "\033[34m"

/* One write a message, so that parallel starts do not mix their lines. */
static void say(const char *colour, const char *lead, const char *text, size_t len)
{
	_strbuf_ struct strbuf line = STRBUF_INIT;
	bool plain = !isatty(STDERR_FILENO);

	strbuf_addf(&line, "%s[%s]%s ", plain ? "" : colour, lead, plain ? "" : "\033[0m");
	strbuf_add_escaped(&line, text, len);
	strbuf_addch(&line, '\n');
	if (!line.failed)
		io_write_all(STDERR_FILENO, line.data, line.len, NULL);
}

static void say_format(const char *colour, const char *lead, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

static void say_format(const char *colour, const char *lead, const char *fmt, va_list ap)
{
	_free_ char *text = str_vprintf(fmt, ap);

	if (text)
		say(colour, lead, text, strlen(text));
}

int enroot_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_format(RED, "ERROR", fmt, ap);
	va_end(ap);
	return ENROOT_EXIT_FAILED;
}

void enroot_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_format(YELLOW, "WARN", fmt, ap);
	va_end(ap);
}

void enroot_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_format(BLUE, "INFO", fmt, ap);
	va_end(ap);
}

int enroot_fail(const struct err *e)
{
	_strbuf_ struct strbuf hint = STRBUF_INIT;

	enroot_error("%s", e->msg);
	if (host_hint(e->code, e->msg, &hint))
		enroot_info("%s", strbuf_str(&hint));
	return ENROOT_EXIT_FAILED;
}

int enroot_print(const struct strbuf *b)
{
	struct err e = ERR_INIT;

	if (cmd_write_shown(STDOUT_FILENO, b, &e) < 0)
		return enroot_error("standard output: %s", e.msg);
	return 0;
}
