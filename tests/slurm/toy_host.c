/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Plays slurmstepd and srun for the SPANK plugin, under AddressSanitizer and UBSan: the plugin's
 * code, with toy_slurm.c in SLURM's place. It tries what no cluster test can: hostile values in
 * every flag, an interface that fails at every step, a holder that misbehaves. As root it also
 * looks at what a program finds that the plugin runs for a user.
 *
 * The program itself stands in for csbx: called with __hold it is the holder.
 */

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <slurm/spank.h>

#include "cmd/spank/options.h"
#include "tests/slurm/toy_slurm.h"
#include "tests/unit/tap.h"

static char top[TAP_PATH_SIZE] = "toy-host";

/*
 * --- the tests ----------------------------------------------------------------------------------
 */

static void reset(spank_context_t context)
{
	for (char **p = host.env; *p; p++)
		free(*p);
	memset(&host, 0, sizeof(host));
	host.context = context;
	host.job = 7;
	host.tasks = 2;
	host.uid = getuid() ? getuid() : 1001;
	host.gid = getuid() ? getgid() : 1001;
	host.groups[0] = host.gid;
	host.groups[1] = 4;
	host.n_groups = getuid() ? 1 : 2;
	host.argv[0] = (char *)"prog";
	host.argv[1] = (char *)"arg";
	host.argc = 2;
	host.fail_item = -1;
}

static int init(const char *site1, const char *site2)
{
	char *argv[] = {(char *)site1, (char *)site2};

	return slurm_spank_init(NULL, !!site1 + !!site2, argv);
}

static int give(enum spank_opt which, const char *value)
{
	return toy_give((int)which, value);
}

static int finish_options(void)
{
	return slurm_spank_init_post_opt(NULL, 0, NULL);
}

static bool logged(const char *text)
{
	return strstr(host.log, text) != NULL;
}

/* One line a message, and nothing in it that a terminal obeys. */
static bool log_is_clean(void)
{
	for (size_t i = 0; i < host.log_len; i++) {
		unsigned char c = (unsigned char)host.log[i];

		if ((c < ' ' && c != '\n') || c == 0x7f)
			return false;
	}
	return true;
}

static char *repeated(const char *text, size_t n)
{
	size_t len = strlen(text);
	char *r = malloc(len * n + 1);

	if (!r)
		abort();
	for (size_t i = 0; i < n; i++)
		memcpy(r + i * len, text, len);
	r[len * n] = 0;
	return r;
}

static void end_tasks(void)
{
	for (uint32_t i = 0; i < host.tasks; i++)
		slurm_spank_task_exit(NULL, 0, NULL);
}

/* The first task of a step that cannot be says why, the others fail with it. */
static bool tasks_fail(const char *says)
{
	size_t len = host.log_len;
	bool ok = slurm_spank_task_init(NULL, 0, NULL) == -1 && strstr(host.log + len, says);

	len = host.log_len;
	host.task = 1;
	ok = ok && slurm_spank_task_init(NULL, 0, NULL) == -1 && host.log_len == len;
	end_tasks();
	return ok;
}

static void hostile_values(void)
{
	char *values[] = {NULL,
			  (char *)"",
			  (char *)":",
			  (char *)",",
			  (char *)"::::::",
			  (char *)"/:/:/:/",
			  (char *)"%s%n%d%1000000c",
			  (char *)"\033]0;x\007\n\r\b",
			  (char *)"\xff\xfe\x80",
			  (char *)"../../../../etc/passwd",
			  (char *)"--help",
			  (char *)"$(reboot)`reboot`;reboot",
			  (char *)"docker://",
			  (char *)"a:create:exec",
			  (char *)"/a:/b:+++",
			  (char *)"\\",
			  repeated("a", 200000),
			  repeated("/a:/b,", 5000),
			  repeated("A,", 20000),
			  repeated(":", 60000)};
	size_t n = sizeof(values) / sizeof(values[0]);
	bool clean = true, answers = true;

	for (int which = 0; which < SPANK_OPT_MAX; which++) {
		for (size_t i = 0; i < n; i++) {
			int r;

			reset(i % 2 ? S_CTX_LOCAL : S_CTX_REMOTE);
			answers &= init(NULL, NULL) == 0 && host.n_options == SPANK_OPT_MAX;
			r = give((enum spank_opt)which, values[i]);
			answers &= r == 0 || r == -1;
			answers &= r == 0 || host.log_len > 0;
			answers &= host.context != S_CTX_REMOTE || r == 0;
			if (r == 0)
				give((enum spank_opt)which, values[i]);
			host.context = S_CTX_LOCAL; /* no step is begun here */
			r = finish_options();
			answers &= r == 0 || r == -1;
			clean &= log_is_clean();
			answers &= slurm_spank_exit(NULL, 0, NULL) == 0;
		}
	}
	ok(answers, "every value of every flag gets an answer, and a refusal its reason");
	ok(clean, "no message has control characters");
	for (size_t i = n - 4; i < n; i++)
		free(values[i]);
}

