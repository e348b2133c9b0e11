/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/slurm/toy_slurm.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void report_fds(void)
{
	for (int fd = 0; fd < 1024; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			printf("fd %d\n", fd);
	}
}

static void report_ids(void)
{
	uid_t u[3];
	gid_t g[3], groups[64];
	int n = getgroups(64, groups);

	getresuid(&u[0], &u[1], &u[2]);
	getresgid(&g[0], &g[1], &g[2]);
	printf("uids %u %u %u\ngids %u %u %u\n", u[0], u[1], u[2], g[0], g[1], g[2]);
	for (int i = 0; i < n; i++)
		printf("group %u\n", groups[i]);
}

static void report_rest(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};
	char score[16] = "?";
	int fd = open("/proc/self/oom_score_adj", O_RDONLY);
	sigset_t set;

	syscall(SYS_capget, &header, data);
	printf("caps %x %x %x\n", data[0].effective | data[1].effective,
	       data[0].permitted | data[1].permitted, data[0].inheritable | data[1].inheritable);
	if (fd >= 0 && read(fd, score, sizeof(score) - 1) > 0)
		printf("oom %d\n", atoi(score));
	sigprocmask(SIG_BLOCK, NULL, &set);
	printf("blocked %d ignored %d\n", sigismember(&set, SIGUSR1),
	       signal(SIGPIPE, SIG_DFL) == SIG_IGN);
	printf("setuid0 %d\n", setuid(0));
}

extern char **environ;

/* Misbehaves in the way that its environment names, if it names one. */
int toy_be_holder(int argc, char **argv)
{
	const char *how = getenv("TOY");
	char byte = 'r';

	report_fds();
	report_ids();
	report_rest();
	for (int i = 0; i < argc; i++)
		printf("arg %s\n", argv[i]);
	for (char **p = environ; *p; p++)
		printf("env %s\n", *p);
	if (how && !strcmp(how, "hostile"))
		printf("\033[2Jescape %%s%%n \xff\xfe\r\n\n\n");
	fflush(stdout);
	if (argc > 2 && !strcmp(argv[2], "--end-step"))
		return 0;
	if (how && !strcmp(how, "dies"))
		return 1;
	if (write(3, &byte, 1) != 1)
		return 1;
	if (how && !strcmp(how, "leaves"))
		return 0;
	while (read(3, &byte, 1) == 1)
		printf("told %c\n", byte);
	fflush(stdout);
	byte = how && !strcmp(how, "fails") ? 'f' : 'd';
	return write(3, &byte, 1) == 1 && byte == 'f';
}
