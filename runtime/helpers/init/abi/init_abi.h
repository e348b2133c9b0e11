/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_INIT_ABI_H
#define CSBX_RUNTIME_INIT_ABI_H

/*
 * The room runtime/helpers/init/abi. The things that csbx and csbx-init share: the message, its
 * checks, its words.
 *
 * In: bytes that somebody sent. Out: whether csbx-init may act on them.
 *
 *	init_abi.h		the message, the descriptors, the events
 *	msg_check.h		whether a message may be interpreted
 *	msg_bounds.h		what an exec may be given at most
 *	stage_text.h, mem.h	words of stages; what a C library would have
 *
 * Must: be pure and build without a C library.
 * Mustn't: change what a running version reads.
 */

/*
 * The message from csbx to csbx-init. A message is one flat block in a sealed memfd: this header,
 * then the data it points to by offsets from its start. No pointers, no libc types; every offset
 * and length is checked by init before use (msg_check.h). The same block starts the main process
 * and, sent with descriptors over the control socket, an exec. runtime/child/init_msg.h builds it.
 *
 * csbx-init is exec'd as pid 1 of a fresh pid namespace, in the outer user namespace A, with the
 * capabilities of A (a caller that is not uid 0 in A must raise them as ambient ones, or execve
 * drops them; without any, only INIT_ONE_ID works). The memfd must carry F_SEAL_WRITE,
 * F_SEAL_GROW and F_SEAL_SHRINK.
 *
 * Descriptors at the exec of csbx-init: 0, 1, 2 are the payload's; then these (7 only with
 * INIT_HAS_CGROUP). Init closes all others.
 *
 * Alone, with INIT_BARE or INIT_JOIN, it is no pid 1: it becomes the program itself. There is no
 * supervisor then, so of these only the message is there and, with INIT_BARE, /proc; with INIT_JOIN
 * n_join_fds namespaces follow those that are kept. A failure is told on stderr.
 */
#include <stdint.h>

#define INIT_FD_CONTROL 3 /* SOCK_SEQPACKET to the supervisor */
#define INIT_FD_MSG 4     /* memfd with the message */
#define INIT_FD_STATUS 5  /* write end of the status pipe: struct init_status, or EOF = started */
#define INIT_FD_PROC 6    /* O_PATH clone of a whole, unmasked /proc of this pid namespace */
#define INIT_FD_CGROUP 7  /* cgroup directory of the payload (INIT_HAS_CGROUP) */
#define INIT_FD_FIRST_KEPT 8 /* n_keep_fds descriptors handed to the payload as 3, 4, ... */

/* The name of an INIT_BARE or INIT_JOIN until it is the program (PR_SET_NAME). */
#define INIT_ALONE_NAME "csbx-init"

#define INIT_MAGIC 0x31494243u /* "CBI1" */
#define INIT_ABI_VERSION 2u
#define INIT_MSG_MAX (4u << 20) /* argv and environment are at most about 2 MiB on Linux */
#define INIT_MAX_ARGS 65536u
#define INIT_MAX_GROUPS 65536u
#define INIT_MAX_RLIMITS 16u
#define INIT_MAX_INSNS 4096u
#define INIT_MAX_KEEP_FDS 8u
#define INIT_MAX_JOIN_FDS 8u
#define INIT_FD_MAX_ALONE (INIT_MAX_KEEP_FDS + INIT_MAX_JOIN_FDS)
#define INIT_MAX_SPAWNED 1024u /* exec'd processes alive at one time */

#define INIT_EXIT_FAILED 125 /* exit code of init, or of a process it could not start */