static void hostile_variables(void)
{
	static const char *const bad[] = {"PYXIS_CONTAINER_WRITABLE=maybe",
					  "PYXIS_CONTAINER_UNSHARE=pid", "PYXIS_CONTAINER_ENV=%n",
					  "PYXIS_CONTAINER_NAME=a/b"};

	for (size_t i = 0; i < 4; i++) {
		reset(S_CTX_REMOTE);
		host.env[0] = strdup("PYXIS_CONTAINER_IMAGE=/i.sqsh");
		host.env[1] = strdup(bad[i]);
		init(NULL, NULL);
		is_int(finish_options(), 0, "%s", bad[i]);
		ok(tasks_fail("csbx: PYXIS_CONTAINER_"), "is refused by its name");
		slurm_spank_exit(NULL, 0, NULL);
	}
}

/* The interface gives a value of any length only to a caller with enough room. */
static void a_variable_too_long(void)
{
	char *value = repeated("a", 70000);

	reset(S_CTX_REMOTE);
	if (asprintf(&host.env[0], "PYXIS_CONTAINER_IMAGE=/%s", value) < 0)
		abort();
	init(NULL, NULL);
	is_int(finish_options(), 0, "a variable that is too long");
	ok(tasks_fail("PYXIS_CONTAINER_IMAGE: --container-image: argument too long"),
	   "is not taken for absent");
	slurm_spank_exit(NULL, 0, NULL);
	free(value);
}

static void contexts(void)
{
	reset(S_CTX_SLURMD);
	is_int(init(NULL, NULL), 0, "slurmd");
	is_int(host.n_options, 0, "has no flags");
	slurm_spank_exit(NULL, 0, NULL);
	is_int(init("colour=red", NULL), 0, "whom an unknown word does not keep from its start");
	ok(logged("csbx: plugstack.conf: colour=red: unknown configuration option"),
	   "but it is said");
	slurm_spank_exit(NULL, 0, NULL);
	reset(S_CTX_JOB_SCRIPT);
	is_int(slurm_spank_job_epilog(NULL, 1, (char *[]){(char *)"colour=red"}), 0,
	       "nor is a node drained for it");
	ok(logged("csbx: plugstack.conf: colour=red"), "said, too");
	host.fail_item = S_JOB_ID;
	is_int(slurm_spank_job_epilog(NULL, 0, NULL), 0, "an epilog without a job");
	ok(logged("which job this was"), "says so");
	reset(S_CTX_ALLOCATOR);
	is_int(init("sbatch_support=0", NULL), 0, "sbatch");
	is_int(host.n_options, 0, "has none where the site says so");
	slurm_spank_exit(NULL, 0, NULL);
	reset(S_CTX_REMOTE);
	is_int(init("colour=red", NULL), 0, "an unknown word in a node's plugstack.conf");
	ok(tasks_fail("csbx: plugstack.conf: colour=red: unknown configuration option"),
	   "fails tasks");
	slurm_spank_exit(NULL, 0, NULL);
	reset(S_CTX_LOCAL);
	is_int(init("colour=red", NULL), -1, "and in srun's");
	ok(logged("csbx: plugstack.conf: colour=red: unknown configuration option"), "srun");
	slurm_spank_exit(NULL, 0, NULL);
	reset(S_CTX_REMOTE);
	is_int(init(NULL, NULL), 0, "a step");
	is_int(finish_options(), 0, "without a container");
	is_int(slurm_spank_user_init(NULL, 0, NULL), 0, "is nothing");
	is_int(slurm_spank_task_init(NULL, 0, NULL), 0, "to us");
	is_str(host.argv[0], "prog", "and stays as it is");
	is_int(slurm_spank_task_exit(NULL, 0, NULL), 0, "to its end");
	slurm_spank_exit(NULL, 0, NULL);
}

static char site_csbx[512], site_runtime[512], runtime_dir[256];

/*
 * Flags and a directory as for a step with a container, up to the holder. No hook tells of an error
 * before there is a task: srun would end with 0.
 */
