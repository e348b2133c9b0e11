/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that csbx-init puts into the running container on request. */
#include <dirent.h>
#include <linux/capability.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <termios.h>

#include "tests/unit/init_box.h"

#define SH(script) ((const char *const[]){"sh", "-c", script, NULL})
#define PARALLEL 200

struct spawn {
	int status, out; /* our ends */
	int tty;         /* passed as all three streams instead of a pipe; 0 = none */
	int keep;        /* passed as 3; 0 = none */
};

/* Sends an exec of the container's spec with another command. */
static void spawn(struct box *b, uint32_t id, const struct box_want *w, struct spawn *s)
{
	const struct init_request rq = {INIT_MAGIC, INIT_REQ_SPAWN, 0, id};
	_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC), msg = -1;
	int status[2], out[2], fds[INIT_SPAWN_FDS + 1];
	struct box other = {.map = b->map};
	struct err e = ERR_INIT;

	box_spec(&other, w);
	other.map = b->map;
	msg = box_message(&other, w, true);
	spec_free(&other.spec);
	if (pipe2(status, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		abort();
	fds[0] = msg;
	fds[1] = s->tty ? s->tty : null;
	fds[2] = fds[3] = s->tty ? s->tty : out[1];
	fds[4] = status[1];
	fds[5] = s->keep;
	if (fd_send(b->control, &rq, sizeof(rq), fds, INIT_SPAWN_FDS + !!s->keep, &e) < 0)
		printf("# %s\n", e.msg);
	close(status[1]);
	close(out[1]);
	s->status = status[0];
	s->out = out[0];
}

static void spawn_close(struct spawn *s)
{
	close(s->status);
	close(s->out);
}

static void start_idle(struct box *b, struct box_want w)
{
	const char *const argv[] = {"sh", "-c", "while :; do sleep 1000; done", NULL};

	w.argv = argv;
	box_start(b, &w);
	is_int(box_status(b).stage, 0, "a container runs");
}

/* Output of a script that is exec'd. */
static char *output(struct box *b, uint32_t id, const char *script)
{
	struct spawn s = {0};
	char *text;

	spawn(b, id, &(struct box_want){.argv = SH(script)}, &s);
	text = box_read_text(s.out);
	is_int(box_read_status(s.status).stage, 0, "exec %u: started", id);
	is_int(box_event(b, INIT_EV_SPAWN_EXITED, id).status, 0, "exec %u: exit code", id);
	spawn_close(&s);
	return text;
}

static void test_state(struct box *b)
{
	static const char facts[] = "for n in user mnt pid net ipc uts cgroup; do test "
				    "/proc/self/ns/$n -ef /proc/%d/ns/$n || echo $n; done;"
				    "sed -n 's/^Cap\\(...\\):\\s*/\\1 /p;s/^NoNewPrivs:\\s*/nnp "
				    "/p;s/^Seccomp:\\s*/seccomp /p'"
				    " /proc/self/status; ls /proc/self/fd | wc -l; cat "
				    "/proc/self/oom_score_adj; pwd; echo $BOX";
	struct init_event ev = box_event(b, INIT_EV_STARTED, 0);
	_free_ char *script = str_printf(facts, ev.pid);
	_free_ char *text = NULL;

	ok(ev.pid > 1, "the main process's pid is told");
	text = output(b, 1, script);
	is_str(text,
	       "Inh 0000000000000000\nPrm 00000000800405fb\nEff 00000000800405fb\n"
	       "Bnd 00000000800405fb\nAmb 0000000000000000\nnnp 1\nseccomp 2\n4\n321\n/\n1\n",
	       "exec: the same namespaces and protections as the main process");
}

static void is_refused(struct box *b, uint32_t id, const struct box_want *w, unsigned stage,
		       int code, const char *what)
{
	struct init_status st;
	struct spawn s = {0};

	spawn(b, id, w, &s);
	st = box_read_status(s.status);
	is_int(st.stage, stage, "%s: stage", what);
	is_int(st.code, code, "%s: errno", what);
	if (stage == INIT_STAGE_MESSAGE)
		is_int(box_event(b, INIT_EV_SPAWN_EXITED, id).pid, 0, "%s: no process", what);
	else
		is_int(box_event(b, INIT_EV_SPAWN_EXITED, id).status, INIT_EXIT_FAILED << 8,
		       "%s: exit code", what);
	spawn_close(&s);
}

/* A process would be told, with its id, before that of the next request. */
static void is_dropped(struct box *b, uint32_t id, const char *what)
{
	struct {
		struct init_request rq;
		char message[INIT_SENT_MAX];
	} sent = {.rq = {INIT_MAGIC, INIT_REQ_SPAWN, 0, id}};
	const struct box_want want = {.argv = SH("exit 3")};
	struct box other = {.map = b->map};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), msg;
	struct spawn next = {0};
	ssize_t n;

	box_spec(&other, &want);
	other.map = b->map;
	msg = box_message(&other, &want, true);
	spec_free(&other.spec);
	n = pread(msg, sent.message, sizeof(sent.message), 0);
	fd_send(b->control, &sent, sizeof(sent.rq) + (size_t)n, (int[]){null, null, null, null}, 4,
		NULL);
	spawn(b, id, &want, &next);
	is_int(box_event(b, INIT_EV_SPAWN_EXITED, id).status, 3 << 8, "%s: dropped", what);
	is_int(box_read_status(next.status).stage, 0, "%s: the id is free", what);
	spawn_close(&next);
	close(null);
	close(msg);
}

