/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread is told to end by a descriptor. pthread_cancel(3) would send it a real-time signal,
 * which the kernel drops without a word once the user has as many signals pending as he may have
 * (RLIMIT_SIGPENDING): any program of his can bring that about, one in a container too.
 */
#include "cmd/image/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static void *wait_for_signal(void *arg)
{
	struct interrupt *i = arg;
	struct pollfd p[] = {{.fd = i->signal_fd, .events = POLLIN},
			     {.fd = i->end_fd, .events = POLLIN}};
	struct signalfd_siginfo si;

	while (!p[0].revents && !p[1].revents)
		(void)poll(p, 2, -1);
	if (p[0].revents && read(i->signal_fd, &si, sizeof(si)) == sizeof(si))
		i->caught = (int)si.ssi_signo;
	return NULL;
}

/* A signal that is ignored (nohup) stays so. */
static void add_unless_ignored(sigset_t *set, int sig)
{
	struct sigaction old;

	if (!sigaction(sig, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaddset(set, sig);
}

static void close_descriptors(struct interrupt *i)
{
	fd_close(&i->signal_fd);
	fd_close(&i->end_fd);
}

int interrupt_catch(struct interrupt *i, struct err *e)
{
	int code;

	*i = (struct interrupt){.signal_fd = -1, .end_fd = -1};
	sigemptyset(&i->signals);
	add_unless_ignored(&i->signals, SIGINT);
	add_unless_ignored(&i->signals, SIGTERM);
	add_unless_ignored(&i->signals, SIGHUP);
	i->signal_fd = signalfd(-1, &i->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	i->end_fd = eventfd(0, EFD_CLOEXEC);
	code = i->signal_fd < 0 || i->end_fd < 0 ? errno : 0;
	if (!code)
		code = pthread_sigmask(SIG_BLOCK, &i->signals, &i->old);
	if (!code)
		code = pthread_create(&i->thread, NULL, wait_for_signal, i);
	if (code) {
		close_descriptors(i);
		return err_code(e, code, "watch for signals");
	}
	i->started = 1;
	return 0;
}

void interrupt_release(struct interrupt *i)
{
	const uint64_t one = 1;

	if (!i->started)
		return;
	(void)!write(i->end_fd, &one, sizeof(one));
	pthread_join(i->thread, NULL);
	close_descriptors(i);
	if (i->caught)
		raise(i->caught);
	pthread_sigmask(SIG_SETMASK, &i->old, NULL);
	i->started = 0;
}