static int begin_step(const char *how)
{
	char *variable;

	reset(S_CTX_REMOTE);
	if (how && asprintf(&variable, "TOY=%s", how) > 0)
		host.env[0] = variable;
	return init(site_csbx, site_runtime) | give(SPANK_IMAGE, "/i.sqsh") | finish_options() |
	       slurm_spank_user_init(NULL, 0, NULL);
}

static void what_the_holder_finds(void)
{
	char ids[128];

	signal(SIGPIPE, SIG_IGN);
	is_int(begin_step("well"), 0, "the holder is started: %s", host.log);
	end_tasks();
	slurm_spank_exit(NULL, 0, NULL);
	snprintf(ids, sizeof(ids), "csbx: uids %u %u %u\ncsbx: gids %u %u %u\n", host.uid, host.uid,
		 host.uid, host.gid, host.gid, host.gid);
	ok(logged(ids), "it is the user's in every id");
	ok(logged("csbx: caps 0 0 0\n"), "without capabilities");
	ok(logged("csbx: setuid0 -1\n"), "and without a way back");
	ok(logged("csbx: fd 3\n") && !logged("csbx: fd 4\n") && !logged("csbx: fd 10\n"),
	   "no descriptor but 0 to 3");
	ok(logged("csbx: oom 0\n"), "no exemption from the out-of-memory killer");
	ok(logged("csbx: blocked 0 ignored 0\n"), "signals are fresh");
	ok(logged("csbx: arg __hold\n") && logged("csbx: arg --image=/i.sqsh\n"), "its words");
	ok(!logged("csbx: arg --end-step"), "and nobody has to clean up after it");
	ok(logged("csbx: env PATH=/usr/local/sbin:"), "a PATH of the plugin's");
	ok(logged("csbx: told s\n"), "and it learns that all tasks have ended");
	ok(getuid() || logged("csbx: group 4\n"), "the job's groups");
	ok(getuid() || !logged("csbx: group 0\n"), "and not the daemon's");
}

static void holders_that_misbehave(void)
{
	is_int(begin_step("dies"), 0, "a holder that dies");
	ok(tasks_fail("csbx: the container's holder could not be started"), "fails the tasks");
	ok(logged("csbx: arg __hold"), "with what it had printed");
	slurm_spank_exit(NULL, 0, NULL);
	is_int(begin_step("leaves"), 0, "one that leaves early");
	end_tasks();
	ok(logged("csbx: arg --end-step") && logged("csbx: arg --image=/i.sqsh"),
	   "has another one to clean up after it");
	ok(slurm_spank_exit(NULL, 0, NULL) == 0, "is told by the tasks that look for it");
	is_int(begin_step("leaves") | give(SPANK_SAVE, "x.sqsh"), 0, "one that was to save");
	end_tasks();
	ok(logged("csbx: --container-save: not saved, the container's holder was killed"),
	   "is missed");
	slurm_spank_exit(NULL, 0, NULL);
	is_int(begin_step("hostile"), 0, "one that prints what terminals obey");
	end_tasks();
	ok(logged("\\x1b[2Jescape %s%n"), "is shown escaped");
	ok(log_is_clean(), "all of it");
	slurm_spank_exit(NULL, 0, NULL);
	is_int(begin_step("fails"), 0, "one whose save goes wrong");
	end_tasks();
	ok(logged("csbx: the container's end went wrong"), "is told of");
	slurm_spank_exit(NULL, 0, NULL);
}

/*
 * --- the control group --------------------------------------------------------------------------
 */

static char group_top[300];

static bool write_text(const char *dir, const char *file, const char *text)
{
	char path[400];
	int fd;
	bool done;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY);
	done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return done;
}