static void test_refusals(struct box *b)
{
	static const struct init_msg zero;
	const struct init_request rq = {INIT_MAGIC, INIT_REQ_SPAWN, 0, 77};
	struct spawn first = {0}, second = {0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	_free_ char *text = NULL;

	is_refused(b, 10, &(struct box_want){.argv = (const char *const[]){"no-such", NULL}},
		   INIT_STAGE_EXEC, ENOENT, "a missing command");
	is_refused(b, 11, &(struct box_want){.raw = &zero, .raw_len = sizeof(zero)},
		   INIT_STAGE_MESSAGE, EBADMSG, "a malformed message");
	is_refused(b, 12, &(struct box_want){.drop_flags = INIT_EXEC}, INIT_STAGE_MESSAGE, EBADMSG,
		   "a start's message without maps");
	is_refused(b, 13, &(struct box_want){.unsealed = true}, INIT_STAGE_MESSAGE, EPERM,
		   "an unsealed message");
	is_refused(b, 14, &(struct box_want){.extra_flags = INIT_TTY}, INIT_STAGE_TTY, ENOTTY,
		   "a terminal that is none");
	is_refused(b, 16, &(struct box_want){.extra_flags = INIT_OWN_CGROUP}, INIT_STAGE_MESSAGE,
		   EBADMSG, "a control group of its own outside of a lane");
	fd_send(b->control, &rq, sizeof(rq), (int[]){null, null}, 2, NULL);
	fd_send(b->control, &rq, sizeof(rq), NULL, 0, NULL);
	fd_send(b->control, &rq, 7, (int[]){null}, 1, NULL);
	is_dropped(b, 78, "a message behind the request outside of a lane");
	fd_send(b->control, &rq, sizeof(rq),
		(int[]){null, null, null, null, null, null, null, null, null, null, null, null,
			null, null, null},
		15, NULL);
	spawn(b, 15, &(struct box_want){.argv = SH("exec sleep 1000")}, &first);
	spawn(b, 15, &(struct box_want){.argv = SH("exec sleep 1000")}, &second);
	is_int(box_read_status(second.status).code, EBADMSG, "an id in use is refused");
	box_request(b, INIT_REQ_SIGNAL_PID, SIGKILL, 4711);
	box_request(b, INIT_REQ_SIGNAL_PID, SIGKILL, 15);
	(void)box_event(b, INIT_EV_SPAWN_EXITED, 15);
	spawn_close(&first);
	spawn_close(&second);
	close(null);
	text = output(b, 16, "echo well");
	is_str(text, "well\n", "init is well after all that");
}

static void test_signals(struct box *b)
{
	struct spawn s = {0};
	struct init_event ev;

	spawn(b, 20, &(struct box_want){.argv = SH("sleep 1000 & sleep 1000")}, &s);
	ev = box_event(b, INIT_EV_SPAWNED, 20);
	ok(ev.pid > 1, "its pid is told");
	is_int(box_read_status(s.status).stage, 0, "started");
	box_request(b, INIT_REQ_SIGNAL_PID, SIGSTOP, 20);
	is_int(box_event(b, INIT_EV_SPAWN_STOPPED, 20).arg, SIGSTOP, "a stop is told");
	box_request(b, INIT_REQ_SIGNAL_PID, SIGKILL | INIT_SIGNAL_GROUP, 20);
	is_int(box_event(b, INIT_EV_SPAWN_EXITED, 20).status, SIGKILL, "killed");
	free(box_read_text(s.out));
	ok(true, "its whole group, else the pipe would not end");
	spawn_close(&s);
}

static void test_pty(struct box *b)
{
	struct spawn s = {.tty = 0};
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), zero = 0;
	_free_ char *text = NULL;

	ioctl(master, TIOCSPTLCK, &zero);
	s.tty = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	ok(s.tty >= 0, "a terminal");
	spawn(b, 30,
	      &(struct box_want){.argv = SH("test -t 0 && echo terminal; echo own >/dev/tty"),
				 .extra_flags = INIT_TTY},
	      &s);
	close(s.tty);
	text = box_read_text(master);
	is_str(text, "terminal\r\nown\r\n", "exec on a terminal: it is the controlling one");
	is_int(box_event(b, INIT_EV_SPAWN_EXITED, 30).status, 0, "exec on a terminal: exit code");
	close(master);
	spawn_close(&s);
}

