/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Drives the image server as a start does, without the rest of one:
 *
 *	squashd_probe attach IMAGE UID:GID one|subuid|auto [COMMAND...]
 *		attaches, prints one JSON line, runs COMMAND in A with the image at ./image and the
 *		/dev template at ./dev; without COMMAND holds on until end of file on stdin
 *	squashd_probe bench IMAGE N
 *		N warm attaches, one after the other: microseconds each
 *	squashd_probe meta IMAGE | unpack IMAGE DIR | status NAME | quit NAME
 *	squashd_probe tree IMAGE
 *		the cached directory of an image, made if need be: prints its path
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/spec/image_id.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/server/image_file.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/settings/paths.h"
#include "runtime/server/client.h"
#include "runtime/server/unpacked.h"
#include "runtime/userns/userns.h"

static int report(const struct err *e)
{
	fprintf(stderr, "squashd_probe: %s\n", e->msg);
	return 1;
}

static int attach_at(int dirfd, const char *name, int mount_fd, struct err *e)
{
	_close_ int dir = -1;

	if (mkdirat(dirfd, name, 0755) < 0)
		return err_sys(e, "mkdir %s", name);
	dir = openat(dirfd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? err_sys(e, "open %s", name) : mount_attach(mount_fd, dir, e);
}

/*
 * The first steps of a container's pid 1: into A, a copy of the caller's mounts, the trees
 * attached.
 */
static int enter(const struct squashd_link *l, struct err *e)
{
	_close_ int base = -1, tmp = -1;
	int r;

	if (setns(l->userns_fd, CLONE_NEWUSER) < 0)
		return err_sys(e, "setns");
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return err_sys(e, "mount namespace");
	base = mount_new_tmpfs(65536, 0755, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
	tmp = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (base < 0 || tmp < 0)
		return err_sys(e, "tmpfs");
	r = mount_attach(base, tmp, e);
	if (r >= 0 && l->image_fds[0] >= 0)
		r = attach_at(base, "image", l->image_fds[0], e);
	if (r >= 0)
		r = attach_at(base, "dev", l->dev_fd, e);
	if (r >= 0 && fchdir(base) < 0)
		r = err_sys(e, "chdir");
	return r;
}

static int run_inside(const struct squashd_link *l, char **argv)
{
	struct err e = ERR_INIT;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (enter(l, &e) < 0)
			_exit(report(&e));
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int fill_spec(struct container_spec *spec, char *image, struct err *e)
{
	struct stat st;

	memset(spec, 0, sizeof(*spec));
	if (stat(image, &st) < 0)
		return err_sys(e, "%s", image);
	spec->rootfs.path = image;
	spec->rootfs.kind = S_ISDIR(st.st_mode) ? ROOTFS_DIRECTORY : ROOTFS_SQUASHFS;
	image_id_from_stat(&spec->rootfs.id, &st);
	spec->rootfs.has_user_xattrs = getenv("PROBE_USER_XATTRS") != NULL;
	return 0;
}

static int attach(const struct paths *paths, int argc, char **argv)
{
	struct squashd_link l = SQUASHD_LINK_INIT;
	struct container_spec spec;
	enum userns_mode mode = USERNS_AUTO;
	struct err e = ERR_INIT;
	struct id_map map;
	int status = 0;
	char c;

	if (fill_spec(&spec, argv[2], &e) < 0)
		return report(&e);
	if (sscanf(argv[3], "%u:%u", &spec.proc.uid, &spec.proc.gid) != 2)
		return 2;
	if (str_eq(argv[4], "one"))
		mode = USERNS_ONE;
	else if (str_eq(argv[4], "subuid"))
		mode = USERNS_SUBUID;
	if (userns_map_for(spec.proc.uid, spec.proc.gid, mode, &map, &e) < 0 ||
	    squashd_attach(paths, &spec, &map, &l, &e) < 0)
		return report(&e);
	printf("{\"pid\": %d, \"started\": %d, \"containers\": %u, \"requests\": %llu, "
	       "\"init_is_file\": %d, \"extents\": %u}\n",
	       l.server_pid, l.started, l.containers, (unsigned long long)l.fuse_requests,
	       l.init_is_file, map.n_uid);
	fflush(stdout);
	if (argc > 5) {
		status = run_inside(&l, argv + 5);
	} else {
		while (read(0, &c, 1) > 0)
			;
	}
	squashd_link_close(&l);
	return status;
}

static int bench(const struct paths *paths, char *image, int n)
{
	struct container_spec spec;
	struct err e = ERR_INIT;
	struct timespec t0, t1;
	struct id_map map;

	if (fill_spec(&spec, image, &e) < 0 || userns_map_for(0, 0, USERNS_ONE, &map, &e) < 0)
		return report(&e);
	for (int i = 0; i < n; i++) {
		struct squashd_link l = SQUASHD_LINK_INIT;

		clock_gettime(CLOCK_MONOTONIC, &t0);
		if (squashd_attach(paths, &spec, &map, &l, &e) < 0)
			return report(&e);
		clock_gettime(CLOCK_MONOTONIC, &t1);
		squashd_link_close(&l);
		printf("%ld\n",
		       (t1.tv_sec - t0.tv_sec) * 1000000 + (t1.tv_nsec - t0.tv_nsec) / 1000);
	}
	return 0;
}

static int meta(const struct paths *paths, const char *image)
{
	_strbuf_ struct strbuf record = STRBUF_INIT;
	_close_ int fd = open(image, O_RDONLY | O_CLOEXEC);
	struct err e = ERR_INIT;

	if (fd < 0)
		return 2;
	if (squashd_read_meta(paths, fd, &record, &e) < 0 ||
	    io_write_all(1, record.data, record.len, &e) < 0)
		return report(&e);
	return 0;
}

static int unpack(const struct paths *paths, const char *image, const char *dir)
{
	_close_ int fd = open(image, O_RDONLY | O_CLOEXEC);
	_close_ int dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct err e = ERR_INIT;

	if (fd < 0 || dirfd < 0)
		return 2;
	return squashd_unpack(paths, fd, dirfd, false, &e) < 0 ? report(&e) : 0;
}

static int tree(const struct paths *paths, char *image)
{
	struct container_spec spec;
	struct err e = ERR_INIT;
	struct unpacked dir = UNPACKED_INIT;

	if (fill_spec(&spec, image, &e) < 0 || unpacked_open(paths, &spec.rootfs, &dir, &e) < 0)
		return report(&e);
	puts(dir.root.path);
	unpacked_close(&dir);
	return 0;
}

static int ask(const struct paths *paths, const char *name, enum squashd_request_type type)
{
	struct squashd_reply reply;
	struct err e = ERR_INIT;
	_close_ int dirfd = paths_open(paths->runtime, "servers", &e);

	if (dirfd < 0 || squashd_ask(dirfd, name, type, &reply, &e) < 0)
		return report(&e);
	printf("{\"pid\": %d, \"containers\": %u, \"requests\": %llu}\n", reply.server_pid,
	       reply.containers, (unsigned long long)reply.fuse_requests);
	return 0;
}

static int run(struct paths *paths, int argc, char **argv)
{
	if (argc >= 5 && str_eq(argv[1], "attach"))
		return attach(paths, argc, argv);
	if (argc == 4 && str_eq(argv[1], "bench"))
		return bench(paths, argv[2], atoi(argv[3]));
	if (argc == 3 && str_eq(argv[1], "meta"))
		return meta(paths, argv[2]);
	if (argc == 4 && str_eq(argv[1], "unpack"))
		return unpack(paths, argv[2], argv[3]);
	if (argc == 3 && str_eq(argv[1], "tree"))
		return tree(paths, argv[2]);
	if (argc == 3 && str_eq(argv[1], "status"))
		return ask(paths, argv[2], SQUASHD_STATUS);
	if (argc == 3 && str_eq(argv[1], "quit"))
		return ask(paths, argv[2], SQUASHD_QUIT);
	fprintf(stderr, "squashd_probe: see the head of tests/tools/squashd_probe.c\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct paths paths;
	int r;

	if (paths_init(&paths, NULL, &e) < 0)
		return report(&e);
	r = run(&paths, argc, argv);
	paths_free(&paths);
	return r;
}