/* A hierarchy of v2 that root may write to. */
static bool make_groups(char step[320], char slurm[340])
{
	static const char *const tops[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

	for (size_t i = 0; i < 2; i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/cgroup.procs", tops[i]);
		snprintf(group_top, sizeof(group_top), "%s/csbx-toy-%d", tops[i], getpid());
		if (access(path, F_OK) < 0 || access("/sys/fs/cgroup/tasks", F_OK) == 0 ||
		    mkdir(group_top, 0755) < 0)
			continue;
		snprintf(step, 320, "%s/step_0", group_top);
		snprintf(slurm, 340, "%s/slurm", step);
		return mkdir(step, 0755) == 0 && mkdir(slurm, 0755) == 0;
	}
	return false;
}

static pid_t sleeper(const char *group, uid_t uid)
{
	pid_t pid = fork();
	char text[16];

	if (pid == 0) {
		if (setresuid(uid, uid, uid) == 0)
			sleep(60);
		_exit(0);
	}
	snprintf(text, sizeof(text), "%d", pid);
	if (pid < 0 || !write_text(group, "cgroup.procs", text))
		abort();
	return pid;
}

/* 0: it lives. */
static int death_of(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, WNOHANG);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void end(pid_t pid)
{
	if (kill(pid, SIGKILL) == 0)
		waitpid(pid, NULL, 0);
}

/* Processes that an entry point leaves behind are no task's: SLURM kills only those of tasks. */
static void what_is_left_in_the_daemons_group(void)
{
	char step[320], slurm[340];
	pid_t users, roots, elsewhere;

	if (getuid() || !make_groups(step, slurm))
		return;
	begin_step("well");
	users = sleeper(slurm, host.uid);
	roots = sleeper(slurm, 0);
	elsewhere = sleeper(group_top, host.uid);
	if (!write_text(slurm, "cgroup.procs", "0"))
		abort();
	end_tasks();
	slurm_spank_exit(NULL, 0, NULL);
	is_int(death_of(users), SIGKILL, "what is the user's in slurmstepd's group is killed");
	is_int(death_of(roots), 0, "root's is not");
	is_int(death_of(elsewhere), 0, "nor what is in another group");
	end(roots);
	end(elsewhere);
	if (!write_text(group_top, "../cgroup.procs", "0"))
		abort();
	rmdir(slurm);
	rmdir(step);
	ok(rmdir(group_top) == 0, "nothing is left of the groups");
}

static void interface_that_fails(void)
{
	static const int items[] = {
		S_JOB_ID,     S_JOB_STEPID,           S_JOB_UID, S_JOB_GID,
		S_JOB_NODEID, S_JOB_LOCAL_TASK_COUNT, S_JOB_ENV, S_JOB_SUPPLEMENTARY_GIDS};

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		int a, b;

		reset(S_CTX_REMOTE);
		init(site_csbx, site_runtime);
		give(SPANK_IMAGE, "/i.sqsh");
		host.fail_item = items[i];
		a = finish_options();
		b = slurm_spank_user_init(NULL, 0, NULL);
		ok(a == 0 && b == 0, "item %d missing is no hook's answer", items[i]);
		ok(tasks_fail("csbx: SLURM "), "but the tasks'");
		slurm_spank_exit(NULL, 0, NULL);
	}
}

static void the_tasks_command(void)
{
	is_int(begin_step("well"), 0, "a step");
	is_int(slurm_spank_task_init(NULL, 0, NULL), 0, "its task");
#if CSBX_SPANK_PREPENDS
	is_int(host.n_prepended, 4, "gets words before its command");
	is_str(host.n_prepended == 4 ? host.prepended[1] : "", "join", "join");
	is_str(host.argv[0], "prog", "the command stays");
#else
	ok(strstr(host.argv[0], "/csbx-join"), "is csbx-join (%s)", host.argv[0]);
	ok(*toy_find_env("SPANK_CSBX_COMMAND") &&
		   !strcmp(*toy_find_env("SPANK_CSBX_COMMAND"), "SPANK_CSBX_COMMAND=prog"),
	   "which knows the command");
	free(host.argv[0]);
	host.argv[0] = (char *)"prog";
	host.copies_argv = true;
	is_int(slurm_spank_task_init(NULL, 0, NULL), -1, "a copy of the command is refused");
	host.copies_argv = false;
	host.argc = 0;
	is_int(slurm_spank_task_init(NULL, 0, NULL), -1, "no command is refused");
#endif
	end_tasks();
	slurm_spank_exit(NULL, 0, NULL);
}