static void test_keep_fd(struct box *b)
{
	struct spawn s = {0};
	_free_ char *text = NULL;
	char buf[8] = "";
	int p[2];

	ok(!pipe2(p, O_CLOEXEC), "a descriptor to keep");
	s.keep = p[1];
	spawn(b, 40,
	      &(struct box_want){.argv = SH("echo kept >&3; ls /proc/self/fd | wc -l"),
				 .keep_fd = 1},
	      &s);
	close(p[1]);
	text = box_read_text(s.out);
	is_str(text, "5\n", "one descriptor more");
	ok(read(p[0], buf, sizeof(buf)) == 5 && !memcmp(buf, "kept\n", 5), "and it works");
	(void)box_event(b, INIT_EV_SPAWN_EXITED, 40);
	close(p[0]);
	spawn_close(&s);
}

static void test_parallel(struct box *b)
{
	static struct spawn s[PARALLEL];
	int codes = 0, texts = 0;

	for (uint32_t i = 0; i < PARALLEL; i++) {
		char script[64];

		snprintf(script, sizeof(script), "echo %u; exit %u", i, i);
		s[i] = (struct spawn){0};
		spawn(b, 1000 + i, &(struct box_want){.argv = SH(script)}, &s[i]);
	}
	for (uint32_t n = 0; n < PARALLEL; n++) {
		const struct init_event ev = box_event(b, INIT_EV_SPAWN_EXITED, 0);

		codes += ev.status == (int)(ev.id - 1000) << 8;
		if (ev.status != (int)(ev.id - 1000) << 8)
			printf("# exec %u ended with status %x\n", ev.id - 1000,
			       (unsigned)ev.status);
	}
	is_int(codes, PARALLEL, "%d execs at once: every exit code", PARALLEL);
	for (uint32_t i = 0; i < PARALLEL; i++) {
		_free_ char *text = box_read_text(s[i].out);

		texts += text && strtoul(text, NULL, 10) == i;
		spawn_close(&s[i]);
	}
	is_int(texts, PARALLEL, "%d execs at once: every output", PARALLEL);
}

