/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_INIT_SYS_H
#define CSBX_RUNTIME_INIT_SYS_H

/*
 * Raw system calls for csbx-init, which has no libc. Every wrapper returns what the kernel does:
 * a result or -errno. Numbers and structures come from the kernel's own headers; types that those
 * leave to libc (msghdr) are declared here. Only calls that exist on both architectures are used,
 * hence openat for open, dup3 for dup2, ppoll for poll.
 */

#include <stddef.h>
#include <stdint.h>

#include <asm/ioctls.h>
#include <asm/poll.h>
#include <asm/signal.h>
#include <asm/termios.h>
#include <asm/unistd.h>
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/memfd.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/signalfd.h>
#include <linux/wait.h>

#define SYS_NSIG 64
#define SYS_AT_FDCWD AT_FDCWD

struct sys_iovec {
	void *base;
	size_t len;
};

struct sys_msghdr {
	void *name;
	int namelen, pad_;
	struct sys_iovec *iov;
	size_t iovlen;
	void *control;
	size_t controllen;
	unsigned flags;
};

struct sys_cmsghdr {
	size_t len;
	int level, type;
};

/* Values of the socket interface; uapi has no header for them. */
#define SYS_SOL_SOCKET 1
#define SYS_SCM_RIGHTS 1
#define SYS_MSG_CTRUNC 0x8
#define SYS_MSG_TRUNC 0x20
#define SYS_MSG_DONTWAIT 0x40
#define SYS_MSG_NOSIGNAL 0x4000
#define SYS_MSG_CMSG_CLOEXEC 0x40000000

#if defined(__x86_64__)
static inline long sys_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
static inline long sys_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory", "cc");
	return x0;
}
#else
#error "csbx-init has no system call code for this architecture"
#endif

