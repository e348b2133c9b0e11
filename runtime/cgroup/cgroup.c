/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cgroup/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

#define PREFIX "csbx-"
#define PAYLOAD "payload"
#define HELPER ".helper"
#define REMOVE_TRIES 60u
#define REMOVE_WAIT_MAX_MS 20u
#define GROUPS_MAX 65536u

char *cgroup_path(const struct cgroup_parent *parent, const char *id)
{
	return str_printf("%s/" PREFIX "%s", parent->path, id);
}

/* --- making ------------------------------------------------------------------------------- */

/*
 * A limit that the parent offers is set or it is an error; a limit that it does not offer is not
 * held.
 */
static int set_limit(struct cgroup *cg, unsigned controller, const char *file, const char *text,
		     struct err *e)
{
	int r;

	if (!(cg->parent.offers & controller))
		return 0;
	r = cgroup_write(cg->limit_fd, file, text);
	if (r < 0)
		return err_code(e, r, "%s/%s: set %s to %s", cg->parent.path, cg->name, file, text);
	cg->holds |= controller;
	return 0;
}

static int set_limits(struct cgroup *cg, const struct limit_spec *l, unsigned need, struct err *e)
{
	char text[48];
	int r = 0;

	if (need & CGROUP_MEMORY) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)l->memory_bytes);
		r = set_limit(cg, CGROUP_MEMORY, "memory.max", text, e);
		/*
		 * memory.high stays as it is: it slows a program that has nothing to give back
		 * down to a crawl, and the limit is never passed.
		 * A kernel without swap, or without its accounting, has no such file as the next.
		 */
		if (r >= 0 && (cg->holds & CGROUP_MEMORY)) {
			(void)cgroup_write(cg->limit_fd, "memory.swap.max", "0");
			r = set_limit(cg, CGROUP_MEMORY, "memory.oom.group",
				      l->oom_single ? "0" : "1", e);
		}
	}
	if (r >= 0 && (need & CGROUP_CPU)) {
		cgroup_print_cpu_max(l->cpus_milli, text);
		r = set_limit(cg, CGROUP_CPU, "cpu.max", text, e);
	}
	if (r >= 0 && (need & CGROUP_PIDS)) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)l->pids);
		r = set_limit(cg, CGROUP_PIDS, "pids.max", text, e);
	}
	return r;
}

static int make_group(int dirfd, const char *name, struct err *e)
{
	int fd = mkdirat(dirfd, name, 0755);

	if (fd >= 0)
		fd = openat(dirfd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "make control group %s", name) : fd;
}

static int make_helper(struct cgroup *cg, struct err *e)
{
	char name[sizeof(cg->name) + sizeof(HELPER)];

	snprintf(name, sizeof(name), "%s" HELPER, cg->name);
	cg->helper_fd = make_group(cg->parent.fd, name, e);
	return cg->helper_fd;
}

static int make_all(struct cgroup *cg, const struct limit_spec *l, unsigned need, struct err *e)
{
	int r = cg->limit_fd = make_group(cg->parent.fd, cg->name, e);

	if (r >= 0)
		r = set_limits(cg, l, need, e);
	if (r >= 0)
		r = cg->payload_fd = make_group(cg->limit_fd, PAYLOAD, e);
	return r < 0 ? r : 0;
}

int cgroup_make_alone(struct cgroup *cg, struct cgroup_parent *parent, const char *id,
		      const struct limit_spec *limits, unsigned need, struct err *e)
{
	int r;

	*cg = (struct cgroup)CGROUP_INIT;
	cg->parent = *parent;
	*parent = (struct cgroup_parent)CGROUP_PARENT_INIT;
	snprintf(cg->name, sizeof(cg->name), PREFIX "%s", id);
	r = make_all(cg, limits, need, e);
	if (r < 0)
		(void)cgroup_remove(cg, NULL);
	return r;
}

int cgroup_make(struct cgroup *cg, struct cgroup_parent *parent, const char *id,
		const struct limit_spec *limits, unsigned need, struct err *e)
{
	int r = cgroup_make_alone(cg, parent, id, limits, need, e);

	if (r >= 0)
		r = make_helper(cg, e);
	if (r < 0)
		(void)cgroup_remove(cg, NULL);
	return r < 0 ? r : 0;
}

