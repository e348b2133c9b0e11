/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_JOIN_H
#define CSBX_RUNTIME_JOIN_H

/*
 * A process joins a running bare container (bare.h): setns(2), where every other container of ours
 * has its init to fork one from inside. These rules make it safe:
 *
 *  - The target is verified. Its pid must belong to a live, recorded container of the same user:
 *    same user and mount namespace as that container's main process, both known by number and start
 *    time, so a process id that was given to somebody else is refused. Its descriptors are opened
 *    while a pidfd proves that it is the same process before and after.
 *  - What joins cannot be looked at. join_exec() becomes csbx-init first, from a sealed memfd, and
 *    enters from there, not dumpable, in an address space that belongs to the caller's user
 *    namespace; so no program inside can trace it, read its memory, descriptors or program file
 *    (/proc/PID/exe is the sealed copy) before its next execve, which is the program.
 *  - It is locked in before it runs anything of the container's: descriptors closed but 0, 1 and 2,
 *    the start's bounding set, no_new_privs and seccomp filter.
 */

#include <sys/types.h>

#include "runtime/base/str.h"
#include "runtime/record/instance.h"

struct err;
struct paths;

#define JOIN_NS_MAX 8
#define JOIN_KEEP_MAX 4

struct join_target {
	pid_t pid;
	int pidfd;
	int ns_fds[JOIN_NS_MAX]; /* in the order of joining; -1 after the last */
	struct instance_record record;
	struct strv env; /* of the target, as it was when it was exec'd */
	char *cwd;       /* of the target, a path inside; "/" where it has none there */
};
#define JOIN_TARGET_INIT                                                  \
	{                                                                 \
		.pidfd = -1, .ns_fds = { -1, -1, -1, -1, -1, -1, -1, -1 } \
	}

/*
 * The live container that a process belongs to: *ret is its record (instance_record_free()).
 * -ESRCH: there is no such process, or it is in no container of this user's. A record with is_bare
 * is joined as below; of any other, exec_open() (client.h) makes processes.
 */
int join_find(const struct paths *p, pid_t pid, struct instance_record *ret, struct err *e);

/*
 * Verifies the target and opens all that is needed to join it; waits, ten seconds at most, for one
 * whose start is not done (-EAGAIN then). -ESRCH as join_find(); -EOPNOTSUPP: a container with a
 * supervisor. join_close() in any case.
 */
int join_open(const struct paths *p, pid_t pid, struct join_target *ret, struct err *e);
void join_close(struct join_target *t);

struct join_command {
	const struct strv *argv;  /* argv[0] is looked for in env's PATH, inside */
	const struct strv *env;   /* all of it; the target's is t->env */
	const char *cwd;          /* NULL: the target's */
	const char *error_prefix; /* as bare_how */
	int failure_code;
	const int *keep_fds; /* become 3, 4, ... of the command; all others close */
	unsigned n_keep_fds; /* up to JOIN_KEEP_MAX */
};

/*
 * Becomes the command inside. Returns on failure only (-errno), before anything has been joined.
 */
int join_exec(const struct paths *p, const struct join_target *t, const struct join_command *c,
	      struct err *e);

#endif
