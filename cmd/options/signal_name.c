/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/signal_name.h"

#include <signal.h>
#include <string.h>
#include <strings.h>

#include "runtime/base/err.h"
#include "runtime/base/num.h"

/* As signal(7) has them for x86 and ARM. */
static const char *const names[] = {
	[SIGHUP] = "HUP",   [SIGINT] = "INT",       [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
	[SIGTRAP] = "TRAP", [SIGABRT] = "ABRT",     [SIGBUS] = "BUS",   [SIGFPE] = "FPE",
	[SIGKILL] = "KILL", [SIGUSR1] = "USR1",     [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
	[SIGPIPE] = "PIPE", [SIGALRM] = "ALRM",     [SIGTERM] = "TERM", [SIGSTKFLT] = "STKFLT",
	[SIGCHLD] = "CHLD", [SIGCONT] = "CONT",     [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
	[SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGXCPU] = "XCPU",
	[SIGXFSZ] = "XFSZ", [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH",
	[SIGPOLL] = "POLL", [SIGPWR] = "PWR",       [SIGSYS] = "SYS",
};

int signal_parse(const char *text, int *ret, struct err *e)
{
	const char *name = strncasecmp(text, "SIG", 3) ? text : text + 3;
	uint64_t number = 0;

	if (num_parse_u64(text, (uint64_t)SIGRTMAX, &number) >= 0 && number) {
		*ret = (int)number;
		return 0;
	}
	for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i] && !strcasecmp(names[i], name)) {
			*ret = (int)i;
			return 0;
		}
	}
	return err_set(e, EINVAL, "no such signal (a name like TERM, or a number)");
}

const char *signal_name(int signal)
{
	return signal > 0 && (size_t)signal < sizeof(names) / sizeof(names[0]) ? names[signal]
									       : NULL;
}
