/* SPDX-License-Identifier: Apache-2.0 */
/*
 * killat: runs a program as a user, follows all its processes with ptrace(2), and kills one of
 * them at one system call.
 *
 *	killat -u USER [-p PROCESS -n CALL] -o LOG -- PROGRAM ARGUMENT...
 *
 * Processes (and threads) are numbered in the order in which they appear, calls of each from 1.
 * The victim gets SIGKILL at the entry of the call: the call does not happen. LOG gets one line
 * for each process, `PROCESS CALLS NAME`, counting calls made while it ran one of csbx's programs,
 * and `killed PROCESS CALL SYSCALL NAME` when the point was reached. Unlike strace's injection this
 * can spare the parent and kill the child at the same count. Needs root: part of what csbx runs is
 * not dumpable or lives in other user namespaces.
 *
 * The exit code is the program's (128 + n for a signal). Processes that outlive it are followed
 * for GRACE_MS more, then let go.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES_MAX 512
#define GRACE_MS 3000
#define OPTIONS                                                                                   \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
	 PTRACE_O_TRACEEXEC)

struct process {
	pid_t pid;
	bool alive, in_call, ours;
	unsigned long calls;
	char name[64];
};

struct killat {
	struct process processes[PROCESSES_MAX];
	unsigned n;
	pid_t main_pid;
	int main_status;
	bool main_ended;
	long victim, at_call; /* -1: only count */
	FILE *log;
};

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* csbx's own programs, csbx-init from its memfd among them; what runs inside is not of interest. */
static void look_at_program(struct process *p)
{
	char path[64], exe[512];
	const char *name;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", p->pid);
	n = readlink(path, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = 0;
	name = strrchr(exe, '/') ? strrchr(exe, '/') + 1 : exe;
	if (!strncmp(name, "memfd:", 6))
		name += 6;
	p->ours = !strncmp(name, "csbx", 4);
	snprintf(p->name, sizeof(p->name), "%.40s", name);
	p->name[strcspn(p->name, " ")] = 0;
}

static struct process *find(struct killat *k, pid_t pid)
{
	for (unsigned i = 0; i < k->n; i++) {
		if (k->processes[i].pid == pid && k->processes[i].alive)
			return &k->processes[i];
	}
	if (k->n == PROCESSES_MAX) {
		fprintf(stderr, "killat: more than %d processes\n", PROCESSES_MAX);
		exit(125);
	}
	k->processes[k->n] = (struct process){.pid = pid, .alive = true};
	look_at_program(&k->processes[k->n]);
	return &k->processes[k->n++];
}

static void enter_call(struct killat *k, struct process *p)
{
	struct __ptrace_syscall_info info = {0};

	if (!p->ours)
		return;
	p->calls++;
	if (p - k->processes != k->victim || (long)p->calls != k->at_call)
		return;
	ptrace(PTRACE_GET_SYSCALL_INFO, p->pid, sizeof(info), &info);
	fprintf(k->log, "killed %ld %ld %llu %s\n", k->victim, k->at_call,
		(unsigned long long)info.entry.nr, p->name);
	kill(p->pid, SIGKILL);
}

/* Decides how a stopped process goes on. */
static void go_on(struct killat *k, struct process *p, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16, deliver = 0;

	if (sig == (SIGTRAP | 0x80)) {
		p->in_call = !p->in_call;
		if (p->in_call)
			enter_call(k, p);
	} else if (event == PTRACE_EVENT_EXEC) {
		look_at_program(p);
	} else if (event == PTRACE_EVENT_STOP) {
		/* Either a new child's first stop or a group-stop, which has to last. */
		if (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU) {
			ptrace(PTRACE_LISTEN, p->pid, NULL, NULL);
			return;
		}
	} else if (!event) {
		deliver = sig;
	}
	ptrace(PTRACE_SYSCALL, p->pid, NULL, (void *)(intptr_t)deliver);
}

static void ended(struct killat *k, struct process *p, int status)
{
	p->alive = false;
	if (p->pid == k->main_pid) {
		k->main_ended = true;
		k->main_status = status;
	}
}

static void follow(struct killat *k)
{
	uint64_t give_up = 0;

	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, __WALL | (k->main_ended ? WNOHANG : 0));

		if (pid < 0 && errno == ECHILD)
			return;
		if (k->main_ended && !give_up)
			give_up = now_ms() + GRACE_MS;
		if (pid <= 0) {
			if (give_up && now_ms() > give_up)
				return;
			usleep(500);
			continue;
		}
		if (WIFSTOPPED(status))
			go_on(k, find(k, pid), status);
		else
			ended(k, find(k, pid), status);
	}
}

static void run_program(const char *user, int go_fd, char **argv)
{
	const struct passwd *pw = getpwnam(user);
	char c;

	if (!pw || initgroups(pw->pw_name, pw->pw_gid) || setgid(pw->pw_gid) || setuid(pw->pw_uid))
		die(user);
	if (read(go_fd, &c, 1) != 1)
		die("wait for the tracer");
	close(go_fd);
	execv(argv[0], argv);
	die(argv[0]);
}

static void start(struct killat *k, const char *user, char **argv)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		die("pipe");
	k->main_pid = fork();
	if (k->main_pid < 0)
		die("fork");
	if (!k->main_pid) {
		close(fds[1]);
		run_program(user, fds[0], argv);
	}
	close(fds[0]);
	if (ptrace(PTRACE_SEIZE, k->main_pid, NULL, (void *)(intptr_t)OPTIONS) ||
	    ptrace(PTRACE_INTERRUPT, k->main_pid, NULL, NULL))
		die("ptrace");
	if (write(fds[1], "g", 1) != 1)
		die("pipe");
	close(fds[1]);
}

int main(int argc, char **argv)
{
	static struct killat k = {.victim = -1, .at_call = -1};
	const char *user = NULL, *log = NULL;
	int c;

	while ((c = getopt(argc, argv, "+u:p:n:o:")) != -1) {
		switch (c) {
		case 'u':
			user = optarg;
			break;
		case 'p':
			k.victim = atol(optarg);
			break;
		case 'n':
			k.at_call = atol(optarg);
			break;
		case 'o':
			log = optarg;
			break;
		default:
			return 125;
		}
	}
	k.log = log ? fopen(log, "we") : NULL;
	if (!user || !k.log || optind == argc) {
		fprintf(stderr,
			"usage: killat -u USER [-p PROCESS -n CALL] -o LOG -- PROGRAM...\n");
		return 125;
	}
	start(&k, user, argv + optind);
	follow(&k);
	for (unsigned i = 0; i < k.n; i++)
		fprintf(k.log, "%u %lu %s\n", i, k.processes[i].calls, k.processes[i].name);
	fclose(k.log);
	return WIFEXITED(k.main_status) ? WEXITSTATUS(k.main_status)
					: 128 + WTERMSIG(k.main_status);
}
