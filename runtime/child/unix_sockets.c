/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With the host's network a program could have an abstract UNIX socket in the host's namespace of
 * such names (unix(7)), where every user of the host reaches it, and be sent a descriptor of the
 * host's tree. So the calls that make UNIX sockets are told to a process outside, which makes them
 * in a network namespace of its own (runtime/start/unix_broker.h): seccomp_unotify(2). A name in a
 * file system is found from any network namespace. Applied before init's first fork, as Landlock
 * is, for what is exec'd later.
 *
 * A pair needs it where its ends can be bound and disconnected: datagrams. libc asks a UNIX socket
 * for the number and the name of a network interface, which are to be those of the host.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/child/child.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/spec/plan.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#define SOCKET_RAW 3 /* a UNIX socket of this type is one of datagrams */
#define SOCKET_TYPES 0xf
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

/* The low half of an argument: the kernel takes these as int. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARGUMENT(n) ((unsigned)offsetof(struct seccomp_data, args[n]))
#else
#define ARGUMENT(n) ((unsigned)offsetof(struct seccomp_data, args[n]) + 4)
#endif
#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define EQUAL(k, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, yes, no)

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Calls of another architecture are the affair of the filter that follows, which knows none. */
static int load_filter(unsigned flags)
{
	struct sock_filter filter[] = {
		/* 0 */ LOAD((unsigned)offsetof(struct seccomp_data, arch)),
		/* 1 */ EQUAL(ARCHITECTURE, 0, 16),
		/* 2 */ LOAD((unsigned)offsetof(struct seccomp_data, nr)),
		/* 3 */ EQUAL(__NR_socket, 2, 0),
		/* 4 */ EQUAL(__NR_socketpair, 3, 0),
		/* 5 */ EQUAL(__NR_ioctl, 8, 12),
		/* 6 */ LOAD(ARGUMENT(0)),
		/* 7 */ EQUAL(AF_UNIX, 9, 10),
		/* 8 */ LOAD(ARGUMENT(0)),
		/* 9 */ EQUAL(AF_UNIX, 0, 8),
		/* 10 */ LOAD(ARGUMENT(1)),
		/* 11 */ BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SOCKET_TYPES),
		/* 12 */ EQUAL(SOCK_DGRAM, 4, 0),
		/* 13 */ EQUAL(SOCKET_RAW, 3, 4),
		/* 14 */ LOAD(ARGUMENT(1)),
		/* 15 */ EQUAL(SIOCGIFINDEX, 1, 0),
		/* 16 */ EQUAL(SIOCGIFNAME, 0, 1),
		/* 17 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		/* 18 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog prog = {sizeof(filter) / sizeof(filter[0]), filter};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER | flags, &prog);
}

/* The network namespace of a socket, by its number; 0: a kernel that does not say it (before 5.14). */
static uint64_t namespace_of_socket(int family)
{
	_close_ int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len) < 0)
		return 0;
	return cookie;
}

/*
 * EBUSY: there is a filter already of which calls are told. Where csbx runs in a container of
 * csbx's its UNIX sockets are apart by that one; other filters (of LXD, of podman's agent) make the
 * supervisor tell that these are not, as a kernel before 5.9 does (EINVAL).
 */
int unix_sockets_filter(struct child *c, const struct op *op, struct err *e)
{
	struct init_event ev = {.magic = INIT_MAGIC, .type = LAUNCH_EV_UNIX};
	_close_ int listener = -1;

	(void)op;
	/*
	 * A signal must not have a call begin anew that is being answered (Linux 5.19). Before that
	 * the call of a program whose handler has no SA_RESTART ends with EINTR.
	 */
	listener = load_filter(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
	if (listener < 0 && errno == EINVAL)
		listener = load_filter(0);
	if (listener < 0 && errno != EINVAL && errno != EBUSY)
		return err_sys(e, "the filter of UNIX sockets");
	ev.arg = listener < 0 && errno == EBUSY;
	c->has_own_unix = listener >= 0;
	if (ev.arg && namespace_of_socket(AF_UNIX) != namespace_of_socket(AF_INET)) {
		c->has_own_unix = true;
		return 0;
	}
	return fd_send_patient(c->control_fd, &ev, sizeof(ev), &listener, listener >= 0, e);
}
