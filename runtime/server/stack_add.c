/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In this order: A is joined, so that /dev/fuse, which the host's tree has, is opened in it; then
 * the server's mount namespace, for a context of a file system belongs to the user namespace of the
 * process that opens it and may be opened only where mounts may be made.
 *
 * The mount gets a directory in the server's root, from where the server clones it. Each process
 * that adds makes a directory of its own: two may add the same file at once, and the server takes
 * whichever tells it first. That root is writable from the first of these directories on. A mount
 * that the server does not want, or not any more, leaves by the number of its directory.
 */
#include "runtime/server/stack_add.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/mount_abi.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/server/fuse_mount.h"
#include "runtime/server/proto.h"
#include "runtime/spec/image_id.h"

#define NAME_BYTES 32
#define PLACES_MAX 65536u

static void place_name(uint32_t place, char ret[NAME_BYTES])
{
	snprintf(ret, NAME_BYTES, "/above-%u", place);
}

/* A directory that no other process has made, open. */
static int make_place(uint32_t *ret, struct err *e)
{
	struct mount_attr writable = {.attr_clr = MOUNT_ATTR_RDONLY};
	char name[NAME_BYTES];
	uint32_t place = 0;
	int fd;

	if (mount_setattr(AT_FDCWD, "/", 0, &writable, sizeof(writable)) < 0)
		return err_sys(e, "set mount attributes");
	do
		place_name(++place, name);
	while ((fd = mkdir(name, 0755)) < 0 && errno == EEXIST && place < PLACES_MAX);
	if (fd < 0)
		return err_sys(e, "make a mount point");
	fd = open(name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "open a mount point");
	*ret = place;
	return fd;
}

static void drop(uint32_t place)
{
	char name[NAME_BYTES];

	place_name(place, name);
	(void)umount2(name, MNT_DETACH | UMOUNT_NOFOLLOW);
	(void)rmdir(name);
}

static int tell_server(const struct stack_add *where, const struct image_id *id, uint32_t place,
		       const int fds[SQUASHD_ADD_MAX], struct err *e)
{
	struct squashd_request q = {.magic = SQUASHD_PROTO_MAGIC,
				    .type = SQUASHD_ADD,
				    .n_above = 1,
				    .above = {*id},
				    .place = place};
	struct squashd_reply reply;
	ssize_t n;
	int r = fd_send_patient(where->sock, &q, sizeof(q), fds,
				fds[SQUASHD_ADD_LAST] < 0 ? SQUASHD_ADD_LAST : SQUASHD_ADD_MAX, e);

	if (r == -ECONNRESET)
		return err_set(e, EPIPE, "the image server went away");
	if (r < 0)
		return r;
	n = fd_recv(where->sock, &reply, sizeof(reply), NULL, 0, e);
	/* It was leaving, or it died: another is asked. */
	if (n == 0 || n == -ECONNRESET)
		return err_set(e, EPIPE, "the image server went away");
	if (n < 0)
		return (int)n;
	if (n != (ssize_t)sizeof(reply) || reply.magic != SQUASHD_PROTO_MAGIC)
		return err_set(e, EPROTO, "the image server speaks another protocol");
	reply.msg[sizeof(reply.msg) - 1] = 0;
	if (reply.gone_place)
		drop(reply.gone_place);
	return reply.code ? err_set(e, reply.code, "%s", reply.msg) : 0;
}

static int add(const struct stack_add *where, const struct rootfs_part *file, int file_fd,
	       struct err *e)
{
	_close_ int fuse = -1, last = -1, tree = -1, dir = -1;
	uint32_t place = 0;
	int r;

	if (setns(where->userns_fd, CLONE_NEWUSER) < 0)
		return err_sys(e, "join the server's user namespace");
	fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fuse < 0)
		return err_sys(e, "open /dev/fuse");
	if (setns(where->mntns_fd, CLONE_NEWNS) < 0)
		return err_sys(e, "join the server's mount namespace");
	tree = fuse_mount_new(where->key, fuse, e);
	if (tree < 0)
		return tree;
	dir = make_place(&place, e);
	if (dir < 0)
		return dir;
	last = fuse_held_last(fuse);
	r = mount_attach(tree, dir, e);
	if (r >= 0)
		r = tell_server(where, &file->id, place, (int[]){fuse, tree, file_fd, last}, e);
	if (r < 0)
		drop(place);
	return r;
}

static int open_file(const struct rootfs_part *file, struct err *e)
{
	_close_ int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct image_id id;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "open");
	image_id_from_stat(&id, &st);
	if (!image_id_same(&id, &file->id))
		return err_set(e, ESTALE, "changed or replaced since it was pinned");
	return take_fd(&fd);
}

int stack_add(const struct stack_add *where, const struct rootfs_part *file, struct err *e)
{
	_close_ int fd = open_file(file, e), rd = -1, wr = -1;
	struct err said = ERR_INIT;
	int fds[2];
	pid_t pid;

	if (fd < 0)
		return err_wrap(e, "%s", file->path);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	rd = fds[0];
	wr = fds[1];
	pid = fork();
	if (!pid) {
		if (add(where, file, fd, &said) < 0 &&
		    write(wr, &said, sizeof(said)) != (ssize_t)sizeof(said))
			_exit(2);
		_exit(said.code != 0);
	}
	if (pid < 0)
		return err_sys(e, "fork");
	fd_close(&wr);
	if (read(rd, &said, sizeof(said)) == (ssize_t)sizeof(said) && e)
		*e = said;
	while (waitpid(pid, &fds[0], 0) < 0 && errno == EINTR)
		;
	if (said.code)
		return err_wrap(e, "%s", file->path);
	return fds[0] ? err_set(e, EIO, "%s: who was to mount it died", file->path) : 0;
}
