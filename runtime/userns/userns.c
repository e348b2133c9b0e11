/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/userns/userns.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define IDMAP_LINE_MAX 40
/* One command asks several times: all but the first get the same answer. */
#define SAME_MOMENT_MS 100u

static const char *const newidmap_dirs[] = {"/usr/bin", "/bin", "/usr/local/bin"};

static int find_newidmap(const char *program, char *path, size_t size)
{
	for (size_t i = 0; i < sizeof(newidmap_dirs) / sizeof(newidmap_dirs[0]); i++) {
		snprintf(path, size, "%s/%s", newidmap_dirs[i], program);
		if (!access(path, X_OK))
			return 0;
	}
	return -ENOENT;
}

/* By the set-user-ID bit or by file capabilities, capabilities(7); neither counts on a nosuid
 * mount. */
static bool gains_privilege(const char *path)
{
	struct statfs fs;
	struct stat st;

	if (statfs(path, &fs) < 0 || fs.f_flags & ST_NOSUID || stat(path, &st) < 0)
		return false;
	return (st.st_mode & S_ISUID && !st.st_uid) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

static int read_small_file(const char *path, struct strbuf *out, struct err *e)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int r;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, "open %s", path);
	r = io_read_all(fd, SUBID_FILE_MAX, out, e);
	return r < 0 ? err_wrap(e, "%s", path) : 0;
}

/*
 * The name newuidmap will know us by. It asks NSS; a static program cannot. A user of a network
 * directory has no line in /etc/passwd, but a session that says who it is.
 */
static int login_name(uint32_t uid, char *buf, size_t size, struct err *e)
{
	_strbuf_ struct strbuf passwd = STRBUF_INIT;
	const char *name;
	size_t len;
	int r = read_small_file("/etc/passwd", &passwd, e);

	if (r < 0)
		return r;
	name = subid_login_name(strbuf_str(&passwd), passwd.len, uid, &len);
	if (!name) {
		name = secure_getenv("LOGNAME");
		if (!name)
			name = secure_getenv("USER");
		len = name ? strlen(name) : 0;
	}
	if (len >= size)
		len = 0;
	if (len)
		memcpy(buf, name, len);
	buf[len] = 0;
	return 0;
}

/* The reasons why newuidmap would fail for sure, in the order a user would want to hear them. */
static const char *why_no_ranges(void)
{
	_strbuf_ struct strbuf map = STRBUF_INIT;
	char uidmap[64], gidmap[64];
	unsigned inside, outside, count;

	if (find_newidmap("newuidmap", uidmap, sizeof(uidmap)) < 0 ||
	    find_newidmap("newgidmap", gidmap, sizeof(gidmap)) < 0)
		return "newuidmap and newgidmap are not installed (package uidmap)";
	if (!gains_privilege(uidmap) || !gains_privilege(gidmap))
		return "newuidmap and newgidmap are not set-user-ID root";
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return "newuidmap cannot work under no_new_privs";
	if (read_small_file("/proc/self/uid_map", &map, NULL) < 0 ||
	    sscanf(strbuf_str(&map), "%u %u %u", &inside, &outside, &count) != 3 ||
	    count < UINT32_MAX)
		return "newuidmap cannot work in a user namespace that lacks the ids";
	return NULL;
}

static int probe(enum userns_mode mode, struct userns_facts *ret, struct err *e)
{
	_strbuf_ struct strbuf uids = STRBUF_INIT, gids = STRBUF_INIT;
	char name[256];
	int r;

	memset(ret, 0, sizeof(*ret));
	ret->caller_uid = geteuid();
	ret->caller_gid = getegid();
	if (mode == USERNS_ONE)
		return 0;
	r = read_small_file("/etc/subuid", &uids, e);
	if (r >= 0)
		r = read_small_file("/etc/subgid", &gids, e);
	if (r < 0)
		return r;
	if (!uids.len || !gids.len)
		return 0;
	r = login_name(ret->caller_uid, name, sizeof(name), e);
	if (r < 0)
		return r;
	subid_parse(uids.data, uids.len, *name ? name : NULL, ret->caller_uid, &ret->uid);
	subid_parse(gids.data, gids.len, *name ? name : NULL, ret->caller_uid, &ret->gid);
	if (!ret->uid.n || !ret->gid.n)
		return 0;
	ret->why_not = why_no_ranges();
	ret->can_use_ranges = !ret->why_not;
	return 0;
}

bool userns_is_anothers(uint32_t id)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct subid_list own = {0};
	char name[256];

	if (read_small_file("/etc/subuid", &text, NULL) < 0 || !text.len ||
	    login_name(geteuid(), name, sizeof(name), NULL) < 0)
		return false;
	subid_parse(text.data, text.len, *name ? name : NULL, geteuid(), &own);
	for (size_t i = 0; i < own.n; i++) {
		if (id >= own.items[i].start && id - own.items[i].start < own.items[i].count)
			return false;
	}
	return subid_find_free(text.data, text.len, id, 1) != id;
}

