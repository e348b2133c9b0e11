/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Three layers, each enough against most of what a taken-over reader could try: no capability but
 * one over its own user namespace, no file system right (landlock), no system call that names a
 * path. PROT_EXEC memory is refused too, so code must be found, not brought.
 */
#include "runtime/kernel/mount_abi.h"
#include "runtime/helpers/squashd/confine.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/sockios.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/helpers/squashd/filter.h"

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#define ACCESS_TRUNCATE (1ULL << 14)  /* ABI 3 */
#define ACCESS_IOCTL_DEV (1ULL << 15) /* ABI 5 */

#define MEMORY_MAX (1u << 30)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The calls needed to read an image by held descriptors. */
static const int common_calls[] = {
	SYS_read,         SYS_pread64,         SYS_write,  SYS_writev,     SYS_close,
	SYS_lseek,        SYS_munmap,          SYS_mremap, SYS_madvise,    SYS_brk,
	SYS_futex,        SYS_clock_gettime,   SYS_getpid, SYS_getrandom,  SYS_rt_sigprocmask,
	SYS_rt_sigreturn, SYS_restart_syscall, SYS_exit,   SYS_exit_group,
};

#ifdef __SANITIZE_ADDRESS__
/* The sanitizer's own, in builds for developers; its leak check would clone and ptrace. */
static const int sanitizer_calls[] = {SYS_sigaltstack, SYS_gettid};

int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}
#endif

static const int server_calls[] = {
	SYS_epoll_pwait, SYS_epoll_ctl,  SYS_accept4, SYS_recvmsg,
	SYS_sendmsg,     SYS_getsockopt, SYS_ppoll,   SYS_fstat,
#ifdef SYS_epoll_wait
	SYS_epoll_wait,  SYS_poll,
#endif
};

static const int attendant_calls[] = {SYS_recvmsg, SYS_sendmsg, SYS_pread64};

/* Waiting; then syncing, and removing what is left of, a layer (layer.c), in forked processes. */
static const int keeper_calls[] = {
	SYS_epoll_create1,
	SYS_epoll_pwait,
	SYS_epoll_ctl,
	SYS_recvmsg,
	SYS_sendmsg,
	SYS_ppoll,
	SYS_inotify_init1,
	SYS_inotify_add_watch,
	SYS_fchdir,
	SYS_chdir,
	SYS_openat,
	SYS_newfstatat,
	SYS_fstat,
	SYS_unlinkat,
	SYS_readlinkat,
	SYS_renameat,
	SYS_renameat2,
	SYS_fchmodat,
	SYS_fchmod,
	SYS_getdents64,
	SYS_syncfs,
	SYS_fsync,
	SYS_fcntl,
	SYS_dup,
	SYS_dup3,
	SYS_close_range,
	SYS_wait4,
	SYS_setsid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_gettid,
	SYS_nanosleep,
	SYS_clock_nanosleep,
	SYS_set_robust_list,
	SYS_prctl,
	SYS_rt_sigaction,
	SYS_set_tid_address,
	SYS_rseq,
	SYS_openat2,
	SYS_statx,
#ifdef SYS_vfork
	SYS_vfork, /* orphan_fork.c; elsewhere it is a clone */
#endif
#ifdef SYS_epoll_wait
	SYS_epoll_wait,
	SYS_poll,
	SYS_dup2,
#endif
};

static const int read_calls[] = {SYS_openat2, SYS_newfstatat};

/* Beneath an own directory, by descriptor; landlock keeps it there. */
static const int write_calls[] = {
	SYS_openat,   SYS_mkdirat,   SYS_symlinkat, SYS_linkat,    SYS_fchmod,  SYS_utimensat,
	SYS_unlinkat, SYS_fsetxattr, SYS_pwrite64,  SYS_ftruncate, SYS_mknodat,
};

static void allow_all(struct filter *f, const int *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		filter_allow(f, calls[i]);
}

static void allow_common(struct filter *f)
{
	allow_all(f, common_calls, COUNT(common_calls));
#ifdef __SANITIZE_ADDRESS__
	allow_all(f, sanitizer_calls, COUNT(sanitizer_calls));
#endif
	filter_allow_without(f, SYS_mmap, 2, PROT_EXEC);
	filter_allow_without(f, SYS_mprotect, 2, PROT_EXEC);
}

static long landlock_abi(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

bool confine_has_landlock(void)
{
	return landlock_abi() >= 1;
}

/*
 * Handles every right this kernel's landlock knows; `allowed` of them remain beneath dirfd.
 * Returns 1 when in force, 0 where there is no landlock.
 */
static int landlock_beneath(int dirfd, uint64_t allowed, struct err *e)
{
	long abi = landlock_abi();
	uint64_t handled = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
	struct landlock_ruleset_attr attr;
	struct landlock_path_beneath_attr rule = {.parent_fd = dirfd};
	_close_ int ruleset = -1;

	if (abi < 1)
		return 0;
	if (abi >= 2)
		handled |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		handled |= ACCESS_TRUNCATE;
	if (abi >= 5)
		handled |= ACCESS_IOCTL_DEV;
	attr = (struct landlock_ruleset_attr){.handled_access_fs = handled};
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (ruleset < 0)
		return err_sys(e, "landlock");
	rule.allowed_access = allowed & handled;
	if (dirfd >= 0 && rule.allowed_access &&
	    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
		return err_sys(e, "landlock rule");
	if (syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		return err_sys(e, "landlock");
	return 1;
}

/* Capabilities below 32, as one mask. */
static int keep_capabilities(uint32_t caps, struct err *e)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{.effective = caps, .permitted = caps}};

	if (syscall(SYS_capset, &head, data) < 0)
		return err_sys(e, "drop capabilities");
	return 0;
}

static int no_new_privs(struct err *e)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, "no_new_privs");
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_sys(e, "dumpable");
	return 0;
}

