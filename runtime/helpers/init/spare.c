/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A spare (INIT_SPARE): all is done but the execve, and the words that it needs are not there yet.
 * The main process waits for them on its descriptor 0, a socket. They come as a whole message of a
 * start; all in it but arguments and environment has been done already, and so must be the same to
 * the byte. What the process had as streams until then goes; those of the caller come with the
 * message.
 *
 * A byte on the status pipe says that it waits; a byte on the pipe that comes with the message, that
 * it goes on: from then on the program may have run.
 */
#include "runtime/helpers/init/init.h"
#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/abi/msg_check.h"

static bool is_same_range(const struct init_msg *a, struct init_range x, const struct init_msg *b,
			  struct init_range y)
{
	return x.len == y.len && (!x.len || !memcmp(init_msg_at(a, x), init_msg_at(b, y), x.len));
}

static bool is_same_start(const struct init_msg *a, const struct init_msg *b)
{
	return (a->flags & ~(uint32_t)INIT_SPARE) == b->flags && a->uid == b->uid &&
	       a->gid == b->gid && a->caps == b->caps && a->umask == b->umask &&
	       a->oom_score_adj == b->oom_score_adj && !b->n_keep_fds &&
	       is_same_range(a, a->cwd, b, b->cwd) && is_same_range(a, a->uid_map, b, b->uid_map) &&
	       is_same_range(a, a->gid_map, b, b->gid_map) &&
	       is_same_range(a, a->groups, b, b->groups) &&
	       is_same_range(a, a->rlimits, b, b->rlimits) && is_same_range(a, a->bpf, b, b->bpf) &&
	       is_same_range(a, a->hostname, b, b->hostname);
}

/* 0 when exactly those descriptors came. */
static int receive(int *fds)
{
	struct {
		struct sys_cmsghdr head;
		int fds[SPARE_FDS + 1];
	} control;
	char word;
	struct sys_iovec iov = {&word, 1};
	struct sys_msghdr h = {
		.iov = &iov, .iovlen = 1, .control = &control, .controllen = sizeof(control)};
	long n;

	do {
		n = sys_recvmsg(0, &h, SYS_MSG_CMSG_CLOEXEC);
	} while (n == -EINTR);
	if (n != 1 || h.flags & (SYS_MSG_TRUNC | SYS_MSG_CTRUNC) ||
	    control.head.level != SYS_SOL_SOCKET || control.head.type != SYS_SCM_RIGHTS ||
	    control.head.len != sizeof(control.head) + SPARE_FDS * sizeof(int))
		return n < 0 ? (int)n : -EPIPE;
	for (unsigned i = 0; i < SPARE_FDS; i++)
		fds[i] = control.fds[i];
	return 0;
}

int spare_wait(struct payload *p)
{
	struct message msg = {0};
	int fds[SPARE_FDS], r;

	if (sys_write(p->status_fd, "", 1) != 1)
		return -EPIPE;
	r = receive(fds);
	if (r < 0)
		return r;
	/* What fails from here on is told to who asked, not to who made the spare. */
	r = sys_dup3(fds[SPARE_FD_STATUS], p->status_fd, O_CLOEXEC);
	if (r >= 0)
		r = message_map(fds[SPARE_FD_MSG], &msg);
	if (r >= 0 && !is_same_start(p->m, msg.m))
		r = -EBADMSG;
	for (int i = 0; i < 3 && r >= 0; i++)
		r = sys_dup3(fds[SPARE_FD_STDIN + i], i, 0);
	if (r < 0)
		return r;
	p->m = msg.m;
	return sys_write(p->status_fd, "", 1) == 1 ? 0 : -EPIPE;
}
