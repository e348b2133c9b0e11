/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/interrupt.h"

#include "runtime/base/err.h"

static void *wait_for_signal(void *arg)
{
	struct interrupt *i = arg;
	int sig;

	if (!sigwait(&i->signals, &sig))
		i->caught = sig;
	return NULL;
}

/* A signal that is ignored (nohup) stays so. */
static void add_unless_ignored(sigset_t *set, int sig)
{
	struct sigaction old;

	if (!sigaction(sig, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaddset(set, sig);
}

int interrupt_catch(struct interrupt *i, struct err *e)
{
	int code;

	*i = (struct interrupt){0};
	sigemptyset(&i->signals);
	add_unless_ignored(&i->signals, SIGINT);
	add_unless_ignored(&i->signals, SIGTERM);
	add_unless_ignored(&i->signals, SIGHUP);
	code = pthread_sigmask(SIG_BLOCK, &i->signals, &i->old);
	if (!code)
		code = pthread_create(&i->thread, NULL, wait_for_signal, i);
	if (code)
		return err_code(e, code, "watch for signals");
	i->started = 1;
	return 0;
}

void interrupt_release(struct interrupt *i)
{
	if (!i->started)
		return;
	pthread_cancel(i->thread);
	pthread_join(i->thread, NULL);
	if (i->caught)
		raise(i->caught);
	pthread_sigmask(SIG_SETMASK, &i->old, NULL);
	i->started = 0;
}