static void test_end(struct box *b)
{
	struct spawn s = {0};
	char *text;

	spawn(b, 50,
	      &(struct box_want){
		      .argv = SH("trap '' TERM HUP; echo up; while :; do sleep 1000; done")},
	      &s);
	is_int(box_read_status(s.status).stage, 0, "started");
	box_request(b, INIT_REQ_SIGNAL, SIGKILL, 0);
	is_int(box_event(b, INIT_EV_EXITED, 0).status, SIGKILL, "the main process ends");
	text = box_read_text(s.out);
	ok(text != NULL, "and with it what was exec'd");
	free(text);
	spawn_close(&s);
	is_int(box_end(b), 128 + SIGKILL, "init's exit code");
}

static void new_privs(struct container_spec *s)
{
	s->sec.new_privs = true;
}

static void test_new_privs(void)
{
	_free_ char *text = NULL;
	struct spawn s = {0};
	struct box b;

	start_idle(&b, (struct box_want){.edit = new_privs});
	spawn(&b, 1,
	      &(struct box_want){.argv = SH("sed -n 's/NoNewPrivs:.//p;s/Seccomp:.//p;"
					    "s/CapEff:.//p' /proc/self/status"),
				 .edit = new_privs},
	      &s);
	text = box_read_text(s.out);
	is_str(text, "00000000800405fb\n0\n2\n", "with new privileges the filter holds in an exec");
	spawn_close(&s);
	box_end(&b);
}

static void test_other_user(void)
{
	_free_ char *text = NULL;
	struct spawn s = {0};
	struct box b;

	if (geteuid()) {
		tap_skip("other users: root has to arrange ranges here");
		return;
	}
	start_idle(&b, (struct box_want){.uid = 5, .ranges = true});
	spawn(&b, 1,
	      &(struct box_want){.argv = SH("id -u; grep CapEff /proc/self/status"), .uid = 33},
	      &s);
	text = box_read_text(s.out);
	is_str(text, "33\nCapEff:\t0000000000000000\n", "exec as another user");
	spawn_close(&s);
	s = (struct spawn){0};
	spawn(&b, 2, &(struct box_want){.argv = SH("exit 9"), .uid = 40000}, &s);
	is_int(box_read_status(s.status).stage, INIT_STAGE_GROUPS + 1,
	       "an id that does not exist: refused");
	spawn_close(&s);
	box_end(&b);
}

/* A supervisor that does not read: events wait, requests too, and nothing is lost. */
static void test_full_socket(void)
{
	const struct init_request rq = {INIT_MAGIC, INIT_REQ_SPAWN, 0, 1};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), sent = 0, told = 0;
	struct init_request next = rq;
	struct box b;

	start_idle(&b, (struct box_want){0});
	fcntl(b.control, F_SETFL, O_NONBLOCK);
	while (sent < 100000 && fd_send(b.control, &next, sizeof(next),
					(int[]){null, null, null, null, null}, 5, NULL) >= 0) {
		next.id++;
		sent++;
	}
	ok(sent > 100 && sent < 100000, "%d requests until the socket was full", sent);
	while (told < sent && box_event(&b, INIT_EV_SPAWN_EXITED, 0).id == (uint32_t)told + 1)
		told++;
	is_int(told, sent, "every one of them is answered, in order");
	close(null);
	box_end(&b);
}

