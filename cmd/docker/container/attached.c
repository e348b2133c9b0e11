/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/container/attached.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/exec/client.h"
#include "runtime/helpers/init/abi/init_abi.h"

#define FORCED_AFTER 3 /* so many signals to end, as docker counts them */

static const int passed_on[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
				SIGUSR2, SIGALRM, SIGCONT, SIGTSTP, SIGWINCH};

static void set_raw(struct attached *a)
{
	struct termios t;

	if (tcgetattr(STDIN_FILENO, &a->saved) < 0)
		return;
	t = a->saved;
	cfmakeraw(&t);
	signal(SIGTTOU, SIG_IGN);
	a->is_raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &t) == 0;
}

int attached_begin(struct attached *a, unsigned which, bool tty, bool sig_proxy, struct err *e)
{
	sigset_t set;

	*a = (struct attached){.signal_fd = -1, .sig_proxy = sig_proxy, .tty = tty};
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++) {
		if (sig_proxy || passed_on[i] == SIGWINCH)
			sigaddset(&set, passed_on[i]);
	}
	if (sigprocmask(SIG_BLOCK, &set, &a->old) < 0)
		return err_sys(e, "block signals");
	a->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (a->signal_fd < 0)
		return err_sys(e, "signalfd");
	if (tty && (which & ATTACH_STDIN))
		set_raw(a);
	return 0;
}

static void send_size(const struct attached *a, const struct exec_link *link)
{
	struct winsize w;

	if (a->tty &&
	    (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 || ioctl(STDIN_FILENO, TIOCGWINSZ, &w) == 0))
		exec_resize(link, w.ws_row, w.ws_col);
}

static int read_signal(const struct attached *a, const struct exec_link *link, unsigned *ends)
{
	struct signalfd_siginfo si;

	if (read(a->signal_fd, &si, sizeof(si)) != sizeof(si))
		return 0;
	if (si.ssi_signo == SIGWINCH) {
		send_size(a, link);
		return 0;
	}
	exec_signal(link, (int)si.ssi_signo);
	if (si.ssi_signo != SIGINT && si.ssi_signo != SIGTERM)
		return 0;
	if (++*ends < FORCED_AFTER)
		return 0;
	return docker_say(DOCKER_EXIT_FAILED, "got %u SIGTERM/SIGINTs, forcefully exiting", *ends);
}

/* What comes on the link is of no interest but for its end. */
static bool has_ended(const struct exec_link *link)
{
	struct init_event ev;
	int none;
	ssize_t n = fd_recv(link->sock, &ev, sizeof(ev), &none, 1, NULL);

	fd_close(&none);
	return n <= 0 && n != -EAGAIN;
}

int attached_wait(struct attached *a, struct exec_link *link)
{
	unsigned ends = 0;
	int code = 0;

	send_size(a, link);
	while (!code) {
		struct pollfd p[] = {{.fd = link->sock, .events = POLLIN},
				     {.fd = a->signal_fd, .events = POLLIN}};

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
		if (p[1].revents)
			code = read_signal(a, link, &ends);
		if (p[0].revents && has_ended(link))
			break;
	}
	return code;
}

void attached_end(struct attached *a)
{
	if (a->is_raw)
		(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &a->saved);
	a->is_raw = false;
	if (a->signal_fd >= 0)
		(void)sigprocmask(SIG_SETMASK, &a->old, NULL);
	fd_close(&a->signal_fd);
}
