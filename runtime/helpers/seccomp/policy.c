/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/seccomp/policy.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "runtime/kernel/cap.h"
#include "runtime/kernel/seccomp.h"

#define NAMESPACES                                                                     \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	 CLONE_NEWPID | CLONE_NEWNET)
#ifndef F_SETDELEG /* Linux 6.19 */
#define F_SETDELEG (F_LINUX_SPECIFIC_BASE + 16)
#endif
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

#define IN(arg_, ...)                                                             \
	{                                                                         \
		.op = SECCOMP_OP_IN, .arg = (arg_),                               \
		.n_values = sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), \
		.values = {__VA_ARGS__},                                          \
	}
#define BITS(arg_, mask)                                                                 \
	{                                                                                \
		.op = SECCOMP_OP_BITS, .arg = (arg_), .n_values = 1, .values = {(mask) } \
	}

/* At both levels. */
#define GROUP_JOINS MCAST_JOIN_GROUP, MCAST_JOIN_SOURCE_GROUP

/* Protocols of an internet socket: the kernel's choice, ICMP, TCP, UDP, ICMPv6, raw. */
#define INET_PROTOCOLS 0, 1, 6, 17, 58, 255

/* clang-format off: names stay in columns of their own making */
const struct seccomp_rule seccomp_policy[] = {
	/* --- allowed ---------------------------------------------------------------------- */

	/* Files, directories, descriptors. */
	{"access cachestat chdir chmod chown chroot close close_range copy_file_range creat dup "
	 "dup2 dup3 faccessat faccessat2 fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 "
	 "fchown fchownat fdatasync fgetxattr file_getattr file_setattr flistxattr flock "
	 "fremovexattr fsetxattr fstat fstatfs fsync ftruncate futimesat getcwd getdents "
	 "getdents64 getxattr getxattrat lchown lgetxattr link linkat listxattr listxattrat "
	 "llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat mknod mknodat "
	 "name_to_handle_at newfstatat open openat openat2 pipe pipe2 pread64 preadv preadv2 "
	 "pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv removexattr "
	 "removexattrat rename renameat renameat2 rmdir sendfile setxattr setxattrat splice stat "
	 "statfs statx symlink symlinkat sync sync_file_range syncfs tee truncate umask unlink "
	 "unlinkat utime utimensat utimes write writev"},

	/* Memory, and where it lies: programs tune NUMA placement and may only touch their own. */
	{"brk get_mempolicy madvise map_shadow_stack mbind membarrier memfd_create "
	 "migrate_pages mincore mlock mlock2 mlockall mmap move_pages mprotect mremap mseal msync "
	 "munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect remap_file_pages "
	 "set_mempolicy set_mempolicy_home_node"},

	/* Processes. Debuggers work: ptrace(2) and its kin see the container's processes only. */
	{"arch_prctl capget capset execve execveat exit exit_group fork get_robust_list getcpu "
	 "getegid geteuid getgid getgroups getpgid getpgrp getpid getppid getpriority getresgid "
	 "getresuid getrlimit getrusage getsid gettid getuid ioprio_get kcmp kill "
	 "landlock_add_rule landlock_create_ruleset landlock_restrict_self pidfd_getfd pidfd_open "
	 "pidfd_send_signal prctl process_mrelease process_vm_readv process_vm_writev ptrace rseq "
	 "sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr "
	 "sched_getparam sched_getscheduler sched_rr_get_interval sched_yield seccomp "
	 "set_robust_list set_tid_address setfsgid setfsuid setgid setgroups setpgid "
	 "setregid setresgid setresuid setreuid setrlimit setsid setuid sysinfo tgkill times tkill "
	 "uname vfork wait4 waitid"},

	/* Signals, time, waiting. adjtimex(2) without privilege only reads. */
	{"adjtimex alarm clock_adjtime clock_getres clock_gettime clock_nanosleep epoll_create "
	 "epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 futex "
	 "futex_requeue futex_wait futex_waitv futex_wake getitimer getrandom gettimeofday "
	 "inotify_add_watch inotify_init inotify_init1 inotify_rm_watch nanosleep pause poll ppoll "
	 "pselect6 restart_syscall rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo "
	 "rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo select setitimer "
	 "sigaltstack signalfd signalfd4 time timer_create timer_delete timer_getoverrun "
	 "timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime"},

	/* Sockets once made, System V and POSIX IPC (of the container's own namespace), old AIO. */
	{"accept accept4 bind connect getpeername getsockname getsockopt io_cancel io_destroy "
	 "io_getevents io_pgetevents io_setup io_submit listen mq_getsetattr mq_notify mq_open "
	 "mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd recvfrom recvmmsg "
	 "recvmsg semctl semget semop semtimedop sendmmsg sendmsg sendto setsockopt shmat shmctl "
	 "shmdt shmget shutdown"},

	/* --- depends on an argument -------------------------------------------------------- */

	/* Threads and forks, but no namespaces. */
	{"clone", .cases = {{EPERM, {BITS(0, NAMESPACES)}}}},
	{"unshare", .cases = {{EPERM, {BITS(0, NAMESPACES | CLONE_NEWTIME)}}}},

	/*
	 * Families by name, so that a kernel with more of them grants no more. The protocols of the
	 * internet families that programs commonly use: SMC, SCTP, DCCP, L2TP and MPTCP are reached
	 * through AF_INET too.
	 */
	{"socket", EAFNOSUPPORT,
	 .cases =
		 {
			 {SECCOMP_ALLOW, {IN(0, AF_UNIX)}},
			 {SECCOMP_ALLOW, {IN(0, AF_INET, AF_INET6), IN(2, INET_PROTOCOLS)}},
			 {EPROTONOSUPPORT, {IN(0, AF_INET, AF_INET6)}},
			 {SECCOMP_ALLOW, {IN(0, AF_NETLINK), IN(2, 0 /* NETLINK_ROUTE */)}},
			 {EPROTONOSUPPORT, {IN(0, AF_NETLINK)}},
		 }},
	{"socketpair", EAFNOSUPPORT, .cases = {{SECCOMP_ALLOW, {IN(0, AF_UNIX)}}}},

	/* Typing into the terminal, pasting into a console, loading line disciplines. */
	{"ioctl", .cases = {{EPERM, {IN(1, TIOCSTI, 0x541c /* TIOCLINUX */, TIOCSETD)}}}},

	/*
	 * A file keeps the hint as long as the kernel knows the file, and no time of it changes: the
	 * next program of a lane would read there what the last one has left. EINVAL is what kernels
	 * without hints say.
	 *
	 * A lease needs no right to write, and the next program that opens the file waits 45 seconds for
	 * its end: one of the host behind a read-only mount, and another container whose root is the
	 * same image's mount. EINVAL is what file systems without leases say.
	 */
	{"fcntl", .cases = {{EINVAL, {IN(1, F_SET_RW_HINT, F_SETLEASE, F_SETDELEG)}}}},

	/*
	 * Linux, Linux with the uname of old, 32-bit uname, both; no address randomisation (for
	 * debuggers); and the question. Not READ_IMPLIES_EXEC and the like.
	 */
	{"personality", EPERM,
	 .cases = {{SECCOMP_ALLOW, {IN(0, 0, 0x20000, 0x8, 0x20008, 0x40000, 0xffffffff)}}}},

	/*
	 * Pid 1 is csbx-init, which shares the payload's user id: without this the payload could
	 * give it a CPU limit and thereby end the container as if csbx had failed.
	 */
	{"prlimit64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler",
	 .cases = {{EPERM, {IN(0, 1)}}}},

	/*
	 * The same for its priorities: by its number, as group and with all processes of its user.
	 */
	{"setpriority", .cases = {{EPERM, {IN(0, 0, 1), IN(1, 1)}}, {EPERM, {IN(0, 2)}}}},
	{"ioprio_set", .cases = {{EPERM, {IN(0, 1, 2), IN(1, 1)}}, {EPERM, {IN(0, 3)}}}},

	/* --- refused ----------------------------------------------------------------------- */

	/* Mounts and namespaces: EPERM is what an unprivileged program is used to. */
	{"fsconfig fsmount fsopen fspick mount mount_setattr move_mount open_tree open_tree_attr "
	 "pivot_root setns umount2",
	 EPERM},

	/* Large attack surface, of use to few. */
	{"bpf fanotify_init fanotify_mark lookup_dcookie open_by_handle_at perf_event_open "
	 "process_madvise userfaultfd vmsplice",
	 EPERM},

	/* The machine itself. No capability of a user namespace grants these. */
	{"acct clock_settime delete_module finit_module init_module ioperm iopl kexec_file_load "
	 "kexec_load quotactl quotactl_fd reboot setdomainname sethostname settimeofday swapoff "
	 "swapon syslog vhangup",
	 EPERM},

	/* --- not there: named so that leaving them out is a decision ------------------------- */

	/* Programs fall back when these are missing; EPERM would stop them. clone3's flags lie in
	 * memory, out of a filter's sight. */
	{"clone3 io_uring_enter io_uring_register io_uring_setup listmount listns "
	 "lsm_get_self_attr "
	 "lsm_list_modules lsm_set_self_attr statmount",
	 ENOSYS},
	/* Its pages are in no process and no file system that shows them to a limit of memory. */
	{"memfd_secret", ENOSYS},
	/* Keys are not per container. */
	{"add_key keyctl request_key", ENOSYS},
	/* Leftovers of older kernels and machines. */
	{"_sysctl afs_syscall create_module epoll_ctl_old epoll_wait_old get_kernel_syms "
	 "get_thread_area getpmsg modify_ldt nfsservctl putpmsg query_module security "
	 "set_thread_area sysfs tuxcall uprobe uretprobe uselib ustat vserver",
	 ENOSYS},

	/* --- with a capability --------------------------------------------------------------- */

	/* The kernel still asks for the capability over the right namespace. */
	{"clone fanotify_init fanotify_mark fsconfig fsmount fsopen fspick listmount mount "
	 "mount_setattr move_mount open_tree open_tree_attr pivot_root setdomainname sethostname "
	 "setns statmount umount2 unshare",
	 .caps = CAP_BIT(CAP_SYS_ADMIN)},
	{"perf_event_open", .caps = CAP_BIT(CAP_SYS_ADMIN) | CAP_BIT(CAP_PERFMON)},
	{"open_by_handle_at", .caps = CAP_BIT(CAP_DAC_READ_SEARCH)},
	{"socket", .caps = CAP_BIT(CAP_NET_RAW),
	 .cases = {{SECCOMP_ALLOW, {IN(0, AF_INET, AF_INET6, AF_PACKET)}}}},
	{"socket", .caps = CAP_BIT(CAP_NET_ADMIN),
	 .cases = {{SECCOMP_ALLOW, {IN(0, AF_INET, AF_INET6, AF_PACKET, AF_NETLINK)}}}},

	/* --- where something is another program's afterwards ---------------------------------- */

	/*
	 * The kernel tells lo of a group that is joined or left later, when no process is left: no
	 * file shows before that there is anything to come. Without an interface that has groups it
	 * says so.
	 */
	{"setsockopt", .caps = SECCOMP_NET_RETURNS,
	 .cases =
		 {
			 {ENODEV,
			  {IN(1, IPPROTO_IP),
			   IN(2, IP_ADD_MEMBERSHIP, IP_ADD_SOURCE_MEMBERSHIP, GROUP_JOINS)}},
			 {ENODEV, {IN(1, IPPROTO_IPV6), IN(2, IPV6_ADD_MEMBERSHIP, GROUP_JOINS)}},
		 }},
	/* Of a file in memory the kernel keeps for good where each page is to lie. */
	{"mbind set_mempolicy_home_node", EPERM, .caps = SECCOMP_FILES_STAY},
};

/* clang-format on */
const size_t seccomp_policy_n = sizeof(seccomp_policy) / sizeof(seccomp_policy[0]);

const struct seccomp_number seccomp_young[] = {
	{"cachestat", 451},         {"fchmodat2", 452},        {"map_shadow_stack", 453},
	{"futex_wake", 454},        {"futex_wait", 455},       {"futex_requeue", 456},
	{"statmount", 457},         {"listmount", 458},        {"lsm_get_self_attr", 459},
	{"lsm_set_self_attr", 460}, {"lsm_list_modules", 461}, {"mseal", 462},
	{"setxattrat", 463},        {"getxattrat", 464},       {"listxattrat", 465},
	{"removexattrat", 466},     {"open_tree_attr", 467},   {"file_getattr", 468},
	{"file_setattr", 469},      {"listns", 470},
};

const size_t seccomp_young_n = sizeof(seccomp_young) / sizeof(seccomp_young[0]);
