/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs inside a container and makes raw system calls under the filter that is loaded there:
 *
 *	raw_calls calls | x32 | i386 | call-i386 | sockets | high-bits
 *
 * Every call the policy refuses whatever its arguments is made, with arguments that make it fail
 * without a filter too, and its errno compared with the declared one. One line for each difference;
 * the last line counts what was tried. Static: it runs in any image.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/helpers/seccomp/policy.h"

#if defined(__x86_64__)
#include "seccomp_names_x86_64.h"
#else
#include "seccomp_names_aarch64.h"
#endif

#define NR_MAX 1024
#define HIGH (UINT64_C(1) << 32)

static unsigned tried, wrong;

static void expect(const char *what, long nr, int got, int want)
{
	tried++;
	if (got == want)
		return;
	wrong++;
	printf("%s %ld: errno %d (%s), expected %d (%s)\n", what, nr, got, strerror(got), want,
	       strerror(want));
}

static bool names_contain(const char *names, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = names; (p = strstr(p, name)); p += n) {
		if ((p == names || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
			return true;
	}
	return false;
}

/* The errno every form of the call gets without capabilities; 0 where some form is let through. */
static int refused_with(int nr)
{
	const char *name = seccomp_names[nr];
	int verdict = ENOSYS;

#if defined(__x86_64__)
	/* uretprobe and uprobe: the kernel lets them past every filter; called so, they end in
	 * SIGILL. */
	if (nr == 335 || nr == 336)
		return 0;
#endif
	for (size_t i = 0; name && i < seccomp_policy_n; i++) {
		const struct seccomp_rule *r = &seccomp_policy[i];

		if (r->caps || !names_contain(r->names, name))
			continue;
		if (r->cases[0].tests[0].op)
			return 0;
		verdict = r->verdict;
	}
	return verdict;
}

static int raw(long nr)
{
	errno = 0;
	return syscall(nr, -1L, -1L, -1L, -1L, -1L, -1L) < 0 ? errno : 0;
}

static void check_calls(void)
{
	for (int nr = 0; nr < NR_MAX; nr++) {
		int want = refused_with(nr);

		if (want)
			expect(seccomp_names[nr] ? seccomp_names[nr] : "call", nr, raw(nr), want);
	}
}

#if defined(__x86_64__)
static long int80(long nr)
{
	long r;

	__asm__ volatile("int $0x80"
			 : "=a"(r)
			 : "a"(nr), "b"(-1L), "c"(-1L), "d"(-1L), "S"(-1L), "D"(-1L)
			 : "memory", "r8", "r9", "r10", "r11");
	return (int)r;
}

static void check_x32(void)
{
	for (long nr = 0; nr < 600; nr++)
		expect("x32", nr, raw(nr | 0x40000000), ENOSYS);
}

static void check_i386(void)
{
	for (long nr = 0; nr < 480; nr++)
		expect("i386", nr, (int)-int80(nr), ENOSYS);
}

/* For the host: this process ends by SIGSEGV where the machine has no such calls. */
static void call_i386(void)
{
	tried++;
	(void)int80(20 /* getpid */);
}
#else
static void check_x32(void)
{
	tried++;
}

static void check_i386(void)
{
	tried++;
}

static void call_i386(void)
{
	tried++;
}
#endif

/* Opening some families needs no privilege at all, which is why there is a filter. */
static void check_sockets(void)
{
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM,     SOCK_RAW,
				    SOCK_RDM,    SOCK_SEQPACKET, SOCK_PACKET};
	static const int allowed[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

	for (int family = 0; family < 64; family++) {
		bool in_list = false;

		for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
			in_list = in_list || family == allowed[i];
		for (size_t i = 0; !in_list && i < sizeof(types) / sizeof(types[0]); i++) {
			int fd = socket(family, types[i], 0);

			expect("socket family", family, fd < 0 ? errno : 0, EAFNOSUPPORT);
			if (fd >= 0)
				close(fd);
		}
	}
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		int fd = socket(allowed[i], SOCK_DGRAM, 0);

		expect("socket family", allowed[i], fd < 0 ? errno : 0, 0);
		if (fd >= 0)
			close(fd);
	}
	for (int protocol = 1; protocol < 32; protocol++) {
		int fd = socket(AF_NETLINK, SOCK_RAW, protocol);

		expect("netlink protocol", protocol, fd < 0 ? errno : 0, EPROTONOSUPPORT);
	}
}

static int errno_of(long r)
{
	return r < 0 ? errno : 0;
}

/* The kernel cuts these arguments to 32 bits; a filter that compares 64 lets them through. */
static void check_high_bits(void)
{
	static const unsigned long namespaces[] = {CLONE_NEWUSER,  CLONE_NEWNS,  CLONE_NEWPID,
						   CLONE_NEWNET,   CLONE_NEWIPC, CLONE_NEWUTS,
						   CLONE_NEWCGROUP};
	uint64_t hint = 3; /* RWH_WRITE_LIFE_MEDIUM */
	char c = 'x';

	for (long family = 0; family < 64; family++) {
		if (family == AF_UNIX || family == AF_INET || family == AF_INET6 ||
		    family == AF_NETLINK)
			continue;
		expect("socket with high bits", family,
		       errno_of(syscall(SYS_socket, HIGH | (uint64_t)family, SOCK_DGRAM, 0)),
		       EAFNOSUPPORT);
	}
	for (uint64_t high = 0; high <= HIGH; high += HIGH) {
		expect("TIOCSTI", 0, errno_of(syscall(SYS_ioctl, 0, high | TIOCSTI, &c)), EPERM);
		expect("TIOCLINUX", 0, errno_of(syscall(SYS_ioctl, 0, high | 0x541c, &c)), EPERM);
		expect("TIOCSETD", 0, errno_of(syscall(SYS_ioctl, 0, high | TIOCSETD, &c)), EPERM);
		expect("F_SET_RW_HINT", 0,
		       errno_of(syscall(SYS_fcntl, 0, high | F_SET_RW_HINT, &hint)), EINVAL);
		expect("F_SETLEASE", 0, errno_of(syscall(SYS_fcntl, -1, high | F_SETLEASE, 0)),
		       EINVAL);
		expect("F_SETDELEG", 0, errno_of(syscall(SYS_fcntl, -1, high | 1040, 0)), EINVAL);
	}
	for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
		long flags = (long)namespaces[i];

		expect("unshare", flags, errno_of(syscall(SYS_unshare, flags)), EPERM);
		expect("unshare with high bits", flags,
		       errno_of(syscall(SYS_unshare, (long)HIGH | flags)), EPERM);
		expect("clone", flags, errno_of(syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0)),
		       EPERM);
		expect("clone with high bits", flags,
		       errno_of(syscall(SYS_clone, (long)HIGH | flags | SIGCHLD, 0, 0, 0, 0)),
		       EPERM);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*check)(void);
	} checks[] = {{"calls", check_calls},     {"x32", check_x32},
		      {"i386", check_i386},       {"call-i386", call_i386},
		      {"sockets", check_sockets}, {"high-bits", check_high_bits}};

	for (size_t i = 0; argc == 2 && i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (strcmp(argv[1], checks[i].name) != 0)
			continue;
		checks[i].check();
		printf("%u tried\n", tried);
		return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	return 2;
}
