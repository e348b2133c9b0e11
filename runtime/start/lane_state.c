/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/lane_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/start/net_modes.h"

#define DEPTH_MAX 8u
#define STATE_BYTES_MAX (4u << 20) /* csbx's own files; more makes no lane */
#define NET_BYTES_MAX 65536u
#define NET_READ_BYTES 16384u /* the longest of a quiet namespace has a third of it */
#define TICK_NS 500000        /* a look at whether one has passed */

static const char *const net_names[LANE_NET_FILES] = {
	"dev", "snmp", "snmp6", "netstat", "sockstat", "ip6_flowlabel",
};
#define NET_SNMP 1
#define NET_SOCKSTAT 4

/* All that stat(2) says, without the time of access. */
struct facts {
	uint64_t dev, ino, nlink, rdev, size, blocks;
	struct timespec mtime, ctime;
	uint32_t mode, uid, gid, pad;
};

static void add_facts(const struct stat *st, struct strbuf *out)
{
	const struct facts f = {
		.dev = st->st_dev,
		.ino = st->st_ino,
		.nlink = st->st_nlink,
		.rdev = st->st_rdev,
		.size = (uint64_t)st->st_size,
		.blocks = (uint64_t)st->st_blocks,
		.mtime = st->st_mtim,
		.ctime = st->st_ctim,
		.mode = st->st_mode,
		.uid = st->st_uid,
		.gid = st->st_gid,
	};

	strbuf_add(out, &f, sizeof(f));
}

/*
 * --- the upper layer ------------------------------------------------------------------------------
 */

static int hold_directory(struct lane_state *s, int dir, const char *path, unsigned depth);

/* Takes fd, which may be an error of open(2). */
static int hold(struct lane_state *s, int fd)
{
	if (fd < 0)
		return -errno;
	if (s->n_held == LANE_HELD_MAX) {
		fd_close(&fd);
		return -E2BIG;
	}
	s->held_fds[s->n_held++] = fd;
	return fd;
}

static int hold_entry(struct lane_state *s, int dir, const char *path, const char *name,
		      unsigned depth)
{
	_free_ char *own = str_printf("%s%s%s", path, *path ? "/" : "", name);
	struct stat st;
	int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, fd;

	if (!own || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -EIO;
	/* Overlay notes some things about an entry when it is looked up for the first time. */
	if (s->root_fd >= 0)
		(void)fstatat(s->root_fd, own, &(struct stat){0}, AT_SYMLINK_NOFOLLOW);
	if (str_eq(own, s->file)) /* lane_state_is_same() looks at it */
		return 0;
	flags |= S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ? O_RDONLY : O_PATH;
	fd = hold(s, openat(dir, name, flags));
	return fd < 0 || !S_ISDIR(st.st_mode) ? fd : hold_directory(s, fd, own, depth + 1);
}

static int hold_directory(struct lane_state *s, int dir, const char *path, unsigned depth)
{
	int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *d = own < 0 ? NULL : fdopendir(own);
	struct dirent *entry;

	if (!d) {
		fd_close(&own);
		return -EIO;
	}
	while (r >= 0 && (errno = 0, entry = readdir(d))) {
		if (str_is_dots(entry->d_name))
			continue;
		r = depth < DEPTH_MAX ? hold_entry(s, dir, path, entry->d_name, depth) : -ELOOP;
	}
	if (r >= 0 && errno)
		r = -errno;
	closedir(d);
	return r;
}

static int add_content(int fd, uint64_t size, size_t max, struct strbuf *out)
{
	if (size > max || !strbuf_reserve(out, size))
		return -E2BIG;
	if (io_pread_exact(fd, out->data + out->len, size, 0, NULL) < 0)
		return -EIO;
	out->len += size;
	return 0;
}

/*
 * No directory has another entry than before: that would have changed its times, which nothing can
 * set back, and all directories are held.
 */
static int add_held(const struct lane_state *s, size_t max, struct strbuf *out)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < s->n_held; i++) {
		struct stat st;

		if (fstat(s->held_fds[i], &st) < 0)
			return -EIO;
		add_facts(&st, out);
		if (S_ISREG(st.st_mode))
			r = add_content(s->held_fds[i], (uint64_t)st.st_size, max, out);
		if (out->len > max)
			return -E2BIG;
	}
	return r;
}

/*
 * --- the network ----------------------------------------------------------------------------------
 */

/* The sockets of the namespace, and what is left of TCP's: the memory is that of the machine. */
static void add_sockets(const char *text, struct strbuf *out)
{
	const char *line = strchr(text, '\n'), *waiting = strstr(text, " tw ");

	strbuf_add(out, text, line ? (size_t)(line - text) : strlen(text));
	if (waiting)
		strbuf_add(out, waiting, 4 + strspn(waiting + 4, "0123456789"));
}

