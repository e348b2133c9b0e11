/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/health_watch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/docker/show/events.h"
#include "cmd/docker/daemon/exec.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/notes.h"
#include "cmd/docker/show/health.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/kernel/orphan_fork.h"
#include "runtime/life/container_state.h"
#include "runtime/record/container_find.h"
#include "runtime/record/instance.h"
#include "runtime/record/run_dir.h"

#define MS_NS UINT64_C(1000000)
#define END_MS 100 /* a container that ends kills its checks first */
#define TOO_LONG (-1)
#define PROBE_FAILED 125 /* the check could not be made */

struct checker {
	const struct paths *paths;
	const char *name;
	const struct container_record *record;
	struct health_check check;
	struct run_dir run;
	int init_fd; /* pidfd */
	uint64_t started_ns;
	struct health health;
};

/* --- one check ------------------------------------------------------------------------------ */

static void set_words(const struct health_check *c, struct strv *argv)
{
	if (str_eq(c->test.items[0], "CMD-SHELL")) {
		strv_add(argv, "/bin/sh");
		strv_add(argv, "-c");
	}
	for (size_t i = 1; i < c->test.n; i++)
		strv_add(argv, c->test.items[i]);
}

static _Noreturn void be_probe(const struct checker *x, int out)
{
	const struct docker_exec_how how = {0};
	struct docker_exec_args a = {0};
	struct docker_fault f = DOCKER_FAULT_INIT;
	int r;

	/* The exec goes with this process, and this with the checker. */
	if (dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(PROBE_FAILED);
	set_words(&x->check, &a.argv);
	r = docker_exec(x->paths, x->record->container_id, &a, &how, &f);
	if (r < 0)
		dprintf(2, "%s\n", f.err.msg);
	_exit(r < 0 ? f.exit_code ? f.exit_code : PROBE_FAILED : r);
}

static void keep_output(struct strbuf *output, const char *piece, size_t n)
{
	size_t room = output->len < HEALTH_OUTPUT_BYTES ? HEALTH_OUTPUT_BYTES - output->len : 0;

	/* A string is what is kept of it. */
	n = strnlen(piece, n);
	strbuf_add(output, piece, n < room ? n : room);
}

/* Until it has ended or its time is over; true: it has ended. */
static bool read_output(int fd, uint64_t until_ns, struct strbuf *output)
{
	char piece[4096];

	for (;;) {
		uint64_t now_ns = clock_monotonic_ns();
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (now_ns >= until_ns || poll(&p, 1, (int)((until_ns - now_ns) / MS_NS) + 1) == 0)
			return false;
		n = read(fd, piece, sizeof(piece));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		keep_output(output, piece, (size_t)n);
	}
}

static void probe(struct checker *x, struct health_probe *ret)
{
	_strbuf_ struct strbuf output = STRBUF_INIT;
	int ends[2], status = PROBE_FAILED << 8;
	bool ended = true;
	pid_t child;

	*ret = (struct health_probe){.start_ns = clock_realtime_ns(), .exit_code = PROBE_FAILED};
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	child = fork();
	if (!child)
		be_probe(x, ends[1]);
	close(ends[1]);
	if (child > 0)
		ended = read_output(ends[0], clock_monotonic_ns() + x->check.timeout_ns, &output);
	if (!ended) {
		(void)kill(child, SIGKILL);
		output.len = 0;
		strbuf_addf(&output, "Health check exceeded timeout (%.3gs)",
			    (double)x->check.timeout_ns / 1e9);
	}
	close(ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	ret->end_ns = clock_realtime_ns();
	ret->exit_code = !ended ? TOO_LONG : WIFEXITED(status) ? WEXITSTATUS(status) : PROBE_FAILED;
	ret->output = strdup(strbuf_str(&output));
}

/* --- what becomes of it --------------------------------------------------------------------- */

static void take(struct checker *x, struct health_probe *p)
{
	struct health *h = &x->health;
	enum health_status before = h->status;
	_free_ char *event = NULL;

	if (h->n == HEALTH_PROBES) {
		free(h->probes[0].output);
		memmove(h->probes, h->probes + 1, (HEALTH_PROBES - 1) * sizeof(*h->probes));
		h->n--;
	}
	h->probes[h->n++] = *p;
	if (!p->exit_code) {
		h->failing_streak = 0;
		h->status = HEALTH_HEALTHY;
	} else if (before != HEALTH_STARTING ||
		   p->start_ns >= x->started_ns + x->check.start_period_ns) {
		/* Before that, and before a first success, a failure is no news. */
		h->failing_streak++;
		if (h->failing_streak >= x->check.retries)
			h->status = HEALTH_UNHEALTHY;
	}
	(void)health_write(x->run.fd, h, NULL);
	event = str_printf("health_status: %s", health_status_name(h->status));
	if (event && h->status != before)
		docker_event_renamed(x->paths, x->name, x->record, event, NULL, NULL);
}

/* True: it is time; false: the container has ended. */
static bool wait_for_next(struct checker *x)
{
	bool starts = x->health.status == HEALTH_STARTING &&
		      clock_realtime_ns() < x->started_ns + x->check.start_period_ns;
	uint64_t wait_ns = starts && x->check.start_interval_ns < x->check.interval_ns
				   ? x->check.start_interval_ns
				   : x->check.interval_ns;
	uint64_t until_ns = clock_monotonic_ns() + wait_ns, now_ns;

	while ((now_ns = clock_monotonic_ns()) < until_ns) {
		uint64_t left_ms = (until_ns - now_ns) / MS_NS + 1;
		struct pollfd p = {.fd = x->init_fd, .events = POLLIN};

		if (poll(&p, 1, left_ms > INT32_MAX ? INT32_MAX : (int)left_ms) > 0)
			return false;
	}
	return true;
}

static void watch(struct checker *x)
{
	struct health_probe p;

	x->health.status = HEALTH_STARTING;
	(void)health_write(x->run.fd, &x->health, NULL);
	while (wait_for_next(x)) {
		struct pollfd ended = {.fd = x->init_fd, .events = POLLIN};

		probe(x, &p);
		/*
		 * A check that the container's end cut off says nothing of its health. The
		 * processes are killed one after the other, and pid 1 goes last.
		 */
		if (poll(&ended, 1, p.exit_code ? END_MS : 0) > 0) {
			free(p.output);
			return;
		}
		take(x, &p);
	}
}

/* It may have been renamed since it was started. */
static int open_run(struct checker *x)
{
	struct container_found now;
	int r = container_find_again(x->paths, x->name, x->record->container_id, &now, NULL);

	if (r < 0)
		return r;
	r = container_run_dir(x->paths, now.name, x->record, &x->run, NULL);
	container_record_free(&now.record);
	return r;
}

static bool find(struct checker *x)
{
	struct instance_record i;

	if (instance_read(x->paths, x->record->container_id, &i, NULL) < 0)
		return false;
	x->init_fd = (int)syscall(SYS_pidfd_open, i.init, 0);
	instance_record_free(&i);
	return x->init_fd >= 0 && open_run(x) >= 0 && x->run.fd >= 0;
}

static _Noreturn void be_checker(struct checker *x)
{
	sigset_t none;

	setsid();
	/* A supervisor, which starts one again, has all of them blocked. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Whatever else the caller has open, connections above all, must end without us. */
	fd_keep_only(NULL, 0);
	signal(SIGPIPE, SIG_IGN);
	if (find(x))
		watch(x);
	_exit(0);
}

void docker_health_begin(const struct paths *p, const char *name,
			 const struct container_record *record)
{
	struct checker x = {.paths = p,
			    .name = name,
			    .record = record,
			    .run = RUN_DIR_INIT,
			    .init_fd = -1,
			    .started_ns = clock_realtime_ns()};

	if (!health_check_read(&record->notes, &x.check))
		return;
	if (orphan_fork(NULL, NULL) == 0)
		be_checker(&x);
	health_check_free(&x.check);
}

/* --- what is asked for ---------------------------------------------------------------------- */

static const struct {
	enum docker_other flag;
	const char *key, *option;
} durations[] = {
	{DOCKER_OTHER_health_interval, "interval", "--health-interval"},
	{DOCKER_OTHER_health_timeout, "timeout", "--health-timeout"},
	{DOCKER_OTHER_health_start, "start-period", "--health-start-period"},
	{DOCKER_OTHER_health_start_interval, "start-interval", "--health-start-interval"},
};

static void set(struct strv *notes, const char *key, const char *value)
{
	_free_ char *name = str_printf(HEALTH_NOTE "%s", key);

	if (name)
		notes_add(notes, name, value);
}

/* "interval" of the image, for what was not asked for. */
static void set_of_image(struct strv *notes, const struct strv *of_image, const char *key)
{
	const char *value = strv_get_env(of_image, key);

	if (value)
		set(notes, key, value);
}

static int add_test(const struct docker_run_args *a, const struct strv *of_image,
		    struct strv *notes, struct err *e)
{
	const char *command = a->other[DOCKER_OTHER_health_cmd];

	if (a->no_healthcheck && (command || a->health_test.n))
		return err_set(e, EINVAL, "--no-healthcheck conflicts with --health-* options");
	if (a->no_healthcheck) {
		set(notes, "test", "NONE");
	} else if (command && *command) {
		set(notes, "test", "CMD-SHELL");
		set(notes, "test", command);
	} else if (a->health_test.n) {
		for (size_t i = 0; i < a->health_test.n; i++)
			set(notes, "test", a->health_test.items[i]);
	} else {
		for (size_t i = 0; i < of_image->n; i++) {
			if (str_has_prefix(of_image->items[i], "test="))
				set(notes, "test", of_image->items[i] + strlen("test="));
		}
	}
	return 0;
}

int docker_health_notes(const struct docker_run_args *a, const struct strv *of_image,
			struct strv *notes, struct err *e)
{
	const char *retries = a->other[DOCKER_OTHER_health_retries];
	uint64_t n = 0;
	int r = add_test(a, of_image, notes, e);

	for (size_t i = 0; r >= 0 && i < sizeof(durations) / sizeof(durations[0]); i++) {
		const char *text = a->other[durations[i].flag];
		_free_ char *ns = NULL;

		if (!text) {
			set_of_image(notes, of_image, durations[i].key);
			continue;
		}
		r = docker_set_duration(&n, text, e);
		if (r >= 0 && n && n < 1000000)
			r = err_set(e, EINVAL, "%s cannot be less than 1ms", durations[i].option);
		ns = str_printf("%" PRIu64, n);
		if (r >= 0 && n && ns)
			set(notes, durations[i].key, ns);
	}
	if (r >= 0 && !retries)
		set_of_image(notes, of_image, "retries");
	else if (r >= 0 && num_parse_u64(retries, INT32_MAX, &n) < 0)
		r = err_set(e, EINVAL, "--health-retries cannot be negative");
	else if (r >= 0 && n)
		set(notes, "retries", retries);
	return r < 0 ? r : strv_check(notes, e);
}
