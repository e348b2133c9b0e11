/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_INIT_ABI_H
#define CSBX_RUNTIME_INIT_ABI_H

/*
 * What csbx tells csbx-init. A message is one flat block in a sealed memfd: this header, then
 * the data it points to by offsets from its start. No pointers, no libc types; every offset and
 * length is checked by init before use. The same block starts the main process and, sent with
 * descriptors over the control socket, an exec.
 *
 * Descriptors at the exec of csbx-init (those whose INIT_HAS_ flag is set; all others are closed):
 */
#include <stdint.h>

#define INIT_FD_CONTROL 3   /* SOCK_SEQPACKET to the supervisor */
#define INIT_FD_MSG 4	    /* memfd with the message */
#define INIT_FD_STATUS 5    /* write end of the status pipe: struct init_status, or EOF = started */
#define INIT_FD_PROC 6	    /* O_PATH clone of a whole, unmasked /proc of this pid namespace */
#define INIT_FD_CGROUP 7    /* cgroup directory of the payload (INIT_HAS_CGROUP) */
#define INIT_FD_FIRST_KEPT 8 /* n_keep_fds descriptors handed to the payload as 3, 4, ... */

#define INIT_MAGIC 0x31494243u /* "CBI1" */
#define INIT_ABI_VERSION 1u
#define INIT_MSG_MAX (4u << 20) /* argv and environment are at most about 2 MiB on Linux */
#define INIT_MAX_ARGS 65536u
#define INIT_MAX_GROUPS 65536u
#define INIT_MAX_RLIMITS 16u
#define INIT_MAX_INSNS 4096u
#define INIT_MAX_KEEP_FDS 8u

enum init_flag {
	INIT_HAS_CGROUP = 1u << 0,
	INIT_NEW_CGROUP_NS = 1u << 1,
	INIT_TTY = 1u << 2,	     /* fd 0 is the slave of a pty: make it the controlling terminal */
	INIT_NO_NEW_PRIVS = 1u << 3,
	INIT_SECCOMP = 1u << 4,
	INIT_KEEP_GROUPS = 1u << 5,  /* no setgroups() call */
	INIT_DENY_SETGROUPS = 1u << 6, /* one-id map: "deny" is written before gid_map */
	INIT_ONE_ID = 1u << 7,	     /* W writes its own maps; otherwise init writes them */
	INIT_NO_USERNS = 1u << 8,    /* max_user_namespaces = 0 in B */
	INIT_NEW_NET = 1u << 9,	     /* namespaces that belong to B because a capability over them */
	INIT_NEW_UTS = 1u << 10,     /* was asked for */
	INIT_NEW_IPC = 1u << 11,
	INIT_EXEC = 1u << 12,	     /* an exec request: join B instead of making it */
	INIT_CREATE_CWD = 1u << 13,  /* mkdir -p of cwd, inside, as the main user */
	INIT_PAYLOAD_SIGNALS = 1u << 14, /* reserved: docker's pid-1 signal semantics */
};

struct init_range {
	uint32_t off, len; /* bytes from the start of the message */
};

struct init_rlimit {
	uint32_t resource, pad;
	uint64_t soft, hard;
};

struct init_msg {
	uint32_t magic, version, total_len, flags;
	uint32_t uid, gid;
	uint64_t caps;		  /* permitted = effective = bounding; inheritable = ambient = 0 */
	struct init_range argv;	  /* NUL-terminated strings one after the other */
	struct init_range env;	  /* likewise; a PATH= in it is searched for argv[0] */
	uint32_t argc, envc;
	struct init_range cwd;	  /* one NUL-terminated string, absolute */
	struct init_range uid_map, gid_map; /* text as written to /proc/PID/?id_map */
	struct init_range groups; /* u32 each */
	struct init_range rlimits; /* struct init_rlimit each */
	struct init_range bpf;	  /* struct sock_filter each */
	struct init_range hostname; /* with INIT_NEW_UTS */
	uint32_t n_keep_fds, umask;
	uint32_t oom_score_adj;   /* 0..1000 */
	uint32_t pad;
};

/* Where it failed: the name table in runtime/init_stage.c must follow. */
enum init_stage {
	INIT_STAGE_MESSAGE = 1, /* the block itself is malformed */
	INIT_STAGE_CLONE,
	INIT_STAGE_IDMAP,
	INIT_STAGE_NAMESPACE,
	INIT_STAGE_NO_USERNS,
	INIT_STAGE_SESSION,
	INIT_STAGE_TTY,
	INIT_STAGE_RLIMIT,
	INIT_STAGE_KEYRING,
	INIT_STAGE_GROUPS,
	INIT_STAGE_USER,
	INIT_STAGE_CAPS,
	INIT_STAGE_CWD,
	INIT_STAGE_FDS,
	INIT_STAGE_NO_NEW_PRIVS,
	INIT_STAGE_SECCOMP,
	INIT_STAGE_EXEC,	/* execve: ENOENT is 127, EACCES and others 126 */
	INIT_STAGE_MAX,
};

/* One write to the status pipe or one reply to an exec request. */
struct init_status {
	uint32_t magic;
	uint32_t stage;
	int32_t code; /* positive errno */
	uint32_t pad;
};

/* Control socket, supervisor -> init. */
enum init_request_type {
	INIT_REQ_SIGNAL = 1, /* arg: signal number, to the main process */
	INIT_REQ_SIGNAL_ALL, /* arg: signal number, to every process but init */
	INIT_REQ_SPAWN,	     /* descriptors: msg memfd, stdin, stdout, stderr, status pipe */
	INIT_REQ_SIGNAL_PID, /* arg: signal, id: as given by INIT_EV_SPAWNED */
};

struct init_request {
	uint32_t magic, type, arg, id;
};

/* Control socket, init -> supervisor. */
enum init_event_type {
	INIT_EV_STARTED = 1, /* pid: main process in the container's pid namespace */
	INIT_EV_STOPPED,     /* main process stopped by a signal (job control); arg: signal */
	INIT_EV_EXITED,	     /* main process ended; status: wait(2) status */
	INIT_EV_SPAWNED,     /* id, pid */
	INIT_EV_SPAWN_EXITED, /* id, status */
	INIT_EV_SPAWN_STOPPED,
};

struct init_event {
	uint32_t magic, type, id, arg;
	int32_t pid, status;
	uint64_t utime_us, stime_us; /* of the ended process and its reaped children (wait4) */
	uint64_t maxrss_bytes;
};

#endif
