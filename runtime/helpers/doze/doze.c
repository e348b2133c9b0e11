/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csbx-doze EXE POLLS PROGRAM [ARGUMENT...]: what a process that waits for hours becomes, so that
 * it costs a few pages instead of a libc, a heap and their page tables. It waits for one of the
 * descriptors in POLLS ("FD:EVENTS,FD:EVENTS", in decimal, EVENTS as in poll(2)) and then becomes
 * the program that descriptor EXE is, with the arguments that follow and the environment it has. It
 * reads nothing and closes nothing: what the process waits for is there when it is awake. The pid,
 * the children and the locks stay the process's.
 */
#include "runtime/helpers/init/sys.h"

#define POLLS_MAX 16u
#define FAILED 1

void init_main(long *stack) __attribute__((noreturn));

/* Digits up to a character that is none; *s is behind it. */
static int number(const char **s)
{
	int n = 0;

	while (**s >= '0' && **s <= '9')
		n = n * 10 + (*(*s)++ - '0');
	if (**s)
		(*s)++;
	return n;
}

static unsigned read_polls(const char *s, struct pollfd *ret)
{
	unsigned n = 0;

	while (*s && n < POLLS_MAX) {
		ret[n].fd = number(&s);
		ret[n].events = (short)number(&s);
		ret[n++].revents = 0;
	}
	return n;
}

void init_main(long *stack)
{
	const long argc = stack[0];
	char **argv = (char **)(stack + 1);
	struct pollfd polls[POLLS_MAX];
	const char *exe;
	unsigned n;
	int r;

	if (argc < 4)
		sys_exit(FAILED);
	n = read_polls(argv[2], polls);
	do
		r = sys_ppoll(polls, n);
	while (r == -EINTR || r == -EAGAIN);
	exe = argv[1];
	(void)SYS_CALL(__NR_execveat, number(&exe), "", argv + 3, argv + argc + 1, AT_EMPTY_PATH,
		       0);
	sys_exit(FAILED);
}
