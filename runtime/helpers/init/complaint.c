/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a failure of a program that is alone, with no supervisor to tell it. */

#include "runtime/helpers/init/init.h"
#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/abi/msg_check.h"
#include "runtime/helpers/init/abi/stage_text.h"

#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

struct text {
	size_t len;
	char buf[1024];
};

static void add(struct text *t, const char *s)
{
	/* The words come from the image: bytes that could steer a terminal are not shown. */
	for (; *s && t->len < sizeof(t->buf); s++) {
		unsigned char c = (unsigned char)*s;

		t->buf[t->len++] = c < 0x20 || c >= 0x7f ? '?' : *s;
	}
}

static void add_number(struct text *t, unsigned n)
{
	char digits[12];
	int i = sizeof(digits) - 1;

	digits[i] = 0;
	do {
		digits[--i] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	add(t, digits + i);
}

static void add_error(struct text *t, int code)
{
	static const struct {
		int code;
		char words[36];
	} known[] = {
		{EPERM, "Operation not permitted"},
		{ENOENT, "No such file or directory"},
		{E2BIG, "Argument list too long"},
		{EAGAIN, "Resource temporarily unavailable"},
		{ENOMEM, "Cannot allocate memory"},
		{EACCES, "Permission denied"},
		{ENOTDIR, "Not a directory"},
		{EINVAL, "Invalid argument"},
		{ENOSPC, "No space left on device"},
		{EROFS, "Read-only file system"},
		{ELOOP, "Too many levels of symbolic links"},
		{ENOEXEC, "Exec format error"},
		{EIO, "Input/output error"},
		{ETXTBSY, "Text file busy"},
		{ENOTCONN, "the image server is gone"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (known[i].code == code) {
			add(t, known[i].words);
			return;
		}
	}
	add(t, "error ");
	add_number(t, (unsigned)code);
}

/* As init_status_error() (runtime/child/init_msg.c) has it; returns the exit code. */
static int add_exec_error(struct text *t, const struct payload *p, int code)
{
	add(t, init_msg_at(p->m, p->m->argv));
	add(t, ": ");
	if (code == ENOENT && p->detail == INIT_DETAIL_INTERPRETER) {
		add(t, "its interpreter (#! line or dynamic loader) is not in the image");
		return EXIT_NOT_FOUND;
	}
	if (code == ENOENT || code == ENOTDIR) {
		add(t, "command not found in the image");
		return EXIT_NOT_FOUND;
	}
	add_error(t, code);
	if (code == ENOEXEC)
		add(t, " (no #! line, or built for another machine)");
	return EXIT_NOT_EXECUTABLE;
}

void alone_fail(const struct payload *p, unsigned stage, int result)
{
	int code = p->m->failure_code ? (int)p->m->failure_code : INIT_EXIT_FAILED;
	struct text t NOT_ZEROED;

	t.len = 0;
	add(&t, init_msg_at(p->m, p->m->complaint));
	if (stage == INIT_STAGE_EXEC) {
		code = add_exec_error(&t, p, -result);
	} else {
		add(&t, init_stage_text[stage]);
		if (stage == INIT_STAGE_MKDIR || stage == INIT_STAGE_CWD) {
			add(&t, " ");
			add(&t, init_msg_at(p->m, p->m->cwd));
		}
		add(&t, ": ");
		add_error(&t, -result);
	}
	if (t.len == sizeof(t.buf))
		t.len--;
	t.buf[t.len++] = '\n';
	(void)sys_write(2, t.buf, t.len);
	sys_exit(code);
}