/* Makes a directory of the user's in the cgroup v2 tree; only root may. */
static int cgroup_make(const char *path)
{
	_free_ char *procs = str_printf("%s/cgroup.procs", path);

	if ((mkdir(path, 0755) < 0 && errno != EEXIST) || chown(path, box_uid, box_gid) < 0 ||
	    chown(procs, box_uid, box_gid) < 0)
		return -1;
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void test_cgroup(void)
{
	const char *tree = access("/sys/fs/cgroup/unified/cgroup.procs", F_OK)
				   ? "/sys/fs/cgroup"
				   : "/sys/fs/cgroup/unified";
	_free_ char *top = str_printf("%s/csbx-init-test", tree), *text = NULL;
	_free_ char *helper = str_printf("%s/helper", top), *leaf = str_printf("%s/payload", top);
	_free_ char *procs = str_printf("%s/cgroup.procs", helper), *script = NULL;
	_close_ int top_fd = geteuid() ? -1 : cgroup_make(top);
	_close_ int helper_fd = top_fd < 0 ? -1 : cgroup_make(helper);
	_close_ int leaf_fd = helper_fd < 0 ? -1 : cgroup_make(leaf);
	struct box b;

	if (leaf_fd < 0) {
		tap_skip("cgroup: needs root and a cgroup v2 tree to arrange");
		return;
	}
	start_idle(&b, (struct box_want){.cgroup_fd = leaf_fd, .cgroup_procs = procs});
	script = str_printf("grep -h ^0:: /proc/self/cgroup /proc/%d/cgroup /proc/1/cgroup",
			    box_event(&b, INIT_EV_STARTED, 0).pid);
	text = output(&b, 1, script);
	is_str(text, "0::/\n0::/\n0::/../helper\n",
	       "main and exec'd process are in the root they see, init is beside it");
	box_end(&b);
	unlinkat(top_fd, "payload", AT_REMOVEDIR);
	unlinkat(top_fd, "helper", AT_REMOVEDIR);
	ok(!rmdir(top), "nothing stays in the cgroup");
}

/*
 * --- the hunter: all capabilities inside, tries to catch an exec'd process before its execve ---
 */

static void all_caps(struct container_spec *s)
{
	s->sec.seccomp_off = true;
	s->sec.caps_add = (UINT64_C(1) << 41) - 1;
}

/* True when pid let us look into it while it was still csbx-init. */
static bool caught(int pid)
{
	char path[64], exe[256] = "";
	bool seized;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	seized = !ptrace(PTRACE_SEIZE, pid, NULL, NULL);
	n = readlink(path, exe, sizeof(exe) - 1);
	if (seized) { /* only a stopped one can be let go */
		ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
		waitpid(pid, NULL, __WALL);
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
	}
	return n > 0 && strstr(exe, "csbx-init");
}

static int probe_hunt(void)
{
	int n = 0;

	printf("hunting\n");
	fflush(stdout);
	for (;;) {
		DIR *d = opendir("/proc");
		struct dirent *de;

		while (d && (de = readdir(d))) {
			int pid = atoi(de->d_name);

			if (pid > 1 && pid != getpid() && caught(pid))
				printf("caught %d\n", pid);
			n += pid > 1;
		}
		if (d)
			closedir(d);
		fflush(stdout);
		if (access("/tmp/csbx-init-hunt-ends", F_OK) == 0)
			return n > 1 ? 0 : 1;
	}
}

static void test_hunter(void)
{
	_free_ char *text = NULL;
	struct box b;

	unlink("/tmp/csbx-init-hunt-ends");
	box_start(&b, &(struct box_want){.argv = (const char *const[]){box_self, "hunt", NULL},
					 .edit = all_caps});
	is_int(box_status(&b).stage, 0, "a hunter runs");
	for (uint32_t i = 1; i <= 100; i++) {
		struct spawn s = {0};

		spawn(&b, i, &(struct box_want){.argv = SH(":"), .edit = all_caps}, &s);
		(void)box_event(&b, INIT_EV_SPAWN_EXITED, i);
		spawn_close(&s);
	}
	close(open("/tmp/csbx-init-hunt-ends", O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
	text = box_read_text(b.out);
	is_str(text, "hunting\n", "no exec'd process is caught before it is the program");
	is_int(box_event(&b, INIT_EV_EXITED, 0).status, 0, "the hunter saw others");
	unlink("/tmp/csbx-init-hunt-ends");
	box_end(&b);
}

int main(int argc, char **argv)
{
	struct box b;

	if (argc > 1)
		return str_eq(argv[1], "hunt") ? probe_hunt() : 98;
	box_setup();
	start_idle(&b, (struct box_want){0});
	test_state(&b);
	test_refusals(&b);
	test_signals(&b);
	test_pty(&b);
	test_keep_fd(&b);
	test_parallel(&b);
	test_end(&b);
	test_new_privs();
	test_other_user();
	test_full_socket();
	test_cgroup();
	test_hunter();
	return done_testing();
}
