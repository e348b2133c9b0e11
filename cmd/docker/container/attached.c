/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/container/attached.h"

#include <fcntl.h>
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

	*a = (struct attached)ATTACHED_INIT;
	a->sig_proxy = sig_proxy;
	a->tty = tty;
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

bool attached_size(unsigned *rows, unsigned *columns)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 && ioctl(STDIN_FILENO, TIOCGWINSZ, &w) < 0)
		return false;
	*rows = w.ws_row;
	*columns = w.ws_col;
	return true;
}

static void send_size(const struct attached *a, const struct exec_link *link)
{
	unsigned rows, columns;

	if (a->tty && attached_size(&rows, &columns))
		exec_resize(link, rows, columns);
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

/* Data on the link is of no interest, only its end. */
static bool has_ended(const struct exec_link *link)
{
	struct init_event ev;
	int none;
	ssize_t n = fd_recv(link->sock, &ev, sizeof(ev), &none, 1, NULL);

	fd_close(&none);
	return n <= 0 && n != -EAGAIN;
}

int attached_take_input(struct attached *a, const char *keys, int *ret_fd, struct err *e)
{
	int ends[2], r = detach_keys_parse(keys, &a->keys);

	if (r < 0)
		return err_set(e, EINVAL, "Invalid detach keys (%s) provided", keys);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	*ret_fd = ends[0];
	a->input_fd = ends[1];
	(void)fcntl(a->input_fd, F_SETFL, O_NONBLOCK);
	a->typed_fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	return a->typed_fd < 0 ? err_sys(e, "standard input") : 0;
}

static void read_typed(struct attached *a)
{
	ssize_t n = read(a->typed_fd, a->buf, sizeof(a->buf) - DETACH_KEYS_MAX);
	size_t len = n > 0 ? (size_t)n : 0;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		fd_close(&a->typed_fd);
		fd_close(&a->input_fd);
		return;
	}
	a->is_left = detach_keys_take(&a->keys, a->buf, &len);
	a->at = 0;
	a->end = len;
}

static void write_input(struct attached *a)
{
	ssize_t n = write(a->input_fd, a->buf + a->at, a->end - a->at);

	if (n > 0)
		a->at += (size_t)n;
	/* The container reads no more: we look at keystrokes for the detach keys alone. */
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		fd_close(&a->input_fd);
	if (a->at == a->end || a->input_fd < 0)
		a->at = a->end = 0;
}

enum { ON_LINK, ON_SIGNAL, ON_TYPED, ON_INPUT, ON_MAX };

int attached_wait(struct attached *a, struct exec_link *link)
{
	unsigned ends = 0;
	int code = 0;

	send_size(a, link);
	while (!code && !a->is_left) {
		struct pollfd p[ON_MAX] = {
			[ON_LINK] = {.fd = link->sock, .events = POLLIN},
			[ON_SIGNAL] = {.fd = a->signal_fd, .events = POLLIN},
			[ON_TYPED] = {.fd = a->end ? -1 : a->typed_fd, .events = POLLIN},
			[ON_INPUT] = {.fd = a->end ? a->input_fd : -1, .events = POLLOUT},
		};

		if (poll(p, ON_MAX, -1) < 0 && errno != EINTR)
			break;
		if (p[ON_SIGNAL].revents)
			code = read_signal(a, link, &ends);
		if (p[ON_LINK].revents && has_ended(link))
			break;
		if (p[ON_TYPED].revents)
			read_typed(a);
		if (p[ON_INPUT].revents)
			write_input(a);
	}
	/* First the link: the end of the input is not the container's to see. */
	if (a->is_left)
		exec_close(link);
	fd_close(&a->input_fd);
	fd_close(&a->typed_fd);
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
	fd_close(&a->input_fd);
	fd_close(&a->typed_fd);
}
