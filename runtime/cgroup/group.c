/* SPDX-License-Identifier: Apache-2.0 */
/* One group of a cgroup v2 tree: opened as a parent, its small files, and which is our own. */
#include "runtime/cgroup/parent.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define MOUNTINFO_BYTES_MAX (8u << 20)
#define CGROUPS_BYTES_MAX 65536u

int cgroup_read(int dirfd, const char *name, char *buf, size_t size)
{
	_close_ int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	buf[n > 0 ? n : 0] = 0;
	return n < 0 ? -errno : 0;
}

int cgroup_write(int dirfd, const char *name, const char *text)
{
	_close_ int fd = openat(dirfd, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

const char *cgroup_batch_job(void)
{
	static const char *const variables[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *id = getenv(variables[i]);

		if (id && *id)
			return id;
	}
	return NULL;
}

void cgroup_parent_close(struct cgroup_parent *p)
{
	fd_close(&p->fd);
	free(p->path);
	*p = (struct cgroup_parent)CGROUP_PARENT_INIT;
}

unsigned cgroup_read_controllers(int fd, const char *name)
{
	char text[512];

	return cgroup_read(fd, name, text, sizeof(text)) < 0 ? 0 : cgroup_parse_controllers(text);
}

int cgroup_open(const char *path, struct err *e)
{
	_close_ int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs st;

	if (fd < 0 || fstatfs(fd, &st) < 0)
		return err_sys(e, "%s", path);
	if (st.f_type != CGROUP2_SUPER_MAGIC)
		return err_set(e, EINVAL, "%s: not in a cgroup v2 tree", path);
	return take_fd(&fd);
}

/* One at a time: one that cannot be enabled must not keep the others back. */
static void enable(int fd, unsigned set)
{
	for (unsigned bit = 1; bit & CGROUP_ALL; bit <<= 1) {
		char word[32];

		cgroup_print_controllers(set & bit, word);
		if (*word)
			(void)cgroup_write(fd, "cgroup.subtree_control", word);
	}
}

int cgroup_parent_open(const char *path, unsigned need, struct cgroup_parent *ret, struct err *e)
{
	_close_ int fd = cgroup_open(path, e);
	unsigned offers, missing;

	if (fd < 0)
		return fd;
	if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0 ||
	    faccessat(fd, "cgroup.procs", W_OK, AT_EACCESS) < 0)
		return err_sys(e, "%s", path);
	offers = cgroup_read_controllers(fd, "cgroup.subtree_control");
	missing = need & ~offers;
	missing &= missing ? cgroup_read_controllers(fd, "cgroup.controllers") : 0;
	if (missing) {
		enable(fd, missing);
		offers = cgroup_read_controllers(fd, "cgroup.subtree_control");
	}
	ret->path = str_printf("%s", path);
	if (!ret->path)
		return err_oom(e);
	ret->fd = take_fd(&fd);
	ret->offers = offers;
	return 0;
}

static int read_proc(const char *path, size_t max, struct strbuf *out, struct err *e)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(e, "%s", path);
	return io_read_all(fd, max, out, e) < 0 ? err_wrap(e, "%s", path) : 0;
}

int cgroup_own_directory(char **ret_dir, size_t *ret_floor, struct err *e)
{
	_strbuf_ struct strbuf mounts = STRBUF_INIT, cgroups = STRBUF_INIT;
	const char *job = cgroup_batch_job();
	_free_ char *own = NULL;
	size_t top = 0;
	int r = read_proc("/proc/self/cgroup", CGROUPS_BYTES_MAX, &cgroups, e);

	if (r >= 0)
		r = read_proc("/proc/self/mountinfo", MOUNTINFO_BYTES_MAX, &mounts, e);
	if (r < 0)
		return r;
	own = cgroup_own_path(strbuf_str(&cgroups));
	*ret_dir = own ? cgroup_find_directory(strbuf_str(&mounts), own, &top) : NULL;
	if (!*ret_dir)
		return err_set(e, ENOENT, "no cgroup v2 tree is mounted that shows our own group");
	*ret_floor = top;
	if (job) {
		size_t cut = strlen(own) - cgroup_job_len(own, job), len = strlen(*ret_dir);

		*ret_floor = cut < len - top ? len - cut : top;
	}
	return 0;
}