#if !CSBX_SPANK_PREPENDS
/* A file of --multi-prog, as srun gives it to its plugins: its name, and what is in it. */
static void commands_of_a_file(void)
{
	char path[400], text[] = "0 prog arg\n", *wrapped;

	snprintf(path, sizeof(path), "%s/multi", top);
	close(open(path, O_WRONLY | O_CREAT | O_EXCL, 0600));
	if (!write_text(top, "multi", text) || begin_step("well") != 0)
		abort();
	host.argv[0] = path;
	host.argv[1] = text;
	is_int(slurm_spank_task_init(NULL, 0, NULL), -1, "commands that srun has not wrapped");
	ok(logged("csbx: --multi-prog: srun has not the same plugin"), "do not run outside");
	end_tasks();
	slurm_spank_exit(NULL, 0, NULL);

	reset(S_CTX_LOCAL);
	host.argv[0] = path;
	host.argv[1] = text;
	init(site_csbx, site_runtime);
	is_int(finish_options() | slurm_spank_local_user_init(NULL, 0, NULL), 0, "without a flag");
	is_str(host.argv[1], "0 prog arg\n", "the text stays as it is");
	give(SPANK_IMAGE, "/i.sqsh");
	is_int(finish_options() | slurm_spank_local_user_init(NULL, 0, NULL), 0, "with one");
	wrapped = host.argv[1];
	ok(strstr(wrapped, "/csbx-join prog arg\n"), "it is wrapped");
	slurm_spank_exit(NULL, 0, NULL);

	begin_step("well");
	host.argv[0] = path;
	host.argv[1] = wrapped;
	is_int(slurm_spank_task_init(NULL, 0, NULL), 0, "then a task");
	is_str(host.argv[0], path, "has words that are not touched");
	ok(*toy_find_env("SPANK_CSBX_STEP") && !*toy_find_env("SPANK_CSBX_COMMAND"),
	   "and csbx-join is told where, not what");
	end_tasks();
	slurm_spank_exit(NULL, 0, NULL);
	free(wrapped);
	unlink(path);
}
#endif

static void bad_directories(void)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/link", top);
	if (symlink(runtime_dir, path) < 0)
		abort();
	snprintf(site_runtime, sizeof(site_runtime), "runtime_path=%s", path);
	is_int(begin_step("well"), 0, "a runtime_path that is a link");
	ok(tasks_fail("/link"), "is refused");
	slurm_spank_exit(NULL, 0, NULL);
	unlink(path);
	if (mkdir(path, 0777) < 0 || chmod(path, 0777) < 0)
		abort();
	is_int(begin_step("well"), 0, "one that everybody may write to");
	ok(tasks_fail("writable for no other user"), "is refused");
	slurm_spank_exit(NULL, 0, NULL);
	rmdir(path);
	snprintf(site_runtime, sizeof(site_runtime), "runtime_path=%s", runtime_dir);
	/* The user's directory inside is somebody's link. */
	snprintf(path, sizeof(path), "%s/%u", runtime_dir, host.uid);
	rmdir(path);
	if (symlink("/etc", path) < 0)
		abort();
	is_int(begin_step("well"), 0, "a link in the place of the user's directory");
	ok(tasks_fail("open "), "is refused");
	slurm_spank_exit(NULL, 0, NULL);
	unlink(path);
}

/* A copy: the job's user may not look where root keeps the build. */
static void copy_self(const char *name)
{
	char path[400];
	int from, to;
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	from = open("/proc/self/exe", O_RDONLY);
	to = open(path, O_WRONLY | O_CREAT | O_EXCL, 0755);
	if (from < 0 || to < 0 || fstat(from, &st) < 0 ||
	    sendfile(to, from, NULL, (size_t)st.st_size) != st.st_size)
		abort();
	close(from);
	close(to);
}

static void make_places(void)
{
	if (!getuid())
		unsetenv("TMPDIR"); /* the runner's is closed to others */
	if (!tap_mkdtemp(top) || chmod(top, 0755) < 0)
		abort();
	copy_self("csbx");
	copy_self("csbx-join");
	snprintf(site_csbx, sizeof(site_csbx), "csbx_path=%s/csbx", top);
	snprintf(runtime_dir, sizeof(runtime_dir), "%s/run", top);
	snprintf(site_runtime, sizeof(site_runtime), "runtime_path=%s", runtime_dir);
}

static void remove_places(void)
{
	char path[400];

	toy_remove_link(runtime_dir);

	for (const char *const *p = (const char *const[]){"csbx", "csbx-join", NULL}; *p; p++) {
		snprintf(path, sizeof(path), "%s/%s", top, *p);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/run/%u", top, host.uid);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/run", top);
	rmdir(path);
	rmdir(top);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "__hold"))
		return toy_be_holder(argc, argv);
	make_places();
	contexts();
	hostile_values();
	hostile_variables();
	a_variable_too_long();
	what_the_holder_finds();
	holders_that_misbehave();
	what_is_left_in_the_daemons_group();
	interface_that_fails();
	the_tasks_command();
#if !CSBX_SPANK_PREPENDS
	commands_of_a_file();
#endif
	bad_directories();
	reset(S_CTX_LOCAL);
	remove_places();
	return done_testing();
}
