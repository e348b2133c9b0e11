/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All is done but the execve, and the words that it needs are not there yet: the main process of a
 * spare (INIT_SPARE), and an exec that was asked for ahead (INIT_REQ_AHEAD). They come as a whole
 * message, the spare's as that of a start, the exec's as that of an exec; all in it but arguments
 * and environment has been done already, and so must be the same to the byte. What the process had
 * as streams until then goes; those of the caller come with the message.
 *
 * A spare waits on its descriptor 0, a socket. A byte on its status pipe says that it waits; a byte
 * on the pipe that comes with the message, that it goes on: from then on the program may have run.
 * An exec waits on its status socket, and the client may send before it does.
 */
#include "runtime/helpers/init/init.h"
#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/abi/msg_check.h"

static bool is_same_range(const struct init_msg *a, struct init_range x, const struct init_msg *b,
			  struct init_range y)
{
	return x.len == y.len && (!x.len || !memcmp(init_msg_at(a, x), init_msg_at(b, y), x.len));
}

static bool is_same_process(const struct payload *p, const struct init_msg *b)
{
	const struct init_msg *a = p->m;

	return (p->flags & ~(uint32_t)INIT_SPARE) == b->flags && a->uid == b->uid &&
	       a->gid == b->gid && a->caps == b->caps && a->umask == b->umask &&
	       a->oom_score_adj == b->oom_score_adj && !b->n_keep_fds &&
	       is_same_range(a, a->cwd, b, b->cwd) && is_same_range(a, a->groups, b, b->groups) &&
	       is_same_range(a, a->rlimits, b, b->rlimits) && is_same_range(a, a->bpf, b, b->bpf);
}

static bool is_same_container(const struct init_msg *a, const struct init_msg *b)
{
	return is_same_range(a, a->uid_map, b, b->uid_map) &&
	       is_same_range(a, a->gid_map, b, b->gid_map) &&
	       is_same_range(a, a->hostname, b, b->hostname);
}

/* 0 when exactly n descriptors came. */
static int receive(int sock, int *fds, unsigned n_fds)
{
	struct {
		struct sys_cmsghdr head;
		int fds[WORDS_FDS_MAX + 1];
	} control = {0};
	char word;
	struct sys_iovec iov = {&word, 1};
	struct sys_msghdr h = {
		.iov = &iov, .iovlen = 1, .control = &control, .controllen = sizeof(control)};
	long n;

	do {
		n = sys_recvmsg(sock, &h, SYS_MSG_CMSG_CLOEXEC);
	} while (n == -EINTR);
	if (n != 1 || h.flags & (SYS_MSG_TRUNC | SYS_MSG_CTRUNC) ||
	    control.head.level != SYS_SOL_SOCKET || control.head.type != SYS_SCM_RIGHTS ||
	    control.head.len != sizeof(control.head) + n_fds * sizeof(int))
		return n < 0 ? (int)n : -EPIPE;
	for (unsigned i = 0; i < n_fds; i++)
		fds[i] = control.fds[i];
	return 0;
}

static int take(struct payload *p, const int *fds, bool is_start)
{
	struct message msg = {0};
	int r = message_map(fds[WORDS_FD_MSG], &msg);

	if (r >= 0 && !(is_same_process(p, msg.m) && (!is_start || is_same_container(p->m, msg.m))))
		r = -EBADMSG;
	for (int i = 0; i < 3 && r >= 0; i++)
		r = sys_dup3(fds[WORDS_FD_STDIN + i], i, 0);
	if (r >= 0)
		p->m = msg.m;
	return r;
}

int words_for_spare(struct payload *p)
{
	int fds[SPARE_FDS], r;

	if (sys_write(p->status_fd, "", 1) != 1)
		return -EPIPE;
	r = receive(0, fds, SPARE_FDS);
	if (r < 0)
		return r;
	/* What fails from here on is told to who asked, not to who made the spare. */
	r = sys_dup3(fds[SPARE_FD_STATUS], p->status_fd, O_CLOEXEC);
	if (r >= 0)
		r = take(p, fds, true);
	if (r < 0)
		return r;
	return sys_write(p->status_fd, "", 1) == 1 ? 0 : -EPIPE;
}

int words_for_exec(struct payload *p)
{
	int fds[WORDS_FDS], r = receive(p->status_fd, fds, WORDS_FDS);

	return r < 0 ? r : take(p, fds, false);
}
