/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The reach of a taken-over image reader: the test tries each forbidden call, raw, in a process
 * that has confined itself as the server and the tools do.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/helpers/squashd/confine.h"
#include "runtime/userns/userns.h"
#include "tests/unit/tap.h"

#define DIR_FD 100
#define FILE_FD 101

static char top[TAP_PATH_SIZE] = "csbx-confine";

/* Results come back through memory that parent and child share: the child may not print. */
static struct result {
	int n, failed;
	char first[80];
} * shared;

static void expect(bool pass, const char *what)
{
	shared->n++;
	if (!pass && !shared->failed++)
		snprintf(shared->first, sizeof(shared->first), "%s (errno %d)", what, errno);
}

#define REFUSED(call) expect((call) < 0 && errno == EPERM, #call)
#define ALLOWED(call) expect((call) >= 0, #call)

static int run(void (*body)(void), const char *name)
{
	int status;
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	pid = fork();
	if (!pid) {
		body();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status), "%s: ends by itself (status %#x)", name,
	   status);
	ok(shared->n > 0 && !shared->failed, "%s: %d checks, %d failed, first: %s", name, shared->n,
	   shared->failed, shared->first);
	return status;
}

static void no_way_out(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(9)};
	char *const argv[] = {NULL};

	REFUSED(syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
	REFUSED(syscall(SYS_openat, DIR_FD, "file", O_RDONLY));
#ifdef SYS_open
	REFUSED(syscall(SYS_open, "/etc/passwd", O_RDONLY));
	REFUSED(syscall(SYS_creat, "/tmp/x", 0600));
#endif
	REFUSED(syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", &(uint64_t[3]){0}, 24));
	REFUSED(syscall(SYS_newfstatat, AT_FDCWD, "/etc", &(struct stat){0}, 0));
	REFUSED(syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
	REFUSED(syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
	REFUSED(syscall(SYS_connect, 3, &in, sizeof(in)));
	REFUSED(syscall(SYS_execve, "/bin/true", argv, argv));
	REFUSED(syscall(SYS_execveat, FILE_FD, "", argv, argv, AT_EMPTY_PATH));
	REFUSED(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	REFUSED(syscall(SYS_unshare, CLONE_NEWUSER));
	REFUSED(syscall(SYS_setns, FILE_FD, 0));
	REFUSED(syscall(SYS_ptrace, PTRACE_ATTACH, getppid(), 0, 0));
	REFUSED(syscall(SYS_kill, getppid(), 0));
	REFUSED(syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0));
	REFUSED(syscall(SYS_mount, "none", "/", "tmpfs", 0, NULL));
	REFUSED(syscall(SYS_bpf, 0, NULL, 0));
	REFUSED(syscall(SYS_io_uring_setup, 1, NULL));
	REFUSED(syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0));
	REFUSED(syscall(SYS_personality, 0x0400000));
	expect(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED,
	       "mmap");
	ALLOWED(lseek(FILE_FD, 0, SEEK_END));
}

static bool enter_userns(void)
{
	struct id_map map = {.n_uid = 1, .n_gid = 1};

	map.uid[0] = (struct id_extent){.inside = 0, .outside = geteuid(), .count = 1};
	map.gid[0] = (struct id_extent){.inside = 0, .outside = getegid(), .count = 1};
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) >= 0 && userns_write_own(&map, NULL) >= 0;
}

static void server(void)
{
	struct confine_server c = {.servers_dirfd = DIR_FD, .reader_tid = getpid()};
	cpu_set_t cpus;
	bool landlocked = confine_has_landlock();
	struct err e = ERR_INIT;

	if (!enter_userns()) {
		expect(false, "user namespace");
		return;
	}
	sched_getaffinity(0, sizeof(cpus), &cpus);
	expect(confine_server(&c, &e) >= 0, "confine_server");
	ALLOWED(syscall(SYS_sched_setaffinity, c.reader_tid, sizeof(cpus), &cpus));
	REFUSED(syscall(SYS_sched_setaffinity, 1, sizeof(cpus), &cpus));
	expect(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0, "not even prctl is left");
	no_way_out();
	REFUSED(syscall(SYS_open_tree, AT_FDCWD, "/etc", OPEN_TREE_CLOEXEC));
	REFUSED(syscall(SYS_open_tree, DIR_FD, "", AT_EMPTY_PATH));
	expect(syscall(SYS_open_tree, FILE_FD, "",
		       AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC) < 0 &&
		       errno == EINVAL,
	       "clones, but of no other mount namespace");
	REFUSED(syscall(SYS_unlinkat, AT_FDCWD, "/etc/passwd", 0));
	if (!landlocked)
		return;
	expect(syscall(SYS_unlinkat, DIR_FD, "../outside", 0) < 0 && errno == EACCES,
	       "landlock: nothing above its directory");
	ALLOWED(syscall(SYS_unlinkat, DIR_FD, "socket", 0));
}

static void attendant(void)
{
	struct err e = ERR_INIT;
	long fd;

	if (!enter_userns()) {
		expect(false, "user namespace");
		return;
	}
	expect(confine_attendant(&e) >= 0, "confine_attendant");
	REFUSED(syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
	REFUSED(syscall(SYS_execve, "/bin/true", NULL, NULL));
	REFUSED(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	REFUSED(syscall(SYS_unshare, CLONE_NEWUSER));
	REFUSED(syscall(SYS_unshare, CLONE_NEWNET | CLONE_NEWNS));
	REFUSED(syscall(SYS_setns, FILE_FD, 0));
	REFUSED(syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
	REFUSED(syscall(SYS_connect, FILE_FD, NULL, 0));
	REFUSED(syscall(SYS_open_tree, FILE_FD, "", AT_EMPTY_PATH));
	REFUSED(syscall(SYS_unlinkat, DIR_FD, "file", 0));
	REFUSED(syscall(SYS_ioctl, FILE_FD, FIONREAD, &fd));
	ALLOWED(syscall(SYS_unshare, CLONE_NEWNET));
	fd = syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0);
	ALLOWED(fd);
	ALLOWED(syscall(SYS_ioctl, fd, SIOCGSKNS));
}

static void reader(void)
{
	struct err e = ERR_INIT;

	expect(confine_tool(-1, CONFINE_READ, &e) >= 0, "confine_tool");
	no_way_out();
	REFUSED(syscall(SYS_unlinkat, DIR_FD, "file", 0));
	REFUSED(syscall(SYS_open_tree, FILE_FD, "", AT_EMPTY_PATH));
}

static void decompressor(void)
{
	struct err e = ERR_INIT;

	if (!enter_userns()) {
		expect(false, "user namespace");
		return;
	}
	expect(confine_reader(&e) >= 0, "confine_reader");
	no_way_out();
	REFUSED(syscall(SYS_unlinkat, DIR_FD, "file", 0));
	REFUSED(syscall(SYS_open_tree, FILE_FD, "", AT_EMPTY_PATH));
	REFUSED(syscall(SYS_sendmsg, FILE_FD, NULL, 0));
	REFUSED(syscall(SYS_accept4, FILE_FD, NULL, NULL, 0));
}

static void unpacker(void)
{
	struct err e = ERR_INIT;
	long fd;

	expect(confine_tool(DIR_FD, CONFINE_WRITE, &e) >= 0, "confine_tool");
	fd = syscall(SYS_openat, DIR_FD, "new", O_WRONLY | O_CREAT | O_EXCL, 0600);
	ALLOWED(fd);
	expect(write((int)fd, "x", 1) == 1, "write");
	expect(syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY) < 0 && errno == EACCES,
	       "landlock: no file of the host");
	expect(syscall(SYS_openat, DIR_FD, "../outside", O_RDONLY) < 0 && errno == EACCES,
	       "landlock: none beside its directory");
	expect(syscall(SYS_symlinkat, "x", AT_FDCWD, "/tmp/csbx-confine-link") < 0 &&
		       errno == EACCES,
	       "landlock: makes nothing elsewhere");
	REFUSED(syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
	REFUSED(syscall(SYS_execve, "/bin/true", NULL, NULL));
	REFUSED(syscall(SYS_mount, "none", "/", "tmpfs", 0, NULL));
}

static void make_files(void)
{
	static const char *const names[] = {"outside", "servers/file", "servers/socket"};
	int dirfd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	mkdirat(dirfd, "servers", 0700);
	for (size_t i = 0; i < 3; i++)
		close(openat(dirfd, names[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	dup2(openat(dirfd, "servers", O_RDONLY | O_DIRECTORY | O_CLOEXEC), DIR_FD);
	dup2(openat(dirfd, "servers/file", O_RDONLY | O_CLOEXEC), FILE_FD);
	close(dirfd);
}

static void remove_files(void)
{
	static const char *const names[] = {"outside", "servers/file", "servers/socket",
					    "servers/new"};
	char path[2 * TAP_PATH_SIZE];

	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", top, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/servers", top);
	rmdir(path);
	rmdir(top);
}

int main(void)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || !tap_mkdtemp(top))
		return 1;
	make_files();
	run(server, "server");
	run(attendant, "attendant");
	run(reader, "reader");
	run(decompressor, "decompressor");
	if (confine_has_landlock())
		run(unpacker, "unpacker");
	else
		tap_skip("unpacker: no landlock here");
	remove_files();
	return done_testing();
}
