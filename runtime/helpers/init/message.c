/* SPDX-License-Identifier: Apache-2.0 */
/* A message as it comes, what answers it, and the clone it asks for. */

#include "runtime/helpers/init/init.h"
#include "runtime/helpers/init/abi/msg_check.h"

#define SEEK_END_ 2

int message_map(int fd, struct message *ret)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	int have = sys_fcntl(fd, F_GET_SEALS, 0), err = 0;
	struct message msg;
	long bytes;

	if (have < 0)
		return have;
	if ((have & seals) != seals) /* could change or shrink under our eyes */
		return -EPERM;
	bytes = sys_lseek(fd, 0, SEEK_END_);
	if (bytes < 0)
		return (int)bytes;
	if (bytes > (long)INIT_MSG_MAX)
		return -E2BIG;
	if (!bytes)
		return -EBADMSG;
	msg.bytes = (size_t)bytes;
	msg.m = sys_mmap(msg.bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, &err);
	if (!msg.m)
		return err;
	err = init_msg_check(msg.m, msg.bytes);
	if (err < 0) {
		sys_munmap(msg.m, msg.bytes);
		return err;
	}
	*ret = msg;
	return 0;
}

int message_take(const void *data, size_t len, struct message *ret)
{
	int r = init_msg_check(data, len);

	if (r >= 0)
		*ret = (struct message){.m = data};
	return r;
}

void message_unmap(struct message *msg)
{
	if (msg->bytes)
		sys_munmap(msg->m, msg->bytes);
	msg->bytes = 0;
}

void status_send(int fd, unsigned stage, int result, unsigned detail)
{
	const struct init_status st = {
		.magic = INIT_MAGIC, .stage = stage, .code = -result, .detail = detail};

	(void)sys_write(fd, &st, sizeof(st));
}

/*
 * clone3(2) only where it is needed: for the placement in a cgroup. Made in the same call, the
 * payload's cgroup namespace is rooted in that cgroup, not in init's.
 */
int clone_payload(unsigned long ns_flags, int cgroup_fd)
{
	struct clone_args args = {
		.flags = ns_flags | CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = (uint64_t)cgroup_fd,
	};

	return cgroup_fd >= 0 ? sys_clone3(&args) : sys_clone(ns_flags | SIGCHLD);
}

int cgroup_of(const struct init_msg *start)
{
	return start->flags & INIT_HAS_CGROUP ? INIT_FD_CGROUP : -1;
}

unsigned long namespaces_of(uint32_t flags)
{
	unsigned long ns = CLONE_NEWUSER | CLONE_NEWNS;

	if (flags & INIT_NEW_NET)
		ns |= CLONE_NEWNET;
	if (flags & INIT_NEW_UTS)
		ns |= CLONE_NEWUTS;
	if (flags & INIT_NEW_IPC)
		ns |= CLONE_NEWIPC;
	if (flags & INIT_NEW_CGROUP_NS)
		ns |= CLONE_NEWCGROUP;
	return ns;
}