static int add_text(int fd, struct strbuf *out)
{
	size_t begin = out->len;
	ssize_t n;

	do {
		if (out->len - begin > NET_BYTES_MAX || !strbuf_reserve(out, NET_READ_BYTES))
			return -E2BIG;
		n = pread(fd, out->data + out->len, NET_READ_BYTES, (off_t)(out->len - begin));
		if (n < 0)
			return -errno;
		out->len += (size_t)n;
		out->data[out->len] = 0;
	} while (n);
	return 0;
}

static int add_net(const struct lane_state *s, struct strbuf *out)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = s->net_dir_fd >= 0 ? net_modes_add(s->net_dir_fd, out) : 0;

	for (int i = 0; r >= 0 && i < LANE_NET_FILES; i++) {
		if (s->net_fds[i] >= 0)
			r = add_text(s->net_fds[i], i == NET_SOCKSTAT ? &text : out);
		if (r >= 0 && i == NET_SOCKSTAT)
			add_sockets(strbuf_str(&text), out);
	}
	return r;
}

/*
 * --- all ------------------------------------------------------------------------------------------
 */

/* First what is cheap and bounds the rest: no more entries than inodes. */
static int add_file_systems(const struct lane_state *s, struct strbuf *out)
{
	struct statfs fs;
	struct stat st;

	if (fstatfs(s->upper_fd, &fs) < 0 || fstat(s->upper_fd, &st) < 0)
		return -EIO;
	strbuf_add(out, &fs.f_ffree, sizeof(fs.f_ffree));
	add_facts(&st, out);
	for (size_t i = 0; i < sizeof(s->dir_fds) / sizeof(s->dir_fds[0]); i++) {
		if (s->dir_fds[i] < 0)
			continue;
		if (fstatfs(s->dir_fds[i], &fs) < 0 || fstat(s->dir_fds[i], &st) < 0)
			return -EIO;
		strbuf_add(out, &fs.f_ffree, sizeof(fs.f_ffree));
		strbuf_add(out, &fs.f_bfree, sizeof(fs.f_bfree));
		add_facts(&st, out);
		strbuf_add(out, &st.st_atim, sizeof(st.st_atim));
	}
	for (int i = 0; i < 2; i++) {
		int fd = i ? s->ptmx_fd : s->exe_fd;

		if (fd < 0)
			continue;
		if (fstat(fd, &st) < 0)
			return -EIO;
		add_facts(&st, out);
		strbuf_add(out, &st.st_atim, sizeof(st.st_atim));
	}
	return 0;
}

/* known: stops at the first part that differs. */
static int describe(const struct lane_state *s, const struct strbuf *known, struct strbuf *out)
{
	size_t max = known ? known->len : STATE_BYTES_MAX;
	int r = add_file_systems(s, out);

	if (r >= 0 && known &&
	    (out->len > known->len || memcmp(strbuf_str(out), strbuf_str(known), out->len)))
		return -EUCLEAN;
	if (r >= 0)
		r = add_held(s, max, out);
	if (r >= 0)
		r = add_net(s, out);
	return r < 0 ? r : strbuf_check(out, NULL);
}

static int open_inside(pid_t pid1, const char *name, int flags)
{
	_free_ char *path = str_printf("/proc/%d/%s", (int)pid1, name);

	return path ? open(path, flags | O_CLOEXEC | O_NONBLOCK) : -1;
}

static int open_network(struct lane_state *s, pid_t pid1, const struct id_map *map, struct err *e)
{
	s->net_dir_fd = open_inside(pid1, "net/", O_RDONLY | O_DIRECTORY);
	if (s->net_dir_fd < 0)
		return err_sys(e, "lane: network");
	if (!net_modes_can_change(s->net_dir_fd, map)) /* to look at them all takes time */
		fd_close(&s->net_dir_fd);
	for (int i = 0; i < LANE_NET_FILES; i++) {
		_free_ char *name = str_printf("net/%s", net_names[i]);

		s->net_fds[i] = name ? open_inside(pid1, name, O_RDONLY) : -1;
		if (s->net_fds[i] < 0 && errno != ENOENT)
			return err_sys(e, "lane: %s", net_names[i]);
	}
	return 0;
}

int lane_state_open(struct lane_state *s, const struct lane_place *place, const char *file,
		    struct err *e)
{
	static const char *const dirs[] = {"root/dev/shm/", "root/dev/mqueue/", "root/dev/pts/"};

