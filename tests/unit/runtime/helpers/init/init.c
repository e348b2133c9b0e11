/* SPDX-License-Identifier: Apache-2.0 */
/* csbx-init from its message to the end of the main process. */
#include <arpa/inet.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "tests/unit/init_box.h"

#define SH(script) ((const char *const[]){"sh", "-c", script, NULL})
#define PROBE(name) ((const char *const[]){box_self, name, NULL})
#define CAP_BIT(cap) (UINT64_C(1) << (cap))

/* --- probes: what this program does inside ------------------------------------------------- */

static int probe_try(const char *what, bool done)
{
	if (done)
		printf("%s succeeded\n", what);
	return done;
}

/* Everything the payload can do to pid 1 without a filter in the way. */
static int probe_attack_init(void)
{
	struct rlimit64 {
		uint64_t cur, max;
	} one = {1, 1};
	char buf[64], text[] = "x";
	struct iovec local = {text, 1}, remote = {(void *)0x400000, 1};
	int done = 0, pidfd = (int)syscall(SYS_pidfd_open, 1, 0);

	done += probe_try("ptrace", !ptrace(PTRACE_ATTACH, 1, NULL, NULL));
	done += probe_try("seize", !ptrace(PTRACE_SEIZE, 1, NULL, NULL));
	done += probe_try("exe", readlink("/proc/1/exe", buf, sizeof(buf)) > 0);
	done += probe_try("root", open("/proc/1/root", O_PATH | O_NOFOLLOW) >= 0 &&
					  readlink("/proc/1/root", buf, sizeof(buf)) > 0);
	done += probe_try("fd", readlink("/proc/1/fd/3", buf, sizeof(buf)) > 0 ||
					open("/proc/1/fd/3", O_RDWR) >= 0 ||
					open("/proc/1/fd/6", O_PATH) >= 0);
	done += probe_try("mem", open("/proc/1/mem", O_RDWR) >= 0);
	done += probe_try("environ", open("/proc/1/environ", O_RDONLY) >= 0);
	done += probe_try("maps", open("/proc/1/maps", O_RDONLY) >= 0 &&
					  read(open("/proc/1/maps", O_RDONLY), buf, 1) > 0);
	done += probe_try("vm_write", process_vm_writev(1, &local, 1, &remote, 1, 0) > 0);
	for (int fd = 0; fd < 16; fd++)
		done += probe_try("getfd", syscall(SYS_pidfd_getfd, pidfd, fd, 0) >= 0);
	done += probe_try("setns", !setns(pidfd, CLONE_NEWNS) || !setns(pidfd, CLONE_NEWUSER));
	/* The kernel lets equal ids do this; only the filter stops it, so here it is no failure. */
	syscall(SYS_prlimit64, 1, RLIMIT_CORE, &one, NULL);
	for (int sig = 1; sig < 65; sig++)
		kill(1, sig);
	return done;
}

static int probe_nested(void)
{
	pid_t pid;

	if (!unshare(CLONE_NEWUSER) || errno != ENOSPC)
		return 1;
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	return pid >= 0 ? 2 : errno == ENOSPC ? 0 : 3;
}

static int probe_loopback(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq ifr = {.ifr_name = "lo", .ifr_flags = IFF_UP};

	if (connect(s, (struct sockaddr *)&a, sizeof(a)) < 0)
		return 1;
	return ioctl(s, SIOCSIFFLAGS, &ifr) < 0 ? 2 : 0; /* ours to configure */
}

static int probe_keyring(void)
{
	long id = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user",
			  "csbx-test-key", 0);

	return id < 0 && (errno == ENOKEY || errno == ENOSYS) ? 0 : 1;
}

static int probe_init_limits(void)
{
	struct rlimit64 {
		uint64_t cur, max;
	} lim = {1, 1};

	return syscall(SYS_prlimit64, 1, RLIMIT_CPU, &lim, NULL) == -1 && errno == EPERM &&
			       !syscall(SYS_prlimit64, 0, RLIMIT_CPU, NULL, &lim)
		       ? 0
		       : 1;
}