/* --- using -------------------------------------------------------------------------------- */

int cgroup_change_limit(const struct cgroup *cg, unsigned controller, uint64_t value)
{
	const char *file = controller == CGROUP_MEMORY ? "memory.max"
			   : controller == CGROUP_CPU  ? "cpu.max"
						       : "pids.max";
	char text[48];

	if (!cgroup_is_made(cg) || !(cg->holds & controller))
		return -EOPNOTSUPP;
	if (!value)
		snprintf(text, sizeof(text), "max");
	else if (controller == CGROUP_CPU)
		cgroup_print_cpu_max(value, text);
	else
		snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return cgroup_write(cg->limit_fd, file, text);
}

void cgroup_kill(const struct cgroup *cg)
{
	if (cgroup_is_made(cg))
		(void)cgroup_write(cg->limit_fd, "cgroup.kill", "1");
}

int cgroup_freeze(const struct cgroup *cg, bool on)
{
	return cgroup_is_made(cg) ? cgroup_write(cg->limit_fd, "cgroup.freeze", on ? "1" : "0")
				  : -ENOENT;
}

static uint64_t read_key(int fd, const char *name, const char *key)
{
	char text[2048];

	return cgroup_read(fd, name, text, sizeof(text)) < 0 ? 0 : cgroup_parse_key(text, key);
}

static uint64_t read_number(int fd, const char *name)
{
	char text[32];

	return cgroup_read(fd, name, text, sizeof(text)) < 0 ? 0 : cgroup_parse_number(text);
}

uint64_t cgroup_oom_kills(const struct cgroup *cg)
{
	return cgroup_is_made(cg) && (cg->holds & CGROUP_MEMORY)
		       ? read_key(cg->limit_fd, "memory.events", "oom_kill")
		       : 0;
}

