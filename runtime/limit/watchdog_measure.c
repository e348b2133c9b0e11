/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limit/watchdog_measure.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/fd.h"
#include "runtime/limit/watchdog.h"

#define STEP_MS 10u
#define NS_PER_MS 1000000u

struct answer {
	struct watchdog_figures f;
	bool is_whole;
};

/* A pipe that has no reader any more ends the process by a signal or by the failed write. */
static __attribute__((noreturn)) void measure(int keep_fd, int out, watchdog_pass_fn *fn, void *arg)
{
	int keep[] = {keep_fd, out};
	struct answer a = {.is_whole = false};

	fd_keep_only(keep, 2);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	while (!a.is_whole) {
		a.is_whole = fn(arg, STEP_MS, &a.f);
		if (write(keep[1], &a, sizeof(a)) != sizeof(a))
			break;
	}
	_exit(0);
}

int watchdog_measure_start(struct watchdog_measure *m, int keep_fd, watchdog_pass_fn *fn, void *arg)
{
	int out[2];

	watchdog_measure_end(m);
	if (pipe2(out, O_CLOEXEC) < 0)
		return -errno;
	m->pid = fork();
	if (!m->pid)
		measure(keep_fd, out[1], fn, arg);
	close(out[1]);
	m->out_fd = out[0];
	if (m->pid > 0)
		return 0;
	m->pid = 0;
	close(out[0]);
	return -EAGAIN;
}

int watchdog_measure_read(struct watchdog_measure *m, uint64_t until_ns,
			  struct watchdog_figures *ret)
{
	for (;;) {
		struct pollfd p = {.fd = m->out_fd, .events = POLLIN};
		uint64_t now = clock_monotonic_ns();
		uint64_t left_ms =
			now < until_ns ? (until_ns - now + NS_PER_MS - 1) / NS_PER_MS : 0;
		struct answer a;

		if (poll(&p, 1, (int)left_ms) <= 0)
			return 0;
		if (read(m->out_fd, &a, sizeof(a)) != sizeof(a)) {
			watchdog_measure_end(m);
			return -ESRCH;
		}
		*ret = a.f;
		if (a.is_whole) {
			watchdog_measure_end(m);
			return 1;
		}
	}
}

void watchdog_measure_end(struct watchdog_measure *m)
{
	if (!m->pid)
		return;
	close(m->out_fd);
	(void)kill(m->pid, SIGKILL);
	while (waitpid(m->pid, NULL, 0) < 0 && errno == EINTR)
		;
	m->pid = 0;
}
