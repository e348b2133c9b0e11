/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that the kernel asks for, with nothing a launcher adds: no image server, no supervisor,
 * no masks, no capabilities dropped, no filter.
 *
 *	floor exit			a static program that ends
 *	floor spawn PROGRAM [ARG...]	vfork, exec, wait
 *	floor namespaces PROGRAM...	the same in new namespaces: user mount pid ipc uts
 *					cgroup net
 *	floor mounts ROOT PROGRAM...	and on an overlay of ROOT with a tmpfs as upper layer,
 *					with a fresh /proc
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES 65536
#define NAMESPACES                                                                  \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | \
	 CLONE_NEWCGROUP | CLONE_NEWNET)

struct job {
	char **argv;
	const char *root; /* NULL = stay in the caller's */
	unsigned ids[2];  /* the caller's uid and gid */
	int is_contained;
};

__attribute__((noreturn)) static void stop(const char *what)
{
	fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
	_exit(125);
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		stop(path);
	close(fd);
}

static void write_maps(const struct job *j)
{
	static const char *const paths[] = {"/proc/self/uid_map", "/proc/self/gid_map"};
	char line[64];

	write_text("/proc/self/setgroups", "deny");
	for (int i = 0; i < 2; i++) {
		snprintf(line, sizeof(line), "0 %u 1", j->ids[i]);
		write_text(paths[i], line);
	}
}

static void mount_or_stop(const char *type, const char *where, unsigned long flags,
			  const char *options)
{
	if (mount(type, where, type, flags, options) < 0)
		stop(type);
}

static void enter_root(const char *root)
{
	char options[128];
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		stop(root);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		stop("private mounts");
	mount_or_stop("tmpfs", "/tmp", MS_NOSUID | MS_NODEV, NULL);
	if (mkdir("/tmp/upper", 0755) < 0 || mkdir("/tmp/work", 0755) < 0 ||
	    mkdir("/tmp/root", 0755) < 0)
		stop("mkdir");
	snprintf(options, sizeof(options),
		 "lowerdir=/proc/self/fd/%d,upperdir=/tmp/upper,workdir=/tmp/"
		 "work,userxattr,volatile",
		 fd);
	mount_or_stop("overlay", "/tmp/root", 0, options);
	mount_or_stop("proc", "/tmp/root/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	if (chdir("/tmp/root") < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
	    umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		stop("pivot_root");
}

static int child(void *arg)
{
	struct job *j = arg;

	if (j->is_contained)
		write_maps(j);
	if (j->root)
		enter_root(j->root);
	execv(j->argv[0], j->argv);
	stop(j->argv[0]);
}

/* CLONE_VM and CLONE_VFORK throughout: the parent's page tables are not copied. */
static int run(struct job *j)
{
	_Alignas(16) static char stack[STACK_BYTES];
	int status;
	pid_t pid = clone(child, stack + sizeof(stack),
			  CLONE_VM | CLONE_VFORK | SIGCHLD | (j->is_contained ? NAMESPACES : 0), j);

	if (pid < 0)
		stop("clone");
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			stop("wait");
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	struct job j = {.argv = argv + 2, .ids = {getuid(), getgid()}};

	if (!strcmp(mode, "exit"))
		return 0;
	j.is_contained = !strcmp(mode, "namespaces") || !strcmp(mode, "mounts");
	if (!strcmp(mode, "mounts") && argc > 2) {
		j.root = argv[2];
		j.argv++;
	}
	if ((!j.is_contained && strcmp(mode, "spawn")) || !*j.argv) {
		fputs("usage: floor exit | spawn PROGRAM.. | namespaces PROGRAM.. | mounts ROOT "
		      "PROGRAM..\n",
		      stderr);
		return 125;
	}
	return run(&j);
}
