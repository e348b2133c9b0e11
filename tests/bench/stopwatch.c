/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times commands against each other. In every round each case runs once, in an order that is
 * drawn anew: what the machine does meanwhile hits all of them alike, and neither is always the
 * one after the other. Exit code and output of every run are checked; a run that fails ends the
 * measurement, because a failing program looks fast.
 *
 * The clock runs from before posix_spawn(3) until wait4(2) has returned. Output goes to a
 * file in memory, which is read when the clock has stopped. One line a run:
 *
 *	CASE WALL_NS USER_US SYS_US FAULTS MAXRSS_KB
 *
 * where the last four are of the process and what it waited for; in batches WALL_NS is of the
 * batch and the others are 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/script.h"

#define OUTPUT_SHOWN 400

extern char **environ;

struct sample {
	uint64_t wall_ns, user_us, sys_us, faults, maxrss_kb;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t micros(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000u + (uint64_t)t->tv_usec;
}

/* In memory, and appended to: parallel runs must not write over each other. */
static int output_file(void)
{
	int fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0)
		stop("/dev/shm: %s", strerror(errno));
	return fd;
}

static char *read_output(int fd)
{
	off_t len = lseek(fd, 0, SEEK_END);
	char *text = calloc(1, (size_t)len + 1);

	if (!text || pread(fd, text, (size_t)len, 0) != len || ftruncate(fd, 0) < 0)
		stop("cannot read the output");
	return text;
}

static void check_output(const struct bench_case *c, int fd, unsigned runs)
{
	char *text = read_output(fd), *at = text;
	size_t len = c->expect ? strlen(c->expect) : 0;
	unsigned matched = 0;

	if (c->expect) {
		for (; matched < runs && !strncmp(at, c->expect, len); matched++)
			at += len;
		if (matched < runs || *at)
			stop("case %s: unexpected output: %.*s", c->name, OUTPUT_SHOWN, at);
	}
	free(text);
}

/* stdin from in_fd, the other two to out_fd. */
static pid_t spawn(const struct bench_case *c, const struct command *cmd, int in_fd, int out_fd)
{
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int r;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in_fd, 0);
	posix_spawn_file_actions_adddup2(&fa, out_fd, 1);
	posix_spawn_file_actions_adddup2(&fa, out_fd, 2);
	r = posix_spawnp(&pid, cmd->argv[0], &fa, NULL, cmd->argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	if (r)
		stop("case %s: %s: %s", c->name, cmd->argv[0], strerror(r));
	return pid;
}

static void check_status(const struct bench_case *c, const struct command *cmd, int status,
			 int out_fd)
{
	char *text;

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	text = read_output(out_fd);
	stop("case %s: %s %s %d: %.*s", c->name, cmd->argv[0],
	     WIFEXITED(status) ? "exited with" : "was ended by signal",
	     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), OUTPUT_SHOWN, text);
}

static void run_aside(const struct bench_case *c, const struct command *cmd, int in_fd, int out_fd)
{
	int status;
	pid_t pid;

	if (!cmd->argv)
		return;
	pid = spawn(c, cmd, in_fd, out_fd);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	check_status(c, cmd, status, out_fd);
	free(read_output(out_fd));
}

static struct sample run_here(const struct bench_case *c, int in_fd, int out_fd)
{
	struct sample s;
	struct rusage u;
	uint64_t begin;
	int status;
	pid_t pid;

	run_aside(c, &c->before, in_fd, out_fd);
	begin = now_ns();
	pid = spawn(c, &c->run, in_fd, out_fd);
	while (wait4(pid, &status, 0, &u) < 0 && errno == EINTR)
		;
	s = (struct sample){now_ns() - begin, micros(&u.ru_utime), micros(&u.ru_stime),
			    (uint64_t)u.ru_minflt, (uint64_t)u.ru_maxrss};
	check_status(c, &c->run, status, out_fd);
	check_output(c, out_fd, 1);
	run_aside(c, &c->after, in_fd, out_fd);
	return s;
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		stop("%s: %s", path, strerror(errno));
	close(fd);
}