int userns_probe(enum userns_mode mode, struct userns_facts *ret, struct err *e)
{
	static struct userns_facts last;
	static enum userns_mode last_mode;
	static uint64_t last_ms;
	uint64_t now_ms = clock_monotonic_ms();
	int r;

	if (last_ms && now_ms - last_ms < SAME_MOMENT_MS && mode == last_mode &&
	    geteuid() == last.caller_uid && getegid() == last.caller_gid) {
		*ret = last;
		return 0;
	}
	r = probe(mode, ret, e);
	if (r >= 0) {
		last = *ret;
		last_mode = mode;
		last_ms = now_ms;
	}
	return r;
}

static uint32_t add_extent(struct id_extent *x, uint32_t n, uint32_t inside, uint32_t outside,
			   uint32_t count)
{
	x[n] = (struct id_extent){.inside = inside, .outside = outside, .count = count};
	return n + 1;
}

/*
 * Fills x: `main_id` is the caller, every other id from 0 up comes from the ranges in their order,
 * as far as three extents reach. The extent of main_id is kept free until it is placed.
 */
static uint32_t plan_extents(const struct subid_list *ranges, uint32_t main_id, uint32_t caller,
			     struct id_extent *x)
{
	uint32_t n = 0, next = 0; /* next inside id to give out */
	bool placed = false;

	for (size_t i = 0; i < ranges->n; i++) {
		uint32_t outside = ranges->items[i].start, left = ranges->items[i].count;

		if (caller >= outside && caller - outside < left)
			continue;
		while (left && n < ID_EXTENTS_MAX - (placed ? 0 : 1)) {
			uint32_t count = left, room = UINT32_MAX - next;

			if (next == main_id) {
				n = add_extent(x, n, main_id, caller, 1);
				placed = true;
				next++;
				continue;
			}
			if (!placed && count > main_id - next)
				count = main_id - next;
			if (count > room)
				count = room;
			if (!count)
				break;
			n = add_extent(x, n, next, outside, count);
			next += count;
			outside += count;
			left -= count;
		}
	}
	return placed ? n : add_extent(x, n, main_id, caller, 1);
}

int userns_map_plan(const struct userns_facts *f, uint32_t uid, uint32_t gid, enum userns_mode mode,
		    struct id_map *ret, struct err *e)
{
	bool has_ranges = f->uid.n && f->gid.n;

	memset(ret, 0, sizeof(*ret));
	if (uid == UINT32_MAX || gid == UINT32_MAX)
		return err_set(e, EINVAL, "user %u:%u: not an id", uid, gid);
	if (mode == USERNS_SUBUID && !has_ranges)
		return err_set(e, EPERM,
			       "--userns subuid: user %u has no ranges in /etc/subuid and "
			       "/etc/subgid",
			       f->caller_uid);
	if (mode == USERNS_SUBUID && !f->can_use_ranges)
		return err_set(e, EPERM, "--userns subuid: %s",
			       f->why_not ? f->why_not : "newuidmap cannot be used");
	if (mode == USERNS_ONE || !has_ranges || !f->can_use_ranges) {
		ret->n_uid = add_extent(ret->uid, 0, uid, f->caller_uid, 1);
		ret->n_gid = add_extent(ret->gid, 0, gid, f->caller_gid, 1);
		return 0;
	}
	ret->n_uid = plan_extents(&f->uid, uid, f->caller_uid, ret->uid);
	ret->n_gid = plan_extents(&f->gid, gid, f->caller_gid, ret->gid);
	return 0;
}

int userns_map_for(uint32_t uid, uint32_t gid, enum userns_mode mode, struct id_map *ret,
		   struct err *e)
{
	struct userns_facts facts;
	int r = userns_probe(mode, &facts, e);

	return r < 0 ? r : userns_map_plan(&facts, uid, gid, mode, ret, e);
}

bool id_extents_have(const struct id_extent *x, uint32_t n, uint32_t inside)
{
	for (uint32_t i = 0; i < n && i < ID_EXTENTS_MAX; i++) {
		if (inside >= x[i].inside && inside - x[i].inside < x[i].count)
			return true;
	}
	return false;
}

bool id_extents_lead_to(const struct id_extent *x, uint32_t n, uint32_t outside)
{
	for (uint32_t i = 0; i < n && i < ID_EXTENTS_MAX; i++) {
		if (outside >= x[i].outside && outside - x[i].outside < x[i].count)
			return true;
	}
	return false;
}

static size_t extents_text(const struct id_extent *x, uint32_t n, bool identity, char *buf,
			   size_t size)
{
	size_t len = 0;

	for (uint32_t i = 0; i < n && i < ID_EXTENTS_MAX && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%u %u %u\n", x[i].inside,
					identity ? x[i].inside : x[i].outside, x[i].count);
	return len < size ? len : size - 1;
}

