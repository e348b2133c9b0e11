/* SPDX-License-Identifier: Apache-2.0 */
/* Files of starts whose supervisor was killed: the next list, or the next starts, remove them. */
#include "runtime/record/instance.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/name.h"

/* One start in so many sweeps, and looks at so many names: it has its own work to do. */
#define SWEEP_ONE_IN 16
#define SWEEP_LOOKS 256

bool instance_is_live(int dirfd, const char *id)
{
	_close_ int fd = openat(dirfd, id, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	return fd >= 0 && file_lock_is_held(fd);
}

int instance_claim_dead(int dirfd, const char *id)
{
	_close_ int fd = openat(dirfd, id, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int r = fd < 0 ? -errno : file_lock_claim(fd);

	if (r < 0)
		return r;
	/* Removed before the claim was ours: its name may be a live one's by now. */
	if (fstat(fd, &st) < 0)
		return -errno;
	return st.st_nlink ? take_fd(&fd) : -ENOENT;
}

int instance_claim_dying(int dirfd, const char *id)
{
	static const struct timespec pause = {.tv_nsec = 1000000};
	int fd;

	for (int tries = 0; (fd = instance_claim_dead(dirfd, id)) == -EAGAIN; tries++) {
		if (tries == INSTANCE_DYING_MS)
			break;
		nanosleep(&pause, NULL);
	}
	return fd;
}

int instance_read_dead(int fd, struct instance_record *ret)
{
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	size_t len;

	if (io_read_all(fd, INSTANCE_BYTES_MAX, &bytes, NULL) < 0 || !bytes.len)
		return -ENOENT;
	len = bytes.len;
	return instance_record_decode(ret, strbuf_take(&bytes), len, NULL);
}

bool instance_init_is_gone(const struct instance_record *rec, int timeout_ms)
{
	_close_ int pidfd = rec->init > 0 ? (int)syscall(SYS_pidfd_open, rec->init, 0) : -1;
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	char path[32], comm[32] = "";
	_close_ int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/comm", rec->init);
	fd = pidfd < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	/* The number may be another process's by now. */
	if (fd < 0 || read(fd, comm, sizeof(comm) - 1) <= 0 || !strstr(comm, "csbx-init"))
		return true;
	return poll(&p, 1, timeout_ms) > 0;
}

static int remove_groups(int fd, const char *id, int timeout_ms)
{
	struct instance_record rec;
	int r = 0;

	if (instance_read_dead(fd, &rec) < 0)
		return 0;
	if (!instance_init_is_gone(&rec, timeout_ms))
		r = -EBUSY;
	else if (rec.cgroup && cgroup_debris_exists(rec.cgroup))
		r = cgroup_remove_debris(rec.cgroup, id, NULL);
	instance_record_free(&rec);
	return r;
}

/* With fd, its claim. */
static bool remove_claimed(int dirfd, const char *id, int fd, int timeout_ms)
{
	char socket[NAME_ID_DIGITS + sizeof(INSTANCE_SOCKET_SUFFIX)];

	/* The file goes last: it is all that leads to the rest. */
	if (fd < 0 || remove_groups(fd, id, timeout_ms) < 0)
		return false;
	snprintf(socket, sizeof(socket), "%s" INSTANCE_SOCKET_SUFFIX, id);
	(void)unlinkat(dirfd, socket, 0);
	return unlinkat(dirfd, id, 0) == 0;
}

bool instance_remove_dead(int dirfd, const char *id)
{
	_close_ int fd = instance_claim_dead(dirfd, id);

	return remove_claimed(dirfd, id, fd, 0);
}

void instance_remove_left(const struct paths *p, const char *id)
{
	_close_ int dirfd = paths_open(p->runtime, "instances", NULL);
	_close_ int fd = -1;
	char name[NAME_ID_DIGITS + 1];

	snprintf(name, sizeof(name), "%.*s", NAME_ID_DIGITS, id);
	if (dirfd < 0 || !name_is_id(name))
		return;
	fd = instance_claim_dying(dirfd, name);
	(void)remove_claimed(dirfd, name, fd, INSTANCE_DYING_MS);
}

static void sweep(int dirfd)
{
	_close_ int list = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = list < 0 ? NULL : fdopendir(list);
	const struct dirent *ent;

	if (!d)
		return;
	(void)take_fd(&list);
	for (unsigned looks = 0; looks < SWEEP_LOOKS && (ent = readdir(d)); looks++) {
		if (name_is_id(ent->d_name) && !instance_is_live(dirfd, ent->d_name))
			(void)instance_remove_dead(dirfd, ent->d_name);
	}
	closedir(d);
}

void instance_sweep_sometimes(const struct instance *i)
{
	static const char digits[] = "0123456789abcdef";
	const char *last = strchr(digits, i->id[NAME_ID_DIGITS - 1]);

	if (i->dirfd >= 0 && last && (last - digits) % SWEEP_ONE_IN == 0)
		sweep(i->dirfd);
}
