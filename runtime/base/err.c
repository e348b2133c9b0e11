/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/err.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(struct err) <= 512 && 512 <= PIPE_BUF,
	       "struct err must cross a pipe in one write");

/* Those of the errors a kernel gives to csbx whose texts differ between C libraries. */
static const struct {
	int code;
	const char *text;
} texts[] = {
	{EIO, "Input/output error"},
	{ECHILD, "No child processes"},
	{ENOMEM, "Cannot allocate memory"},
	{EBUSY, "Device or resource busy"},
	{EXDEV, "Invalid cross-device link"},
	{EMFILE, "Too many open files"},
	{ENOTTY, "Inappropriate ioctl for device"},
	{ESPIPE, "Illegal seek"},
	{EDOM, "Numerical argument out of domain"},
	{ERANGE, "Numerical result out of range"},
	{EDEADLK, "Resource deadlock avoided"},
	{ENAMETOOLONG, "File name too long"},
	{ELOOP, "Too many levels of symbolic links"},
	{ETIME, "Timer expired"},
	{EOVERFLOW, "Value too large for defined data type"},
	{ELIBBAD, "Accessing a corrupted shared library"},
	{EILSEQ, "Invalid or incomplete multibyte or wide character"},
	{EUSERS, "Too many users"},
	{ENOTSOCK, "Socket operation on non-socket"},
	{EMSGSIZE, "Message too long"},
	{EOPNOTSUPP, "Operation not supported"},
	{EADDRINUSE, "Address already in use"},
	{EADDRNOTAVAIL, "Cannot assign requested address"},
	{ENETUNREACH, "Network is unreachable"},
	{ENETRESET, "Network dropped connection on reset"},
	{ECONNABORTED, "Software caused connection abort"},
	{EISCONN, "Transport endpoint is already connected"},
	{ENOTCONN, "Transport endpoint is not connected"},
	{ESHUTDOWN, "Cannot send after transport endpoint shutdown"},
	{ETOOMANYREFS, "Too many references: cannot splice"},
	{ETIMEDOUT, "Connection timed out"},
	{EHOSTUNREACH, "No route to host"},
	{EINPROGRESS, "Operation now in progress"},
	{EUCLEAN, "Structure needs cleaning"},
	{EDQUOT, "Disk quota exceeded"},
	{EOWNERDEAD, "Owner died"},
};

const char *err_text(int code)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].code == code)
			return texts[i].text;
	}
	return strerror(code);
}

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

int err_oom(struct err *e)
{
	return err_set(e, ENOMEM, "out of memory");
}

__attribute__((format(printf, 3, 0))) static int set_with_reason(struct err *e, int code,
								 const char *fmt, va_list ap)
{
	size_t n;

	if (!e)
		return -code;
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", err_text(code));
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

const char *err_without_name(const char *cause, const char *words)
{
	const char *colon = strstr(cause, ": ");
	size_t n = colon ? (size_t)(colon - cause) : 0, len = strlen(words);

	if (!n || n > len || memcmp(words + len - n, cause, n) != 0)
		return cause;
	return n == len || words[len - n - 1] == ' ' || words[len - n - 1] == ':' ? colon + 2
										  : cause;
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
	snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", err_without_name(old, e->msg));
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