static int probe(const char *name)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} probes[] = {
		{"attack-init", probe_attack_init}, {"nested", probe_nested},
		{"loopback", probe_loopback},       {"keyring", probe_keyring},
		{"init-limits", probe_init_limits},
	};

	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		if (str_eq(probes[i].name, name))
			return probes[i].run();
	}
	return 98;
}

/* --- the supervisor's side ------------------------------------------------------------------- */

/* Runs to the end; the wait status, and what was printed when ret_out is given. */
static int run(const struct box_want *w, char **ret_out)
{
	struct init_event ev;
	struct init_status st;
	struct box b;
	char *out;

	box_start(&b, w);
	out = box_read_text(b.out);
	st = box_status(&b);
	if (st.stage)
		printf("# failed at stage %u, errno %d\n", st.stage, st.code);
	ev = box_event(&b, INIT_EV_EXITED, 0);
	if (ret_out)
		*ret_out = out;
	else
		free(out);
	box_end(&b);
	return ev.type == INIT_EV_EXITED ? ev.status : -1;
}

/* Runs a shell script and compares what it prints. */
static void prints(struct box_want w, const char *script, const char *text, const char *what)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	_free_ char *out = NULL;

	w.argv = argv;
	is_int(run(&w, &out), 0, "%s: exit code", what);
	is_str(out, text, "%s", what);
}

static void test_exit_codes(void)
{
	static const int codes[] = {0, 1, 7, 125, 255};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		char script[32];
		struct box_want w = {.argv = SH(script)};
		struct box b;
		struct init_event ev;

		snprintf(script, sizeof(script), "exit %d", codes[i]);
		box_start(&b, &w);
		is_int(box_status(&b).stage, 0, "exit %d: started", codes[i]);
		ev = box_event(&b, INIT_EV_EXITED, 0);
		is_int(ev.status, codes[i] << 8, "exit %d: told by event", codes[i]);
		ok(ev.maxrss_bytes > 65536, "exit %d: memory is told in bytes", codes[i]);
		is_int(box_end(&b), codes[i], "exit %d: init's own code", codes[i]);
	}
	is_int(run(&(struct box_want){.argv = SH("kill -9 $$")}, NULL), 9, "killed");
	is_int(run(&(struct box_want){.argv = SH("kill -TERM $$")}, NULL), 15, "terminated");
}

static void test_state(void)
{
	const struct box_want w = {0}, user = {.uid = 1000};

	prints(w, "echo $BOX; umask; pwd; echo \"$@\" $#", "1\n0022\n/\n0\n",
	       "environment and cwd");
	prints(w,
	       "sed -n 's/^Cap\\(...\\):\\s*/\\1 /p;s/^NoNewPrivs:\\s*/nnp /p;"
	       "s/^Seccomp:\\s*/seccomp /p' /proc/self/status",
	       "Inh 0000000000000000\nPrm 00000000800405fb\nEff 00000000800405fb\n"
	       "Bnd 00000000800405fb\nAmb 0000000000000000\nnnp 1\nseccomp 2\n",
	       "capabilities of root");
	prints(user, "id -u; id -g; sed -n 's/^Cap\\(...\\):\\s*/\\1 /p' /proc/self/status",
	       "1000\n1000\nInh 0000000000000000\nPrm 0000000000000000\nEff 0000000000000000\n"
	       "Bnd 0000000000000000\nAmb 0000000000000000\n",
	       "capabilities of a user");
	prints(w, "sed -n 's/^Sig\\(Blk\\|Ign\\):\\s*/\\1 /p' /proc/self/status",
	       "Blk 0000000000000000\nIgn 0000000000000000\n",
	       "signals, though the caller ignores some");
	prints(w, "cat /proc/self/oom_score_adj /proc/$$/setgroups", "321\ndeny\n", "OOM score");
	prints(w,
	       "sed -n 's/ \\+/ /g;s/\\(core.*\\|open.*\\|processes\\) \\([0-9]*\\) [0-9].*/\\1 "
	       "\\2/p' "
	       "/proc/self/limits",
	       "Max core file size 1\nMax processes 4096\nMax open files 1024\n", "limits");
	prints(w, "ls /proc/self/fd | wc -l; cut -d' ' -f5,6 /proc/$$/stat", "4\n2 2\n",
	       "three descriptors (and ls's own), a session of its own");
	prints(w, "cat /proc/self/uid_map | tr -s ' '; cat /proc/1/oom_score_adj", " 0 0 1\n0\n",
	       "maps; init keeps its own OOM score");
}

