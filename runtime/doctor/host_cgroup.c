/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Finds out if a container can have a cgroup here: makes one the way a start does, scope included,
 * and starts a process in it. A child does all this, because a process that enters a scope stays
 * there.
 */

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/doctor/host.h"
#include "runtime/doctor/host_cause.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/spec.h"

#define PATIENCE_MS 3000u

struct tried {
	int code; /* errno, 0 = a process ran in it */
	enum cgroup_rule rule;
	unsigned holds;      /* limits that were set */
	unsigned elapsed_ms; /* to find the parent */
	char parent[160];
	struct err err;
};

static int place_process(int cgroup_fd, struct err *e)
{
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)cgroup_fd};
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid < 0)
		return err_sys(e, "start a process in a new group");
	if (!pid)
		_exit(0);
	return waitpid((pid_t)pid, NULL, 0) < 0 ? err_sys(e, "wait") : 0;
}

static int make_and_place(struct tried *t, struct cgroup_parent *parent, const char *id,
			  struct err *e)
{
	static const struct limit_spec limits = {
		.memory_bytes = 1u << 30, .cpus_milli = 1000, .pids = 64};
	struct cgroup cg;
	int r = cgroup_make(&cg, parent, id, &limits, CGROUP_ALL, e), removed;

	if (r < 0)
		return r;
	t->holds = cg.holds;
	r = place_process(cg.helper_fd, e);
	removed = cgroup_remove(&cg, r < 0 ? NULL : e);
	return r < 0 ? r : removed;
}

/* A start gives a scope little time; here a busy manager must not look like a missing one. */
static void try_it(const struct paths *p, struct tried *t)
{
	struct cgroup_parent parent = CGROUP_PARENT_INIT;
	struct paths patient = *p;
	uint64_t begin = clock_monotonic_ms();
	uint64_t random = 0;
	char id[16];
	int r;

	(void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
	snprintf(id, sizeof(id), "%012llx", (unsigned long long)(random & 0xffffffffffff));
	if (patient.scope_timeout_ms < PATIENCE_MS)
		patient.scope_timeout_ms = PATIENCE_MS;
	r = cgroup_parent_find(&patient, CGROUP_ALL, id, &parent, &t->err);
	t->elapsed_ms = (unsigned)(clock_monotonic_ms() - begin);
	t->rule = parent.rule;
	if (r >= 0) {
		snprintf(t->parent, sizeof(t->parent), "%s", parent.path);
		r = make_and_place(t, &parent, id, &t->err);
	}
	cgroup_parent_close(&parent);
	t->code = r < 0 ? -r : 0;
}

/* In a process of its own, which is then out of the scope by being gone. */
static struct tried try_cgroup(const struct paths *p)
{
	struct tried t = {.code = EIO};
	int ends[2];
	pid_t pid;

	err_set(&t.err, EIO, "the probe failed");
	if (pipe2(ends, O_CLOEXEC) < 0)
		return t;
	pid = fork();
	if (!pid) {
		struct tried got = {0};

		try_it(p, &got);
		_exit(io_write_all(ends[1], &got, sizeof(got), NULL) < 0);
	}
	close(ends[1]);
	if (pid > 0) {
		struct tried got;

		if (io_read_exact(ends[0], &got, sizeof(got), NULL) >= 0)
			t = got;
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return t;
}

static bool is_off(const struct paths *p, struct host_fact *f)
{
	if (!p || !p->cgroup_parent || !str_eq(p->cgroup_parent, "none"))
		return false;
	host_miss(f, "CSBX_CGROUP_PARENT is none: the watchdog holds limits");
	return true;
}

static bool has_user_manager(void)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");
	_free_ char *socket = dir ? str_printf("%s/systemd/private", dir) : NULL;

	return socket && access(socket, F_OK) == 0;
}

/* Tells the remedy where no parent can be had. */
static void advise(const struct paths *p, struct host_fact *f)
{
	_free_ char *helper = p ? paths_helper(p, "csbx-scope") : NULL, *own = NULL;
	size_t floor_len;

	if (cgroup_own_directory(&own, &floor_len, NULL) < 0)
		host_remedy(
			f,
			"boot with systemd.unified_cgroup_hierarchy=1; in a container, mount its "
			"cgroup v2 tree");
	else if (p && p->cgroup_parent)
		host_remedy(
			f,
			"as root: chown the directory, its cgroup.procs and cgroup.subtree_control "
			"to you, and start csbx in a group below it");
	else if (cgroup_batch_job())
		host_remedy(f, "the batch job's own limits hold; for others set CSBX_CGROUP_PARENT "
			       "to a group "
			       "of the job that is delegated to you");
	else if (!has_user_manager())
		host_remedy(
			f,
			"log in by ssh or on a console rather than by su or sudo; for services, as "
			"root: loginctl enable-linger %s, then XDG_RUNTIME_DIR=/run/user/%u",
			host_login(), (unsigned)geteuid());
	else if (!helper || access(helper, X_OK) < 0)
		host_remedy(f,
			    "install csbx-scope (built where libsystemd-dev is), or start csbx by: "
			    "systemd-run --user --scope -p Delegate=yes");
	else
		host_remedy(
			f, "allow the manager more time (CSBX_SCOPE_TIMEOUT 2s), or start csbx by: "
			   "systemd-run --user --scope -p Delegate=yes");
}

void host_probe_cgroup(const struct paths *p, struct host_fact *f)
{
	static const char *const rules[] = {
		[CGROUP_RULE_NONE] = "",
		[CGROUP_RULE_NAMED] = ", named by CSBX_CGROUP_PARENT",
		[CGROUP_RULE_ANCESTOR] = ", the nearest group that is delegated",
		[CGROUP_RULE_SCOPE] = ", a scope of the systemd user manager",
	};
	static const struct paths nowhere;
	struct tried t;

	if (is_off(p, f))
		return;
	t = try_cgroup(p ? p : &nowhere);
	if (t.code) {
		host_miss(f, "%.200s", t.err.msg);
		advise(p, f);
		return;
	}
	f->ok = true;
	if (t.rule == CGROUP_RULE_SCOPE && p && t.elapsed_ms > p->scope_timeout_ms)
		host_reason(f,
			    "a scope of the systemd user manager took %u ms; a start waits %u ms "
			    "for it "
			    "(CSBX_SCOPE_TIMEOUT), then a watchdog holds the limits",
			    t.elapsed_ms, (unsigned)p->scope_timeout_ms);
	else if (t.rule == CGROUP_RULE_SCOPE)
		host_reason(
			f,
			"each start with limits gets a scope of the systemd user manager (%u ms)",
			t.elapsed_ms);
	else
		host_reason(f, "below %.140s%s", t.parent, rules[t.rule]);
}

/* True when a version 1 tree has the controller: "4:memory:/". */
static bool is_in_version_1(const char *name)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	_close_ int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	_free_ char *word = str_printf(":%s:", name), *listed = str_printf(",%s", name);

	if (fd < 0 || io_read_all(fd, 65536, &text, NULL) < 0 || !word || !listed)
		return false;
	return strstr(strbuf_str(&text), word) || strstr(strbuf_str(&text), listed);
}

