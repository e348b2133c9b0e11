/* SPDX-License-Identifier: Apache-2.0 */

/* The messages of the docker dialect on standard error: one write a message. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

/*
 * Names come from command lines and archives: control characters are shown, newlines and tabs stay.
 */
static void add_shown(struct strbuf *out, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n\t");

		strbuf_add_escaped(out, text, n);
		text += n;
		if (*text)
			strbuf_addch(out, *text++);
	}
}

static void say(const char *lead, const char *fmt, va_list ap, const char *tail)
	__attribute__((format(printf, 2, 0)));

static void say(const char *lead, const char *fmt, va_list ap, const char *tail)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_free_ char *text = str_vprintf(fmt, ap);

	strbuf_addstr(&out, lead);
	add_shown(&out, text ? text : "out of memory");
	strbuf_addch(&out, '\n');
	strbuf_addstr(&out, tail);
	if (!out.failed)
		(void)io_write_all(STDERR_FILENO, out.data, out.len, NULL);
}

int docker_say(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap, "");
	va_end(ap);
	return code;
}

int docker_daemon_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("Error response from daemon: ", fmt, ap, "");
	va_end(ap);
	return DOCKER_EXIT_FAILED;
}

int docker_fail(const struct docker *d, const char *fmt, ...)
{
	_free_ char *tail = str_printf("\nRun '%s --help' for more information\n", d->path);
	va_list ap;

	va_start(ap, fmt);
	say("docker: ", fmt, ap, tail ? tail : "");
	va_end(ap);
	return DOCKER_EXIT_USAGE;
}

int docker_daemon_fail(const struct docker *d, const char *fmt, ...)
{
	bool is_run = d->verb && str_eq(d->verb->name, "run");
	_free_ char *tail =
		is_run ? str_printf("\nRun '%s --help' for more information\n", d->path) : NULL;
	va_list ap;

	va_start(ap, fmt);
	say(is_run ? "docker: Error response from daemon: " : "Error response from daemon: ", fmt,
	    ap, tail ? tail : "");
	va_end(ap);
	return is_run ? DOCKER_EXIT_USAGE : DOCKER_EXIT_FAILED;
}

int docker_say_fault(const struct docker *d, const struct docker_fault *f)
{
	int code = f->by_client ? docker_fail(d, "%s", f->err.msg)
				: docker_daemon_fail(d, "%s", f->err.msg);

	return f->exit_code ? f->exit_code : code;
}

int docker_bad_flag(const struct docker *d, const char *fmt, ...)
{
	_free_ char *tail =
		str_printf("\nUsage:  %s %s\n\nRun '%s --help' for more information\n", d->path,
			   d->verb ? d->verb->usage : "[OPTIONS] COMMAND [ARG...]", d->path);
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap, tail ? tail : "");
	va_end(ap);
	return DOCKER_EXIT_USAGE;
}