static void no_seccomp(struct container_spec *s)
{
	s->sec.seccomp_off = true;
}

static void no_seccomp_all_caps(struct container_spec *s)
{
	s->sec.seccomp_off = true;
	s->sec.caps_add = (UINT64_C(1) << 41) - 1;
}

static int run_here(const char *probe)
{
	pid_t pid = fork();
	int st = -1;

	if (!pid)
		execl(box_self, box_self, probe, NULL);
	waitpid(pid, &st, 0);
	return WIFEXITED(st) ? WEXITSTATUS(st) : -1;
}

/* A key of the caller that the payload, with the same user id, must not find. */
static void test_keyring(void)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 ||
	    syscall(SYS_add_key, "user", "csbx-test-key", "secret", 6, KEY_SPEC_SESSION_KEYRING) <
		    0) {
		tap_skip("no keys here: %s", strerror(errno));
		return;
	}
	is_int(run_here("keyring"), 1, "the caller finds its key");
	is_int(run(&(struct box_want){.argv = PROBE("keyring"), .edit = no_seccomp}, NULL), 0,
	       "the payload does not");
}

static void new_privs(struct container_spec *s)
{
	s->sec.new_privs = true;
}

static void test_protection(void)
{
	_free_ char *out = NULL, *privs = NULL;

	is_int(run(&(struct box_want){.argv = PROBE("attack-init"), .edit = no_seccomp_all_caps},
		   &out),
	       0, "pid 1 withstands all that all capabilities allow");
	is_str(out, "", "nothing succeeded");
	is_int(run(&(struct box_want){.argv = PROBE("nested"), .edit = no_seccomp_all_caps}, NULL),
	       0, "no nested user namespaces, even unfiltered and with all capabilities");
	is_int(run(&(struct box_want){.argv = PROBE("init-limits")}, NULL), 0,
	       "the filter keeps limits from pid 1");
	is_int(run(&(struct box_want){.argv = SH("sed -n 's/NoNewPrivs:.//p;s/Seccomp:.//p;"
						 "s/CapEff:.//p' /proc/self/status"),
				      .edit = new_privs},
		   &privs),
	       0, "with new privileges");
	is_str(privs, "00000000800405fb\n0\n2\n", "the filter holds without no_new_privs");
}

static void more_caps(struct container_spec *s)
{
	s->sec.caps_add = CAP_BIT(CAP_NET_ADMIN) | CAP_BIT(CAP_SYS_ADMIN);
	s->ns.hostname = strdup("inside");
}

static void test_namespaces_of_b(void)
{
	struct box_want w = {.edit = more_caps};

	prints(w, "hostname; hostname other && hostname", "inside\nother\n", "uts namespace of B");
	w.argv = PROBE("loopback");
	is_int(run(&w, NULL), 0, "net namespace of B: lo is up and configurable");
	is_int(run(&(struct box_want){.argv = SH("hostname other 2>/dev/null")}, NULL), 1 << 8,
	       "by default the host name is not the payload's");
}

static void new_cwd(struct container_spec *s)
{
	s->proc.cwd = strdup("/tmp/csbx-init-test/a/../b");
}

static void remove_cwd(void)
{
	rmdir("/tmp/csbx-init-test/a");
	rmdir("/tmp/csbx-init-test/b");
	rmdir("/tmp/csbx-init-test");
}

static void fd_cwd(struct container_spec *s)
{
	s->proc.cwd = strdup("/proc/self/fd/6/sys");
}

static void unreadable_cwd(struct container_spec *s)
{
	s->proc.cwd = strdup("/root/x");
}