static void explain_controller(const struct tried *t, const char *name, struct host_fact *f)
{
	if (is_in_version_1(name)) {
		host_miss(f, "the %s controller is in a version 1 tree", name);
		host_remedy(f, "boot with systemd.unified_cgroup_hierarchy=1");
		return;
	}
	host_miss(f, "%.140s does not offer the %s controller", t->parent, name);
	if (strstr(t->parent, "/user@"))
		host_remedy(f, "as root: systemctl edit user@.service, there [Service] "
			       "Delegate=cpu memory "
			       "pids; then log in anew");
	else
		host_remedy(f,
			    "as root: echo +%s to cgroup.subtree_control of every group above it",
			    name);
}

/* Tells what holds the limit when the group does not. */
static void probe_controller(const struct paths *p, unsigned controller, const char *otherwise,
			     struct host_fact *f)
{
	static const struct paths nowhere;
	const char *name = cgroup_controller_name(controller);
	struct tried t;

	if (is_off(p, f))
		return;
	t = try_cgroup(p ? p : &nowhere);
	f->ok = !t.code && (t.holds & controller);
	if (f->ok) {
		host_reason(f, "the kernel holds the limit");
		return;
	}
	if (t.code)
		host_miss(f, "no control group (see cgroup): %s", otherwise);
	else
		explain_controller(&t, name, f);
}

void host_probe_cgroup_memory(const struct paths *p, struct host_fact *f)
{
	probe_controller(p, CGROUP_MEMORY, "--memory is held by a watchdog", f);
}

void host_probe_cgroup_cpu(const struct paths *p, struct host_fact *f)
{
	probe_controller(p, CGROUP_CPU, "--cpus chooses whole CPUs", f);
}

void host_probe_cgroup_pids(const struct paths *p, struct host_fact *f)
{
	probe_controller(p, CGROUP_PIDS, "--pids-limit counts each user of a container apart", f);
}
