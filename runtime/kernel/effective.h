/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_EFFECTIVE_H
#define CSBX_RUNTIME_EFFECTIVE_H

/*
 * The protections of a running process as the kernel shows them, proc(5): those in force, not those
 * asked for.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/str.h"

struct err;

enum effective_caps {
	CAPS_INHERITABLE,
	CAPS_PERMITTED,
	CAPS_EFFECTIVE,
	CAPS_BOUNDING,
	CAPS_AMBIENT,
	CAPS_SETS
};
enum effective_ns { NS_USER, NS_MNT, NS_PID, NS_NET, NS_IPC, NS_UTS, NS_CGROUP, NS_COUNT };

struct effective_mount {
	char *target, *type, *source, *options; /* as in mountinfo, unescaped */
};

struct effective_limit {
	char *name, *soft, *hard; /* "Max open files", "1024", "unlimited" */
};

struct effective {
	pid_t pid;
	uint64_t caps[CAPS_SETS];
	bool no_new_privs;
	unsigned seccomp_mode, seccomp_filters; /* mode 2: filters */
	char *uids, *gids, *groups;             /* real effective saved fs, as seen by the caller */
	struct strv uid_map, gid_map;           /* "0 1000 1", in ids of the caller */
	int own_ns[NS_COUNT]; /* 1: another one than the caller's, 0: the same, -1: unknown */
	char *cgroup;
	struct effective_mount *mounts;
	size_t n_mounts;
	struct effective_limit *limits;
	size_t n_limits;
};

int effective_read(pid_t pid, struct effective *ret, struct err *e);
void effective_free(struct effective *x);
const char *effective_ns_name(enum effective_ns ns);

/* The oldest child of a process: a container's main process below its init. -ESRCH: none. */
int effective_first_child(pid_t parent, pid_t *ret, struct err *e);

/* The parsers, pure. Lines they do not understand are passed over. */
int effective_parse_status(const char *text, struct effective *ret, struct err *e);
int effective_parse_mounts(const char *text, struct effective *ret, struct err *e);
int effective_parse_limits(const char *text, struct effective *ret, struct err *e);

#endif