#define SYS_CALL(nr, a, b, c, d, e, f) \
	sys_call((nr), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline __attribute__((noreturn)) void sys_exit(int code)
{
	for (;;)
		SYS_CALL(__NR_exit_group, code, 0, 0, 0, 0, 0);
}

static inline long sys_read(int fd, void *buf, size_t len)
{
	return SYS_CALL(__NR_read, fd, buf, len, 0, 0, 0);
}

static inline long sys_write(int fd, const void *buf, size_t len)
{
	return SYS_CALL(__NR_write, fd, buf, len, 0, 0, 0);
}

static inline int sys_openat(int dirfd, const char *path, int flags)
{
	return (int)SYS_CALL(__NR_openat, dirfd, path, flags, 0, 0, 0);
}

static inline int sys_close(int fd)
{
	return (int)SYS_CALL(__NR_close, fd, 0, 0, 0, 0, 0);
}

static inline int sys_close_range(unsigned first, unsigned last)
{
	return (int)SYS_CALL(__NR_close_range, first, last, 0, 0, 0, 0);
}

static inline int sys_dup3(int from, int to, int flags)
{
	return (int)SYS_CALL(__NR_dup3, from, to, flags, 0, 0, 0);
}

static inline int sys_fcntl(int fd, int cmd, long arg)
{
	return (int)SYS_CALL(__NR_fcntl, fd, cmd, arg, 0, 0, 0);
}

static inline long sys_lseek(int fd, long offset, int whence)
{
	return SYS_CALL(__NR_lseek, fd, offset, whence, 0, 0, 0);
}

static inline long sys_getdents64(int fd, void *buf, size_t len)
{
	return SYS_CALL(__NR_getdents64, fd, buf, len, 0, 0, 0);
}

static inline int sys_pipe2(int fds[2], int flags)
{
	return (int)SYS_CALL(__NR_pipe2, fds, flags, 0, 0, 0, 0);
}

/* The address, or NULL with the errno in *ret_err. */
static inline void *sys_mmap(size_t len, int prot, int flags, int fd, int *ret_err)
{
	long r = SYS_CALL(__NR_mmap, 0, len, prot, flags, fd, 0);

	if (r < 0 && r > -4096) {
		*ret_err = (int)r;
		return NULL;
	}
	return (void *)r;
}

static inline int sys_munmap(const void *p, size_t len)
{
	return (int)SYS_CALL(__NR_munmap, p, len, 0, 0, 0, 0);
}

static inline int sys_prctl(int op, unsigned long a, unsigned long b)
{
	return (int)SYS_CALL(__NR_prctl, op, a, b, 0, 0, 0);
}

/* fork(2) with the namespaces in flags. */
static inline int sys_clone(unsigned long flags)
{
	return (int)SYS_CALL(__NR_clone, flags, 0, 0, 0, 0, 0);
}

static inline int sys_clone3(struct clone_args *args)
{
	return (int)SYS_CALL(__NR_clone3, args, sizeof(*args), 0, 0, 0, 0);
}

static inline int sys_getpid(void)
{
	return (int)SYS_CALL(__NR_getpid, 0, 0, 0, 0, 0, 0);
}

static inline int sys_pidfd_open(int pid)
{
	return (int)SYS_CALL(__NR_pidfd_open, pid, 0, 0, 0, 0, 0);
}

static inline int sys_unshare(unsigned long flags)
{
	return (int)SYS_CALL(__NR_unshare, flags, 0, 0, 0, 0, 0);
}

static inline int sys_setns(int fd, int type)
{
	return (int)SYS_CALL(__NR_setns, fd, type, 0, 0, 0, 0);
}

static inline int sys_kill(int pid, int sig)
{
	return (int)SYS_CALL(__NR_kill, pid, sig, 0, 0, 0, 0);
}

static inline int sys_wait4(int pid, int *status, int options, struct rusage *ru)
{
	return (int)SYS_CALL(__NR_wait4, pid, status, options, ru, 0, 0);
}

static inline int sys_rt_sigaction(int sig, const void *act, void *old)
{
	return (int)SYS_CALL(__NR_rt_sigaction, sig, act, old, 8, 0, 0);
}

static inline int sys_rt_sigprocmask(int how, const uint64_t *set)
{
	return (int)SYS_CALL(__NR_rt_sigprocmask, how, set, 0, 8, 0, 0);
}

static inline int sys_signalfd4(const uint64_t *set, int flags)
{
	return (int)SYS_CALL(__NR_signalfd4, -1, set, 8, flags, 0, 0);
}

static inline int sys_ppoll(struct pollfd *fds, unsigned n)
{
	return (int)SYS_CALL(__NR_ppoll, fds, n, 0, 0, 0, 0);
}

static inline long sys_recvmsg(int fd, struct sys_msghdr *h, int flags)
{
	return SYS_CALL(__NR_recvmsg, fd, h, flags, 0, 0, 0);
}

static inline long sys_sendmsg(int fd, const struct sys_msghdr *h, int flags)
{
	return SYS_CALL(__NR_sendmsg, fd, h, flags, 0, 0, 0);
}

static inline long sys_send(int fd, const void *buf, size_t len, int flags)
{
	return SYS_CALL(__NR_sendto, fd, buf, len, flags, 0, 0);
}

static inline int sys_fchown(int fd, unsigned uid, unsigned gid)
{
	return (int)SYS_CALL(__NR_fchown, fd, uid, gid, 0, 0, 0);
}

static inline int sys_setsid(void)
{
	return (int)SYS_CALL(__NR_setsid, 0, 0, 0, 0, 0, 0);
}

static inline int sys_ioctl(int fd, unsigned cmd, unsigned long arg)
{
	return (int)SYS_CALL(__NR_ioctl, fd, cmd, arg, 0, 0, 0);
}

static inline int sys_socket(int family, int type, int protocol)
{
	return (int)SYS_CALL(__NR_socket, family, type, protocol, 0, 0, 0);
}

static inline int sys_getrlimit(unsigned resource, struct rlimit64 *ret)
{
	return (int)SYS_CALL(__NR_prlimit64, 0, resource, 0, ret, 0, 0);
}

static inline int sys_setrlimit(unsigned resource, const struct rlimit64 *lim)
{
	return (int)SYS_CALL(__NR_prlimit64, 0, resource, lim, 0, 0, 0);
}

static inline int sys_keyctl(int op, unsigned long arg)
{
	return (int)SYS_CALL(__NR_keyctl, op, arg, 0, 0, 0, 0);
}

static inline int sys_setgroups(size_t n, const uint32_t *groups)
{
	return (int)SYS_CALL(__NR_setgroups, n, groups, 0, 0, 0, 0);
}

static inline int sys_setresgid(uint32_t gid)
{
	return (int)SYS_CALL(__NR_setresgid, gid, gid, gid, 0, 0, 0);
}

static inline int sys_setresuid(uint32_t uid)
{
	return (int)SYS_CALL(__NR_setresuid, uid, uid, uid, 0, 0, 0);
}

static inline int sys_capset(struct __user_cap_header_struct *h,
			     const struct __user_cap_data_struct *data)
{
	return (int)SYS_CALL(__NR_capset, h, data, 0, 0, 0, 0);
}

static inline unsigned sys_umask(unsigned mask)
{
	return (unsigned)SYS_CALL(__NR_umask, mask, 0, 0, 0, 0, 0);
}

static inline int sys_mkdirat(int dirfd, const char *path, unsigned mode)
{
	return (int)SYS_CALL(__NR_mkdirat, dirfd, path, mode, 0, 0, 0);
}

static inline int sys_chdir(const char *path)
{
	return (int)SYS_CALL(__NR_chdir, path, 0, 0, 0, 0, 0);
}

static inline int sys_getcwd(char *buf, size_t len)
{
	return (int)SYS_CALL(__NR_getcwd, buf, len, 0, 0, 0, 0);
}

static inline int sys_sethostname(const char *name, size_t len)
{
	return (int)SYS_CALL(__NR_sethostname, name, len, 0, 0, 0, 0);
}

static inline int sys_seccomp(unsigned op, unsigned flags, const void *arg)
{
	return (int)SYS_CALL(__NR_seccomp, op, flags, arg, 0, 0, 0);
}

static inline int sys_faccessat(int dirfd, const char *path)
{
	return (int)SYS_CALL(__NR_faccessat, dirfd, path, 0, 0, 0, 0);
}

static inline int sys_execve(const char *path, char *const *argv, char *const *envp)
{
	return (int)SYS_CALL(__NR_execve, path, argv, envp, 0, 0, 0);
}

#endif