uint64_t cgroup_oom_kills_in(int events_fd)
{
	char text[2048];
	ssize_t n = pread(events_fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = 0;
	return cgroup_parse_key(text, "oom_kill");
}

int cgroup_open_events(const struct cgroup *cg)
{
	if (!cgroup_is_made(cg) || !(cg->holds & CGROUP_MEMORY))
		return -1;
	return openat(cg->limit_fd, "memory.events", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

bool cgroup_show(const char *path, const char *file, char *buf, size_t size)
{
	_close_ int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t len;

	if (fd < 0 || cgroup_read(fd, file, buf, size) < 0)
		return false;
	len = strlen(buf);
	if (len && buf[len - 1] == '\n')
		buf[len - 1] = 0;
	return true;
}

/* The manager of the parent can disable a controller, and our limit with it. */
static unsigned lost_controllers(const struct cgroup *cg)
{
	static const struct {
		unsigned controller;
		const char *file;
	} limits[] = {
		{CGROUP_MEMORY, "memory.max"}, {CGROUP_CPU, "cpu.max"}, {CGROUP_PIDS, "pids.max"}};
	unsigned lost = 0;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		char text[48];

		if ((cg->holds & limits[i].controller) &&
		    (cgroup_read(cg->limit_fd, limits[i].file, text, sizeof(text)) < 0 ||
		     str_has_prefix(text, "max")))
			lost |= limits[i].controller;
	}
	return lost;
}

void cgroup_read_usage(const struct cgroup *cg, struct cgroup_usage *ret)
{
	char text[2048];

	*ret = (struct cgroup_usage){.lost = lost_controllers(cg)};
	if (cgroup_read(cg->limit_fd, "cpu.stat", text, sizeof(text)) >= 0) {
		ret->user_us = cgroup_parse_key(text, "user_usec");
		ret->sys_us = cgroup_parse_key(text, "system_usec");
	}
	if (cg->parent.offers & CGROUP_MEMORY) {
		ret->memory_peak_bytes = read_number(cg->limit_fd, "memory.peak");
		ret->oom_kills = read_key(cg->limit_fd, "memory.events", "oom_kill");
	}
	if (cg->parent.offers & CGROUP_PIDS) {
		ret->max_pids = read_number(cg->limit_fd, "pids.peak");
		ret->pids_refused = read_key(cg->limit_fd, "pids.events", "max");
	}
}

/* --- removing ----------------------------------------------------------------------------- */

/* First group below dirfd, "" when there is none. */
static void first_child(int dirfd, char ret[NAME_MAX + 1])
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *ent;

	*ret = 0;
	if (!d) {
		fd_close(&fd);
		return;
	}
	while (!*ret && (ent = readdir(d))) {
		if (ent->d_type == DT_DIR && !str_is_dots(ent->d_name))
			snprintf(ret, NAME_MAX + 1, "%s", ent->d_name);
	}
	closedir(d);
}

/* Removes one group at or below name that has none below itself. */
static int remove_deepest(int dirfd, const char *name)
{
	char at[NAME_MAX + 1], child[NAME_MAX + 1];
	_close_ int up = openat(dirfd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	snprintf(at, sizeof(at), "%s", name);
	while (up >= 0) {
		_close_ int fd = openat(up, at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd < 0)
			return -errno;
		first_child(fd, child);
		if (!*child)
			return unlinkat(up, at, AT_REMOVEDIR) < 0 ? -errno : 0;
		memcpy(at, child, sizeof(at));
		fd_close(&up);
		up = take_fd(&fd);
	}
	return -errno;
}

/* The program may have made groups below its own, where it could mount a cgroup file system. */
static int remove_tree(int dirfd, const char *name)
{
	int r = unlinkat(dirfd, name, AT_REMOVEDIR) < 0 ? -errno : 0;

	for (unsigned i = 0; i < GROUPS_MAX && r == -EBUSY; i++) {
		r = remove_deepest(dirfd, name);
		if (r < 0)
			break;
		r = unlinkat(dirfd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
	}
	return r == -ENOENT ? 0 : r;
}

static void wait_ms(unsigned ms)
{
	nanosleep(&(struct timespec){.tv_nsec = (long)ms * 1000000}, NULL);
}

/* A process that is dead for wait(2) may be a moment from leaving its group. */
static int remove_patiently(int dirfd, const char *name)
{
	unsigned ms = 1;
	int r;

	for (unsigned i = 0; i < REMOVE_TRIES; i++) {
		r = remove_tree(dirfd, name);
		if (r != -EBUSY)
			return r;
		wait_ms(ms);
		ms = ms < REMOVE_WAIT_MAX_MS ? 2 * ms : REMOVE_WAIT_MAX_MS;
	}
	return r;
}

static int remove_groups(int parent_fd, const char *name, struct err *e)
{
	char helper[64], payload[64];
	int r, second;

	snprintf(helper, sizeof(helper), "%s" HELPER, name);
	snprintf(payload, sizeof(payload), "%s/" PAYLOAD, name);
	(void)unlinkat(parent_fd, payload, AT_REMOVEDIR);
	r = remove_patiently(parent_fd, name);
	second = remove_patiently(parent_fd, helper);
	if (r >= 0)
		r = second;
	return r < 0 ? err_code(e, r, "remove control group %s", name) : 0;
}

int cgroup_remove(struct cgroup *cg, struct err *e)
{
	int r = 0;

	fd_close(&cg->limit_fd);
	fd_close(&cg->payload_fd);
	fd_close(&cg->helper_fd);
	if (cgroup_is_made(cg))
		r = remove_groups(cg->parent.fd, cg->name, e);
	cgroup_parent_close(&cg->parent);
	*cg = (struct cgroup)CGROUP_INIT;
	return r;
}

bool cgroup_debris_exists(const char *path)
{
	_free_ char *helper = str_printf("%s" HELPER, path);

	return access(path, F_OK) == 0 || (helper && access(helper, F_OK) == 0);
}

int cgroup_remove_debris(const char *path, const char *id, struct err *e)
{
	_free_ char *name = str_printf(PREFIX "%s", id), *dir = strdup(path);
	char *slash = dir ? strrchr(dir, '/') : NULL;
	_close_ int parent = -1, fd = -1;
	struct statfs st;

	if (!name || !slash || !str_eq(slash + 1, name))
		return err_set(e, EINVAL, "%s: not the group of %s", path, id);
	*slash = 0;
	parent = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (parent < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", dir);
	if (fstatfs(parent, &st) < 0 || st.f_type != CGROUP2_SUPER_MAGIC)
		return err_set(e, EINVAL, "%s: not in a cgroup v2 tree", path);
	fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		(void)cgroup_write(fd, "cgroup.kill", "1");
	return remove_groups(parent, name, e);
}