enum init_flag {
	INIT_HAS_CGROUP = 1u << 0,
	INIT_NEW_CGROUP_NS = 1u << 1,
	INIT_TTY = 1u << 2, /* fd 0 is the slave of a pty: make it the controlling terminal */
	INIT_NO_NEW_PRIVS = 1u << 3,
	INIT_SECCOMP = 1u << 4,
	INIT_KEEP_GROUPS = 1u << 5,    /* no setgroups() call */
	INIT_DENY_SETGROUPS = 1u << 6, /* "deny" is written before gid_map (needless if A has it) */
	INIT_ONE_ID = 1u << 7,         /* W writes its own maps; otherwise init writes them */
	INIT_NO_USERNS = 1u << 8,      /* max_user_namespaces = 0 in B */
	INIT_NEW_NET = 1u << 9,  /* namespaces that belong to B because a capability over them */
	INIT_NEW_UTS = 1u << 10, /* was asked for */
	INIT_NEW_IPC = 1u << 11,
	INIT_EXEC = 1u << 12,            /* an exec request: join B instead of making it */
	INIT_CREATE_CWD = 1u << 13,      /* mkdir -p of cwd, inside, as the main user */
	INIT_PAYLOAD_SIGNALS = 1u << 14, /* signals reach the main process as they would a pid 1,
					  * also those sent to pid 1 from inside (pid1.c) */
	INIT_KEYRING_TRY = 1u << 15, /* a used-up key quota is reported (INIT_DEGRADED_KEYRING), not
				      * an error: for filters that keep keyctl(2) out of reach */
	INIT_NEW_TTY =
		1u << 16, /* of an exec, with INIT_TTY: init makes a terminal in the container's
			   * devpts, which becomes 0 and 1, and sends its master, with the byte
			   * INIT_TTY_BYTE, over the status descriptor, then a socket */
	INIT_TTY_STDERR = 1u << 17, /* it becomes 2 as well */
	INIT_BARE = 1u << 18,       /* alone: makes B for itself, by unshare(2), in A */
	INIT_JOIN = 1u << 19, /* alone, with INIT_EXEC: enters the namespaces that are passed, in
			       * their order, from outside of A */
	INIT_LANE = 1u << 20, /* for one program after the other (lane.c): the main process ends
			       * before its execve and only makes B */
	INIT_WARM = 1u << 21, /* of an exec: where init has a warm process (INIT_REQ_WARM), the
			       * program is a copy of that; argv would start the same one, with
			       * the last of the kept descriptors */
	INIT_SPARE =
		1u << 22, /* made ahead: 0 is a socket, from which the main process takes, right
				* before its execve, what that needs (enum init_words_fd) */
	INIT_OWN_CGROUP = 1u << 23, /* of an exec with INIT_LANE_ID: the last descriptor is a cgroup
				     * directory, where the program is born and which it sees as
				     * the root of all */
	INIT_FLAGS_ALL = (1u << 24) - 1,
	/* Of the start's, what an exec has too. */
	INIT_EXEC_KEPT = INIT_NO_NEW_PRIVS | INIT_SECCOMP | INIT_KEYRING_TRY | INIT_KEEP_GROUPS,
};
#define INIT_TTY_BYTE 'T'
#define INIT_LANE_ID 0x7fffffffu /* of a SPAWN: it is the main process from now on */

struct init_range {
	uint32_t off, len; /* bytes from the start of the message; absent = 0, 0 */
};

struct init_rlimit {
	uint32_t resource, pad;
	uint64_t soft, hard;
};

struct init_msg {
	uint32_t magic, version, total_len, flags;
	uint32_t uid, gid;
	uint64_t caps;          /* bounding set; also permitted and effective when uid is 0.
				 * Inheritable and ambient are empty. */
	struct init_range argv; /* NUL-terminated strings one after the other */
	struct init_range env;  /* likewise; a PATH= in it is searched for argv[0] */
	uint32_t argc, envc;
	struct init_range cwd;       /* one NUL-terminated string, absolute */
	struct init_range uid_map;   /* text as written to /proc/PID/uid_map; empty in an exec */
	struct init_range gid_map;   /* likewise */
	struct init_range groups;    /* u32 each */
	struct init_range rlimits;   /* struct init_rlimit each, 8-byte aligned */
	struct init_range bpf;       /* struct sock_filter each, 4-byte aligned */
	struct init_range hostname;  /* one NUL-terminated string with INIT_NEW_UTS */
	struct init_range complaint; /* alone: one, what a failure's text begins with */
	uint32_t n_keep_fds, umask;
	uint32_t oom_score_adj; /* 1..1000; 0 leaves what is inherited */
	uint32_t n_join_fds;
	uint32_t failure_code; /* alone: exit code of a failure before execve; 0:
				* INIT_EXIT_FAILED */
	uint32_t pad;
};

/*
 * The last bytes of a message whose terminal (INIT_NEW_TTY) is to have a size from its first moment.
 * No range covers them, so a csbx-init that does not know them reads the message without a size;
 * and the last byte of an exec's message without them is the NUL of a string.
 */
struct init_tail {
	uint16_t tty_rows, tty_columns;
	uint32_t magic; /* INIT_TAIL_MAGIC */
};
#define INIT_TAIL_MAGIC 0xf1494243u

/* The stage at which it failed: stage_text.h must follow. */
enum init_stage {
	INIT_STAGE_MESSAGE = 1, /* the block itself is malformed */
	INIT_STAGE_CLONE,
	INIT_STAGE_IDMAP,
	INIT_STAGE_NAMESPACE,
	INIT_STAGE_OOM_SCORE,
	INIT_STAGE_NO_USERNS,
	INIT_STAGE_SESSION,
	INIT_STAGE_TTY,
	INIT_STAGE_RLIMIT,
	INIT_STAGE_KEYRING,
	INIT_STAGE_BOUNDING,
	INIT_STAGE_GROUPS,
	INIT_STAGE_USER,
	INIT_STAGE_MKDIR,
	INIT_STAGE_CAPS,
	INIT_STAGE_CWD,
	INIT_STAGE_FDS,
	INIT_STAGE_SIGNALS,
	INIT_STAGE_NO_NEW_PRIVS,
	INIT_STAGE_SECCOMP,
	INIT_STAGE_EXEC,   /* execve: ENOENT is 127, EACCES and others 126 */
	INIT_STAGE_BOUNDS, /* an exec that asks for more than the container has */
	INIT_STAGE_WORD,   /* no more word of csbx-init, or of who starts it */
	INIT_STAGE_MAX,
};