static void is_status(const struct box_want *w, unsigned stage, int code, const char *what)
{
	struct init_status st;
	struct box b;

	box_start(&b, w);
	st = box_status(&b);
	is_int(st.stage, stage, "%s: stage", what);
	is_int(st.code, code, "%s: errno", what);
	(void)box_event(&b, INIT_EV_EXITED, 0);
	is_int(box_end(&b), INIT_EXIT_FAILED, "%s: exit code", what);
}

static void test_cwd(void)
{
	const struct box_want w = {.edit = new_cwd, .uid = 1000};
	struct stat st;

	remove_cwd();
	prints(w, "pwd", "/tmp/csbx-init-test/b\n", "a missing working directory is made");
	ok(!stat("/tmp/csbx-init-test/b", &st) && st.st_uid == box_uid &&
		   (st.st_mode & 07777) == 0755,
	   "by the main user");
	remove_cwd();
	is_status(&(struct box_want){.edit = fd_cwd}, INIT_STAGE_MKDIR, ENOENT,
		  "a cwd through init's descriptors");
	is_status(&(struct box_want){.edit = fd_cwd, .drop_flags = INIT_CREATE_CWD}, INIT_STAGE_CWD,
		  ENOENT, "the same without mkdir");
	is_status(&(struct box_want){.edit = unreadable_cwd}, INIT_STAGE_MKDIR, EACCES,
		  "a cwd the user cannot make");
}

static void test_exec_errors(void)
{
	_free_ char *script = strdup("/tmp/csbx-init-XXXXXX");
	_close_ int fd = mkstemp(script);
	struct init_status st;
	struct box b;

	is_status(&(struct box_want){.argv = (const char *const[]){"no-such-program", NULL}},
		  INIT_STAGE_EXEC, ENOENT, "not in PATH");
	is_status(&(struct box_want){.argv = (const char *const[]){"/etc/passwd", NULL}},
		  INIT_STAGE_EXEC, EACCES, "not executable");
	is_status(&(struct box_want){.argv = (const char *const[]){"/etc", NULL}}, INIT_STAGE_EXEC,
		  EACCES, "a directory");
	ok(fd >= 0 && write(fd, "echo hello\n", 11) == 11 && !fchmod(fd, 0755),
	   "a script without #!");
	close(take_fd(&fd));
	is_status(&(struct box_want){.argv = (const char *const[]){script, NULL}}, INIT_STAGE_EXEC,
		  ENOEXEC, "exec format error");
	ok(box_write_file(script, "#!/no/such/interpreter\n"), "a script of a missing interpreter");
	box_start(&b, &(struct box_want){.argv = (const char *const[]){script, NULL}});
	st = box_status(&b);
	is_int(st.code, ENOENT, "missing interpreter: errno");
	is_int(st.detail, INIT_DETAIL_INTERPRETER, "missing interpreter: told apart");
	box_end(&b);
	unlink(script);
}

static void test_malformed(void)
{
	static const struct init_msg zero;
	struct init_msg m = {.magic = INIT_MAGIC, .version = 99, .total_len = sizeof(m)};

	is_status(&(struct box_want){.raw = "", .raw_len = 0}, INIT_STAGE_MESSAGE, EBADMSG,
		  "empty");
	is_status(&(struct box_want){.raw = &zero, .raw_len = sizeof(zero)}, INIT_STAGE_MESSAGE,
		  EBADMSG, "zeros");
	is_status(&(struct box_want){.raw = &m, .raw_len = sizeof(m)}, INIT_STAGE_MESSAGE,
		  EPROTONOSUPPORT, "another version");
	is_status(&(struct box_want){.unsealed = true}, INIT_STAGE_MESSAGE, EPERM, "unsealed");
	is_status(&(struct box_want){.extra_flags = INIT_TTY}, INIT_STAGE_TTY, ENOTTY,
		  "a terminal that is none");
	is_int(run(&(struct box_want){.drop_flags = INIT_ONE_ID, .uid = 7}, NULL), 0,
	       "init writes the maps when told so, without a root in the namespace");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return probe(argv[1]);
	box_setup();
	test_exit_codes();
	test_state();
	test_protection();
	test_keyring();
	test_namespaces_of_b();
	test_cwd();
	test_exec_errors();
	test_malformed();
	return done_testing();
}
