/* SPDX-License-Identifier: Apache-2.0 */
/* A small upper layer in file systems of its own: which changes are seen, and which are none. */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/start/lane_state.h"
#include "runtime/userns/userns.h"
#include "tests/unit/tap.h"

#define SNIPPET "csbx/snippet.py"
#define UPPER "/tmp/u"
#define OWN UPPER "/" SNIPPET

static const char *const dirs[] = {"/tmp/a", "/tmp/b", "/tmp/c"};
static int held = -1; /* a descriptor that outlives the change */
static int exe = -1;  /* stands for csbx-init */

static bool enter(void)
{
	struct id_map map = {.n_uid = 1, .n_gid = 1};

	map.uid[0] = (struct id_extent){.inside = 0, .outside = geteuid(), .count = 1};
	map.gid[0] = (struct id_extent){.inside = 0, .outside = getegid(), .count = 1};
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) >= 0 && userns_write_own(&map, NULL) >= 0 &&
	       unshare(CLONE_NEWNET) >= 0 && /* its files are those of the root that there is */
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) >= 0;
}

static bool make_file(const char *path, const char *text)
{
	_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static bool make_tmpfs(const char *path)
{
	return (mkdir(path, 0755) >= 0 || access(path, F_OK) >= 0) &&
	       mount("tmpfs", path, "tmpfs", MS_RELATIME, "nr_inodes=100,size=1m") >= 0;
}

static bool make_all(void)
{
	bool good = make_tmpfs("/tmp") && make_tmpfs(UPPER);

	for (int i = 0; i < 3; i++)
		good = good && make_tmpfs(dirs[i]);
	return good && mkdir(UPPER "/csbx", 0755) >= 0 && mkdir(UPPER "/etc", 0755) >= 0 &&
	       mkdir(UPPER "/work", 0755) >= 0 && make_file(UPPER "/etc/hosts", "127.0.0.1 a\n") &&
	       symlink("etc/hosts", UPPER "/link") >= 0 && make_file(OWN, "");
}

static bool open_state(struct lane_state *s)
{
	static const char *const net[] = {"dev", "snmp", "sockstat"};
	static const int places[] = {0, 1, 4};

	*s = (struct lane_state)LANE_STATE_INIT;
	s->file = SNIPPET;
	s->upper_fd = open(UPPER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 3; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/self/net/%s", net[i]);
		s->dir_fds[i] = open(dirs[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		s->net_fds[places[i]] = open(path, O_RDONLY | O_CLOEXEC);
	}
	s->net_dir_fd = open("/proc/self/net", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	s->exe_fd = exe = memfd_create("exe", MFD_CLOEXEC);
	return s->upper_fd >= 0 && s->dir_fds[2] >= 0 && s->net_dir_fd >= 0 && s->net_fds[4] >= 0 &&
	       exe >= 0 && write(exe, "x", 1) == 1;
}

static void unmake(struct lane_state *s)
{
	fd_close(&held);
	fd_close(&exe);
	lane_state_close(s);
	for (int i = 0; i < 3; i++)
		umount2(dirs[i], MNT_DETACH);
	umount2(UPPER, MNT_DETACH);
	umount2("/tmp", MNT_DETACH);
}

/*
 * --- changes: true when they were made ------------------------------------------------------------
 */

static bool nothing(void)
{
	return true;
}

static bool reads(void)
{
	char byte;
	_close_ int fd = open(UPPER "/etc/hosts", O_RDONLY | O_CLOEXEC);
	DIR *d = opendir(dirs[0]);
	bool good = fd >= 0 && read(fd, &byte, 1) == 1 && d && readdir(d);

	if (d)
		closedir(d);
	return good;
}

static bool own_is_longer(void)
{
	_close_ int fd = open(OWN, O_WRONLY | O_APPEND | O_CLOEXEC);

	return fd >= 0 && write(fd, "more\n", 5) == 5;
}

static bool file(void)
{
	return make_file(UPPER "/work/x", "x");
}

static bool file_is_gone_again(void)
{
	return make_file(UPPER "/work/x", "x") && unlink(UPPER "/work/x") >= 0;
}

static bool file_beside_it(void)
{
	return make_file(UPPER "/csbx/x", "") && unlink(UPPER "/csbx/x") >= 0;
}

static bool mode_and_back(void)
{
	return chmod(UPPER "/etc", 0700) >= 0 && chmod(UPPER "/etc", 0755) >= 0;
}

static bool mode_of_the_network(void)
{
	return chmod("/proc/self/net/arp", 0400) >= 0;
}

static bool mode_below_the_network(void)
{
	return chmod("/proc/self/net/stat", 0500) >= 0;
}

static bool times(void)
{
	struct stat st;
	struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}};

	/* To what it was: the time of the change of the inode is left. */
	return stat(UPPER "/etc", &st) >= 0 && (t[1] = st.st_mtim, true) &&
	       utimensat(AT_FDCWD, UPPER "/etc", t, 0) >= 0;
}

static bool mapped(void)
{
	_close_ int fd = open(UPPER "/etc/hosts", O_RDWR | O_CLOEXEC);
	volatile char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	bool good = p != MAP_FAILED && p[0] == '1'; /* read first: the write is no fault then */

	if (good)
		p[0] = '9';
	return good && munmap((void *)p, 4096) >= 0;
}

static bool removed(void)
{
	return unlink(UPPER "/link") >= 0;
}

static bool other_link(void)
{
	return unlink(UPPER "/link") >= 0 && symlink("etc/hostx", UPPER "/link") >= 0;
}

static bool renamed(void)
{
	return rename(UPPER "/etc", UPPER "/etd") >= 0 && rename(UPPER "/etd", UPPER "/etc") >= 0;
}

static bool own_mode(void)
{
	return chmod(OWN, 0666) >= 0;
}

static bool own_link(void)
{
	return link(OWN, UPPER "/work/y") >= 0 && unlink(UPPER "/work/y") >= 0;
}

static bool own_symlink(void)
{
	return unlink(OWN) >= 0 && symlink("../etc/hosts", OWN) >= 0;
}

static bool own_fifo(void)
{
	return unlink(OWN) >= 0 && mkfifo(OWN, 0644) >= 0;
}

static bool own_gone(void)
{
	return unlink(OWN) >= 0;
}

static bool own_directory(void)
{
	return unlink(OWN) >= 0 && mkdir(OWN, 0644) >= 0;
}

static bool nameless(void)
{
	held = open(UPPER "/work", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return held >= 0;
}

static bool nameless_closed(void)
{
	bool good = nameless();

	fd_close(&held);
	return good;
}

static bool shm(void)
{
	return make_file("/tmp/a/x", "x");
}

static bool shm_is_gone_again(void)
{
	return make_file("/tmp/a/x", "x") && unlink("/tmp/a/x") >= 0;
}

static bool mqueue_mode(void)
{
	return chmod("/tmp/b", 0700) >= 0 && chmod("/tmp/b", 0755) >= 0;
}

static bool shm_nameless(void)
{
	held = open("/tmp/c", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return held >= 0;
}

static bool sockets(void)
{
	held = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return held >= 0;
}

static bool sockets_closed(void)
{
	bool good = sockets();

	fd_close(&held);
	return good;
}

static bool exe_mode(void)
{
	return fchmod(exe, 0) >= 0 && fchmod(exe, 0777) >= 0;
}

static bool exe_is_read(void)
{
	char byte;

	return pread(exe, &byte, 1, 0) == 1;
}

static bool many(void)
{
	char path[64];

	for (int i = 0; i < 50; i++) {
		snprintf(path, sizeof(path), UPPER "/work/%d", i);
		if (!make_file(path, ""))
			return false;
	}
	return true;
}

static bool deep(void)
{
	int dir = open(UPPER "/work", O_RDONLY | O_DIRECTORY | O_CLOEXEC), next;

	for (int i = 0; i < 20 && dir >= 0; i++) {
		next = mkdirat(dir, "d", 0755) < 0
			       ? -1
			       : openat(dir, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(dir);
		dir = next;
	}
	return dir >= 0 && close(dir) >= 0;
}

static const struct {
	const char *name;
	bool (*change)(void);
	bool is_same;
} cases[] = {
	{"nothing", nothing, true},
	{"files that are read", reads, true},
	{"its own file is longer", own_is_longer, true},
	{"a file", file, false},
	{"a file that is gone again", file_is_gone_again, false},
	{"a file beside its own", file_beside_it, false},
	{"a mode, and back", mode_and_back, false},
	{"the network: a mode", mode_of_the_network, false},
	{"the network: a mode in a directory of it", mode_below_the_network, false},
	{"times", times, false},
	{"a shared mapping", mapped, false},
	{"removed", removed, false},
	{"another link", other_link, false},
	{"renamed, and back", renamed, false},
	{"its own file: mode", own_mode, false},
	{"its own file: a link that is gone again", own_link, false},
	{"its own file: a symbolic link", own_symlink, false},
	{"its own file: a fifo", own_fifo, false},
	{"its own file: gone", own_gone, false},
	{"its own file: a directory", own_directory, false},
	{"a file without a name", nameless, false},
	{"a file without a name, closed", nameless_closed, true},
	{"shm", shm, false},
	{"shm, gone again", shm_is_gone_again, false},
	{"the mode of mqueue, and back", mqueue_mode, false},
	{"pts: a file without a name", shm_nameless, false},
	{"a socket", sockets, false},
	{"a socket, closed", sockets_closed, true},
	{"its program: the mode, and back", exe_mode, false},
	{"its program, read", exe_is_read, false},
	{"many files", many, false},
	{"deep", deep, false},
};

static void try_case(size_t i)
{
	static const char text[] = "print(6 * 7)\n";
	struct lane_state s;
	struct err e = ERR_INIT;

	if (!ok(make_all() && open_state(&s), "%s: made", cases[i].name))
		return;
	ok(lane_state_note(&s, &e) >= 0, "%s: noted", cases[i].name);
	ok(lane_state_write(&s, text, sizeof(text) - 1, &e) >= 0, "%s: written", cases[i].name);
	ok(cases[i].change(), "%s: changed", cases[i].name);
	is_int(lane_state_is_same(&s), cases[i].is_same, "%s", cases[i].name);
	unmake(&s);
}

int main(void)
{
	if (!enter()) {
		tap_skip("no user namespace can be made here");
		return done_testing();
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		try_case(i);
	return done_testing();
}