/* A root directory of one's own needs a user namespace; one's id stays what it is. */
static void enter_root(const struct bench_case *c)
{
	uid_t uid = getuid();
	gid_t gid = getgid();
	char map[64];

	if (unshare(CLONE_NEWUSER) < 0)
		stop("case %s: user namespace: %s", c->name, strerror(errno));
	write_text("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	write_text("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	write_text("/proc/self/gid_map", map);
	if (chroot(c->root) < 0 || chdir("/") < 0)
		stop("case %s: %s: %s", c->name, c->root, strerror(errno));
}

static void runner_loop(const struct bench_case *c, int in_fd, int request_fd, int reply_fd)
{
	int out_fd = output_file();
	char go;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	enter_root(c);
	while (read(request_fd, &go, 1) == 1) {
		struct sample s = run_here(c, in_fd, out_fd);

		if (write(reply_fd, &s, sizeof(s)) != sizeof(s))
			exit(1);
	}
	exit(0);
}

/* A case with a root directory has a process that sits there already when the clock starts. */
static void start_runner(struct bench_case *c, int in_fd)
{
	int request[2], reply[2];

	if (pipe2(request, O_CLOEXEC) < 0 || pipe2(reply, O_CLOEXEC) < 0)
		stop("pipe: %s", strerror(errno));
	c->runner = fork();
	if (c->runner < 0)
		stop("fork: %s", strerror(errno));
	if (!c->runner) {
		close(request[1]);
		close(reply[0]);
		runner_loop(c, in_fd, request[0], reply[1]);
	}
	close(request[0]);
	close(reply[1]);
	c->request_fd = request[1];
	c->reply_fd = reply[0];
}

static struct sample run_case(const struct bench_case *c, int in_fd, int out_fd)
{
	struct sample s;

	if (!c->root)
		return run_here(c, in_fd, out_fd);
	if (write(c->request_fd, "", 1) != 1 || read(c->reply_fd, &s, sizeof(s)) != sizeof(s))
		exit(1); /* the runner has said why */
	return s;
}

/* Keeps `width` runs going until `total` have been made. */
static struct sample run_batch(const struct script *sc, const struct bench_case *c, int in_fd,
			       int out_fd)
{
	unsigned started = 0, ended = 0;
	struct sample s = {0};
	uint64_t begin = now_ns();
	int status;

	while (ended < sc->total) {
		if (started < sc->total && started - ended < sc->width) {
			spawn(c, &c->run, in_fd, out_fd);
			started++;
		} else if (wait(&status) > 0) {
			ended++;
			check_status(c, &c->run, status, out_fd);
		}
	}
	s.wall_ns = now_ns() - begin;
	check_output(c, out_fd, sc->total);
	return s;
}

static void shuffle(size_t *order, size_t n, uint32_t *seed)
{
	for (size_t i = n; i > 1; i--) {
		size_t k, swap = order[i - 1];

		*seed = *seed * 1664525u + 1013904223u;
		k = (*seed >> 8) % i;
		order[i - 1] = order[k];
		order[k] = swap;
	}
}

static void measure(const struct script *sc, int in_fd, int out_fd)
{
	size_t *order = calloc(sc->n, sizeof(*order));
	uint32_t seed = 1;

	if (!order)
		stop("out of memory");
	for (size_t i = 0; i < sc->n; i++)
		order[i] = i;
	for (unsigned round = 0; round < sc->warmup + sc->rounds; round++) {
		shuffle(order, sc->n, &seed);
		for (size_t i = 0; i < sc->n; i++) {
			const struct bench_case *c = &sc->cases[order[i]];
			struct sample s = sc->total ? run_batch(sc, c, in_fd, out_fd)
						    : run_case(c, in_fd, out_fd);

			if (round >= sc->warmup)
				printf("%zu %llu %llu %llu %llu %llu\n", order[i],
				       (unsigned long long)s.wall_ns, (unsigned long long)s.user_us,
				       (unsigned long long)s.sys_us, (unsigned long long)s.faults,
				       (unsigned long long)s.maxrss_kb);
		}
	}
	free(order);
}

int main(void)
{
	int in_fd = open("/dev/null", O_RDONLY | O_CLOEXEC), out_fd = output_file();
	struct script sc = {0};

	script_read(&sc);
	for (size_t i = 0; i < sc.n; i++) {
		if (sc.cases[i].root && sc.total)
			stop("case %s: no batches in a root directory", sc.cases[i].name);
		if (sc.cases[i].root)
			start_runner(&sc.cases[i], in_fd);
	}
	measure(&sc, in_fd, out_fd);
	return 0;
}
