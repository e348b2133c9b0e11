/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/fault.h"

#include <stdio.h>
#include <string.h>

#include "cmd/frame/cmd.h"
#include "runtime/base/str.h"

static void set(struct docker_fault *f, int status, int code, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));

static void set(struct docker_fault *f, int status, int code, const char *fmt, va_list ap)
{
	struct err said = {.code = code};

	/* The new text may be made of the text of *f. */
	vsnprintf(said.msg, sizeof(said.msg), fmt, ap);
	*f = (struct docker_fault){.status = status, .err = said};
}

int docker_fault(struct docker_fault *f, int status, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(f, status, code, fmt, ap);
	va_end(ap);
	return -code;
}

int docker_refuse(struct docker_fault *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(f, DOCKER_BAD_REQUEST, EINVAL, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int docker_refuse_early(struct docker_fault *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(f, DOCKER_BAD_REQUEST, EINVAL, fmt, ap);
	va_end(ap);
	f->by_client = true;
	return -EINVAL;
}

int docker_fault_is(struct docker_fault *f, int status, int r)
{
	if (r < 0)
		f->status = status;
	return r;
}

int docker_fault_by_code(struct docker_fault *f, int r)
{
	static const int asked[] = {EINVAL, ENOENT, ENOTDIR, EISDIR,     EACCES, EPERM,
				    EEXIST, EBUSY,  ERANGE,  EOPNOTSUPP, ELOOP,  ENAMETOOLONG};

	if (r >= 0)
		return r;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		if (asked[i] == -r)
			return docker_fault_is(f, DOCKER_BAD_REQUEST, r);
	}
	return docker_fault_is(f, DOCKER_FAILED, r);
}

char *docker_launch_text(const char *prefix, const char *program, int exit_code,
			 const struct err *e)
{
	bool has_slash = strchr(program, '/');

	if (exit_code == CMD_EXIT_NOT_FOUND && !has_slash)
		return str_printf("%sexec: \"%s\": executable file not found in $PATH: unknown",
				  prefix, program);
	if (exit_code == CMD_EXIT_NOT_FOUND)
		return str_printf("%sexec: \"%s\": stat %s: no such file or directory: unknown",
				  prefix, program, program);
	if (e->code == EACCES)
		return str_printf("%sexec: \"%s\": permission denied: unknown", prefix, program);
	if (e->code == ENOEXEC)
		return str_printf("%sexec %s: exec format error: unknown", prefix, program);
	return str_printf("%sexec: \"%s\": %s: unknown", prefix, program, e->msg);
}