	s->file = file;
	s->exe_fd = place->exe_fd;
	s->upper_fd =
		openat(place->base_fd, "up/upper", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->upper_fd < 0)
		return err_sys(e, "lane: upper layer");
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		s->dir_fds[i] = open_inside(place->pid1, dirs[i], O_RDONLY);
		if (s->dir_fds[i] < 0)
			return err_sys(e, "lane: %s", dirs[i]);
	}
	s->root_fd = open_inside(place->pid1, "root/", O_RDONLY);
	if (s->root_fd < 0)
		return err_sys(e, "lane: root");
	/* To open the device itself would make a terminal. */
	s->ptmx_fd = open_inside(place->pid1, "root/dev/pts/ptmx", O_PATH | O_NOFOLLOW);
	if (s->ptmx_fd < 0)
		return err_sys(e, "lane: /dev/pts/ptmx");
	return open_network(s, place->pid1, place->map, e);
}

static void wait_a_tick(void)
{
	const struct timespec pause = {.tv_nsec = TICK_NS};
	struct timespec begin, now;

	(void)clock_gettime(CLOCK_REALTIME_COARSE, &begin);
	do {
		(void)nanosleep(&pause, NULL);
		(void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
	} while (now.tv_sec == begin.tv_sec && now.tv_nsec == begin.tv_nsec);
}

/*
 * To list a directory changes its time of access unless that is later than its last change
 * (mount(2), MS_RELATIME); queues and terminals have times in whole seconds. Here it is made so, that
 * a later listing is no difference.
 */
static int settle_access(const struct lane_state *s, struct err *e)
{
	struct timespec times[2] = {{.tv_nsec = 0}, {.tv_nsec = UTIME_OMIT}};

	(void)clock_gettime(CLOCK_REALTIME, &times[0]);
	times[0].tv_sec += 2;
	for (size_t i = 0; i < sizeof(s->dir_fds) / sizeof(s->dir_fds[0]); i++) {
		if (s->dir_fds[i] >= 0 && futimens(s->dir_fds[i], times) < 0)
			return err_sys(e, "lane: times of a directory");
	}
	return 0;
}

int lane_state_note(struct lane_state *s, struct err *e)
{
	int r = settle_access(s, e);

	if (r < 0)
		return r;
	r = hold_directory(s, s->upper_fd, "", 0);
	fd_close(&s->root_fd);
	wait_a_tick();
	strbuf_reset(&s->known);
	if (r >= 0)
		r = describe(s, NULL, &s->known);
	return r < 0 ? err_code(e, -r, "lane: look at what is there") : 0;
}

static int open_file(const struct lane_state *s, int flags)
{
	return openat(s->upper_fd, s->file, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

int lane_state_write(const struct lane_state *s, const void *data, size_t len, struct err *e)
{
	static const struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
	_close_ int fd = open_file(s, O_WRONLY | O_TRUNC);

	if (fd < 0 || io_pwrite_all(fd, data, len, 0, NULL) < 0 || futimens(fd, now) < 0)
		return err_sys(e, "lane: %s", s->file);
	return 0;
}

/* Its content and times are the next one's; the rest must be what any such file has. */
static bool file_is_plain(const struct lane_state *s)
{
	_close_ int fd = open_file(s, O_RDONLY);
	struct stat st;
	int flags = 0;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	       (st.st_mode & 07777) == 0644 && st.st_uid == geteuid() && st.st_gid == getegid() &&
	       flistxattr(fd, NULL, 0) == 0 &&
	       (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0 || !(flags & FS_FL_USER_MODIFIABLE));
}

bool lane_state_is_same(const struct lane_state *s)
{
	_strbuf_ struct strbuf now = STRBUF_INIT;

	return describe(s, &s->known, &now) >= 0 && now.len == s->known.len &&
	       !memcmp(strbuf_str(&now), strbuf_str(&s->known), now.len) && file_is_plain(s);
}

const int *lane_state_snmp(const struct lane_state *s)
{
	return s->net_fds[NET_SNMP] >= 0 ? &s->net_fds[NET_SNMP] : NULL;
}

void lane_state_close(struct lane_state *s)
{
	fd_close(&s->upper_fd);
	fd_close(&s->root_fd);
	fd_close(&s->ptmx_fd);
	fd_close(&s->net_dir_fd);
	while (s->n_held)
		fd_close(&s->held_fds[--s->n_held]);
	for (size_t i = 0; i < sizeof(s->dir_fds) / sizeof(s->dir_fds[0]); i++)
		fd_close(&s->dir_fds[i]);
	for (int i = 0; i < LANE_NET_FILES; i++)
		fd_close(&s->net_fds[i]);
	strbuf_free(&s->known);
}