/*
 * A descriptor for each container, and what is on its way to containers, which the kernel compares
 * with the soft limit (base/fd.c); no core file of an image somebody may not read; and a bound on
 * what a decompressor may be talked into allocating.
 */
static void bound_resources(void)
{
	struct rlimit r;

#ifndef __SANITIZE_ADDRESS__
	(void)setrlimit(RLIMIT_AS, &(struct rlimit){MEMORY_MAX, MEMORY_MAX});
#endif
	if (!getrlimit(RLIMIT_NOFILE, &r)) {
		r.rlim_cur = r.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &r);
	}
	(void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

int confine_server(const struct confine_server *c, struct err *e)
{
	struct filter f;
	int r, landlocked;

	bound_resources();
	r = keep_capabilities(CAP_TO_MASK(CAP_SYS_ADMIN), e);
	if (r >= 0)
		r = no_new_privs(e);
	if (r < 0)
		return r;
	landlocked = landlock_beneath(c->servers_dirfd, LANDLOCK_ACCESS_FS_REMOVE_FILE, e);
	if (landlocked < 0)
		return landlocked;
	filter_begin(&f);
	allow_common(&f);
	allow_all(&f, server_calls, COUNT(server_calls));
	/* Clones: of what is mounted in the server's own mount namespace. */
	filter_allow_with(&f, SYS_open_tree, 2, OPEN_TREE_CLONE);
	/* libfuse looks whether a descriptor it is given is one. */
	filter_allow_arg(&f, SYS_fcntl, 1, F_GETFD);
	if (c->reader_tid)
		filter_allow_arg(&f, SYS_sched_setaffinity, 0, (uint32_t)c->reader_tid);
	if (landlocked)
		filter_allow_arg(&f, SYS_unlinkat, 0, (uint32_t)c->servers_dirfd);
	return filter_load(&f, e);
}

/* No file system right, and of the capabilities only these. */
static int give_up_all_but(uint32_t caps, struct err *e)
{
	int r = keep_capabilities(caps, e);

	if (r >= 0)
		r = no_new_privs(e);
	return r < 0 ? r : landlock_beneath(-1, 0, e);
}

int confine_attendant(struct err *e)
{
	struct filter f;
	int r;

	bound_resources();
	r = give_up_all_but(CAP_TO_MASK(CAP_SYS_ADMIN) | CAP_TO_MASK(CAP_NET_ADMIN), e);
	if (r < 0)
		return r;
	filter_begin(&f);
	allow_common(&f);
	allow_all(&f, attendant_calls, COUNT(attendant_calls));
	filter_allow_arg(&f, SYS_unshare, 0, CLONE_NEWNET);
	filter_allow_arg(&f, SYS_unshare, 0, CLONE_NEWUSER | CLONE_NEWNET);
	filter_allow_arg(&f, SYS_socket, 0, AF_INET);
	filter_allow_arg(&f, SYS_ioctl, 1, SIOCSIFFLAGS);
	filter_allow_arg(&f, SYS_ioctl, 1, SIOCGSKNS);
	return filter_load(&f, e);
}

/*
 * A thread of the server, before the server itself: the server must not do for it what it may not
 * do.
 */
int confine_reader(struct err *e)
{
	struct filter f;
	int r = give_up_all_but(0, e);

	if (r < 0)
		return r;
	filter_begin(&f);
	allow_common(&f);
	return filter_load(&f, e);
}

int confine_keeper(struct err *e)
{
	struct filter f;
	int r;

	bound_resources();
	r = keep_capabilities(0, e);
	if (r >= 0)
		r = no_new_privs(e);
	if (r < 0)
		return r;
	filter_begin(&f);
	allow_common(&f);
	allow_all(&f, keeper_calls, COUNT(keeper_calls));
	filter_allow_without(&f, SYS_clone, 0, CLONE_NEWUSER);
	return filter_load(&f, e);
}

int confine_tool(int dirfd, enum confine_access access, struct err *e)
{
	uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
	uint64_t writing = reading | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
			   LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SYM |
			   LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SOCK |
			   LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
			   LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REFER |
			   ACCESS_TRUNCATE;
	struct filter f;
	int r;

	bound_resources();
	r = no_new_privs(e);
	if (r >= 0)
		r = landlock_beneath(dirfd, access == CONFINE_WRITE ? writing : reading, e);
	if (r < 0)
		return r;
	filter_begin(&f);
	allow_common(&f);
	if (dirfd >= 0 && access == CONFINE_READ)
		allow_all(&f, read_calls, COUNT(read_calls));
	if (dirfd >= 0 && access == CONFINE_WRITE)
		allow_all(&f, write_calls, COUNT(write_calls));
	return filter_load(&f, e);
}