size_t id_extents_identity(const struct id_extent *x, uint32_t n, char *buf, size_t size)
{
	return extents_text(x, n, true, buf, size);
}

static int write_proc(const char *path, const char *text, size_t len, struct err *e)
{
	_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	/* One write: the kernel takes a map whole or not at all. */
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		return err_sys(e, "write %s", path);
	return 0;
}

int userns_write_own(const struct id_map *m, struct err *e)
{
	char text[ID_EXTENTS_MAX * IDMAP_LINE_MAX];
	size_t len = extents_text(m->uid, m->n_uid, false, text, sizeof(text));
	int r = write_proc("/proc/self/setgroups", "deny", 4, e);

	if (r >= 0)
		r = write_proc("/proc/self/uid_map", text, len, e);
	if (r < 0)
		return r;
	len = extents_text(m->gid, m->n_gid, false, text, sizeof(text));
	return write_proc("/proc/self/gid_map", text, len, e);
}

/* argv of newuidmap PID INSIDE OUTSIDE COUNT ..., in fixed storage: it runs after a fork. */
struct newidmap_args {
	char words[2 + 3 * ID_EXTENTS_MAX][12];
	char *argv[3 + 3 * ID_EXTENTS_MAX];
};

static void fill_args(struct newidmap_args *a, char *path, pid_t pid, const struct id_extent *x,
		      uint32_t n)
{
	size_t w = 0;

	a->argv[w++] = path;
	snprintf(a->words[w], sizeof(a->words[0]), "%d", pid);
	a->argv[w] = a->words[w];
	w++;
	for (uint32_t i = 0; i < n && i < ID_EXTENTS_MAX; i++) {
		uint32_t v[3] = {x[i].inside, x[i].outside, x[i].count};

		for (int k = 0; k < 3; k++, w++) {
			snprintf(a->words[w], sizeof(a->words[0]), "%u", v[k]);
			a->argv[w] = a->words[w];
		}
	}
	a->argv[w] = NULL;
}

/* In the child; its stderr is a pipe, for what it says is the reason the user needs. */
static void become_newidmap(const char *path, char *const *argv, int said_fd, const int *go)
{
	static char *const no_env[] = {NULL};
	char c;

	if (go) {
		close(go[1]); /* or our parent's death would not end the wait */
		if (read(go[0], &c, 1) != 1)
			_exit(1);
	}
	if (dup2(said_fd, 2) >= 0)
		execve(path, argv, no_env);
	_exit(127);
}

static int start_mapper(const char *program, pid_t pid, const struct id_extent *x, uint32_t n,
			const int *go, struct userns_mapper *ret, struct err *e)
{
	_close_ int rd = -1, wr = -1;
	struct newidmap_args args;
	char path[64];
	int fds[2];

	if (find_newidmap(program, path, sizeof(path)) < 0)
		return err_set(e, ENOENT, "%s is not installed (package uidmap)", program);
	fill_args(&args, path, pid, x, n);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	rd = fds[0];
	wr = fds[1];
	ret->pid = fork();
	if (ret->pid < 0)
		return err_sys(e, "fork");
	if (!ret->pid)
		become_newidmap(path, args.argv, wr, go);
	ret->program = program;
	ret->said_fd = take_fd(&rd);
	return 0;
}

static int finish_mapper(struct userns_mapper *m, struct err *e)
{
	_strbuf_ struct strbuf said = STRBUF_INIT;
	int status;

	if (m->pid <= 0)
		return 0;
	(void)io_read_all(m->said_fd, 4096, &said, NULL);
	fd_close(&m->said_fd);
	while (waitpid(m->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_sys(e, "wait for %s", m->program);
	}
	m->pid = 0;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	for (size_t i = 0; i < said.len; i++) {
		if ((unsigned char)said.data[i] < 0x20)
			said.data[i] = i + 1 < said.len ? ' ' : 0;
	}
	return err_set(e, EPERM, "%s: %s (--userns one works without)", m->program,
		       said.len ? strbuf_str(&said) : "failed");
}

int userns_mappers_start(pid_t pid, const struct id_map *m, const int *go,
			 struct userns_mappers *ret, struct err *e)
{
	int r = start_mapper("newuidmap", pid, m->uid, m->n_uid, go, &ret->uid, e);

	return r < 0 ? r : start_mapper("newgidmap", pid, m->gid, m->n_gid, go, &ret->gid, e);
}

int userns_mappers_finish(struct userns_mappers *m, struct err *e)
{
	int r = finish_mapper(&m->uid, e), r2 = finish_mapper(&m->gid, r < 0 ? NULL : e);

	return r < 0 ? r : r2;
}

int userns_write_ranges(pid_t pid, const struct id_map *m, struct err *e)
{
	struct userns_mappers mappers = USERNS_MAPPERS_INIT;
	int r = userns_mappers_start(pid, m, NULL, &mappers, e),
	    r2 = userns_mappers_finish(&mappers, r < 0 ? NULL : e);

	return r < 0 ? r : r2;
}
