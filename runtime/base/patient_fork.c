/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/patient_fork.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/clock.h"

static bool is_asked_to_end(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	       (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
		sigismember(&pending, SIGHUP));
}

bool patient_wait(uint64_t *since_ns)
{
	const struct timespec pause = {.tv_nsec = PATIENT_PAUSE_MS * 1000000L};
	uint64_t now = clock_monotonic_ns();

	if (!*since_ns)
		*since_ns = now;
	if (now - *since_ns >= PATIENT_MS * 1000000ull || is_asked_to_end())
		return false;
	(void)nanosleep(&pause, NULL);
	return true;
}

pid_t patient_fork(void)
{
	uint64_t since_ns = 0;
	pid_t pid;

	while ((pid = fork()) < 0 && errno == EAGAIN) {
		if (!patient_wait(&since_ns)) {
			errno = EAGAIN;
			break;
		}
	}
	return pid;
}

bool fork_is_refused(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0)
		return errno == EAGAIN;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return false;
}