enum init_detail {
	INIT_DETAIL_INTERPRETER = 1, /* EXEC, ENOENT: the file is there, its interpreter is not */
};

/* One write to the status pipe, of a start or of an exec. */
struct init_status {
	uint32_t magic;
	uint32_t stage;
	int32_t code;    /* positive errno */
	uint32_t detail; /* enum init_detail or 0 */
};

/*
 * The one message to a main process with INIT_SPARE, a byte and these descriptors: the message of
 * its start, of which only arguments and environment are new, and without the flag; its streams; and
 * a status pipe, on which a byte comes first. And the one to an exec of INIT_REQ_AHEAD, over its
 * status socket, without the last: a message of an exec that has all else of the start's.
 */
enum init_words_fd {
	WORDS_FD_MSG,
	WORDS_FD_STDIN,
	WORDS_FDS = 4,
	SPARE_FD_STATUS = WORDS_FDS,
	SPARE_FDS,
	WORDS_FDS_MAX = SPARE_FDS,
};

/* Control socket, supervisor -> init. Malformed requests are dropped. */
enum init_request_type {
	INIT_REQ_SIGNAL = 1, /* arg: signal, to the main process */
	INIT_REQ_SIGNAL_ALL, /* arg: signal, to every process but init */
	INIT_REQ_SPAWN,      /* id: chosen by the supervisor, not 0, not in use; descriptors: msg
			      * memfd, stdin, stdout, stderr, status pipe, then n_keep_fds more,
			      * then the directory with INIT_OWN_CGROUP. With INIT_LANE_ID the
			      * message may be behind the request, INIT_SENT_MAX bytes at most: then
			      * there is no memfd */
	INIT_REQ_SIGNAL_PID, /* arg: signal, id: of a spawned process */
	INIT_REQ_STOP,       /* arg: signal, to the main process, followed by SIGCONT; with
			      * INIT_PAYLOAD_SIGNALS SIGKILL instead of one that it would not
			      * hear */
	INIT_REQ_EMPTY,      /* with INIT_LANE: as if the main process had ended */
	INIT_REQ_WARM,       /* with INIT_LANE, before any program; a descriptor: a frozen process
			      * (helpers/thaw/abi/image.h). Init goes on without it where it cannot
			      * be had */
	INIT_REQ_AHEAD,      /* as SPAWN, but for a process that is as the main one: it is made at
			      * once, and its words come to itself (enum init_words_fd); a
			      * descriptor: its status socket */
};
#define INIT_SIGNAL_GROUP 0x100u /* with the signal: to the process's whole process group */
#define INIT_SPAWN_FDS 5u
#define INIT_SENT_MAX 4096u

struct init_request {
	uint32_t magic, type, arg, id;
};

/*
 * Control socket, init -> supervisor. Each SPAWN is answered by SPAWNED and, later, SPAWN_EXITED;
 * or by SPAWN_EXITED alone, with pid 0, when no process could be made (the reason is on the status
 * pipe). After EXITED init ends at once and the kernel kills what is left in the pid namespace;
 * its own exit code is the main process's, 128+signal for a killed one.
 */
enum init_event_type {
	INIT_EV_STARTED = 1, /* pid: main process in the container's pid namespace; arg: degraded */
	INIT_EV_STOPPED,     /* main process stopped by a signal (job control); arg: signal */
	INIT_EV_EXITED,      /* main process ended; status: wait(2) status */
	INIT_EV_SPAWNED,     /* id, pid */
	INIT_EV_SPAWN_EXITED,  /* id, pid, status */
	INIT_EV_SPAWN_STOPPED, /* id, pid; arg: signal */
	INIT_EV_EMPTIED,       /* with INIT_LANE, after an EXITED without that arg; arg:
			  * INIT_LANE_EMPTIED, maybe with INIT_LANE_TOUCHED */
};
/* In arg of INIT_EV_EXITED, with INIT_LANE, or of INIT_EV_EMPTIED. */
#define INIT_LANE_TOUCHED 1u     /* what is left of it cannot be told to be nothing */
#define INIT_LANE_EMPTIED 2u     /* no process is left, the next gets the first one's id */
#define INIT_DEGRADED_KEYRING 1u /* in arg of INIT_EV_STARTED */

struct init_event {
	uint32_t magic, type, id, arg;
	int32_t pid, status;
	uint64_t utime_us, stime_us; /* of the ended process and its reaped children (wait4) */
	uint64_t maxrss_bytes;
};

#endif
