/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/exec/forwarded_signals.h"

#include <stddef.h>
#include <sys/signalfd.h>
#include <time.h>

#include "runtime/base/err.h"
#include "runtime/exec/proto.h"

static void fill_forwarded(sigset_t *set)
{
	static const int forwarded[] = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
					SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT};

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		sigaddset(set, forwarded[i]);
}

int forwarded_signals_block(sigset_t *ret_old, int *ret_fd, struct err *e)
{
	sigset_t set;

	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTOU, SIG_IGN); /* tcsetattr from the background must not stop us half-way */
	signal(EXEC_WAKE_SIGNAL, SIG_DFL); /* one that is ignored reaches no signalfd */
	fill_forwarded(&set);
	sigaddset(&set, EXEC_WAKE_SIGNAL);
	if (sigprocmask(SIG_BLOCK, &set, ret_old) < 0)
		return err_sys(e, "block signals");
	*ret_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return *ret_fd < 0 ? err_sys(e, "signalfd") : 0;
}

void forwarded_signals_restore(const sigset_t *old, bool is_over)
{
	static const struct timespec now = {0};
	sigset_t set;

	/* Unblocked with one pending, it would end us. Ignoring it drops what is pending. */
	signal(EXEC_WAKE_SIGNAL, SIG_IGN);
	fill_forwarded(&set);
	while (is_over && sigtimedwait(&set, NULL, &now) > 0)
		continue;
	sigprocmask(SIG_SETMASK, old, NULL);
}
