/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/err.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(struct err) <= 512 && 512 <= PIPE_BUF,
	       "struct err must cross a pipe in one write");

static int positive(int code)
{
	if (code < 0)
		code = -code;
	return code ? code : EIO;
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	code = positive(code);
	if (!e)
		return -code;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	e->code = code;
	e->origin = ERR_PLAIN;
	return -code;
}

__attribute__((format(printf, 3, 0))) static int set_with_reason(struct err *e, int code,
								 const char *fmt, va_list ap)
{
	size_t n;

	if (!e)
		return -code;
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", strerror(code));
	e->code = code;
	e->origin = ERR_PLAIN;
	return -code;
}

int err_sys(struct err *e, const char *fmt, ...)
{
	int code = positive(errno), r;
	va_list ap;

	va_start(ap, fmt);
	r = set_with_reason(e, code, fmt, ap);
	va_end(ap);
	return r;
}

int err_code(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = set_with_reason(e, positive(code), fmt, ap);
	va_end(ap);
	return r;
}

int err_from(enum err_origin origin, struct err *e, int r)
{
	if (e)
		e->origin = origin;
	return r;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->msg)];
	va_list ap;
	size_t n;

	if (!e)
		return -EIO;
	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", old);
	e->code = positive(e->code);
	return -e->code;
}

void err_append(struct err *e, const char *fmt, ...)
{
	char text[sizeof(e->msg)];
	va_list ap;
	size_t n;

	if (!e)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof(e->msg) - n, " (%s)", text);
}

void err_sanitize(struct err *e)
{
	if (!e)
		return;
	e->msg[sizeof(e->msg) - 1] = 0;
	for (unsigned char *p = (unsigned char *)e->msg; *p; p++) {
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
	}
}
