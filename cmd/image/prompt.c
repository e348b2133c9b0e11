/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/prompt.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <termios.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define SECRET_MAX (64u << 10)

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};

/* A password with a byte that ends lines could not be sent, and is a slip of a pipe. */
static int check_secret(const char *s, struct err *e)
{
	if (!*s)
		return err_set(e, EINVAL, "empty");
	if (strpbrk(s, "\r\n"))
		return err_set(e, EINVAL, "more than one line");
	return 0;
}

int prompt_stdin(char **ret, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = io_read_all_given(STDIN_FILENO, SECRET_MAX, &text, e);

	if (r < 0)
		return r;
	if (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = 0;
	if (text.len && text.data[text.len - 1] == '\r')
		text.data[--text.len] = 0;
	if (strlen(strbuf_str(&text)) != text.len)
		return err_set(e, EINVAL, "has a zero byte");
	r = check_secret(strbuf_str(&text), e);
	if (r < 0)
		return r;
	*ret = strbuf_take(&text);
	return *ret ? 0 : err_oom(e);
}

/* Waits for a line or a signal; -ECANCELED and the signal, which is the caller's to pass on. */
static int wait_for_line(int tty, int signals, int *ret_signal, struct err *e)
{
	struct pollfd fds[] = {{.fd = tty, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	struct signalfd_siginfo info;

	while (poll(fds, 2, -1) < 0) {
		if (errno != EINTR)
			return err_sys(e, "terminal");
	}
	if (!fds[1].revents || read(signals, &info, sizeof(info)) != sizeof(info))
		return 0;
	*ret_signal = (int)info.ssi_signo;
	return err_set(e, ECANCELED, "interrupted");
}

static int read_line(int tty, int signals, struct strbuf *out, int *ret_signal, struct err *e)
{
	char buf[1024];

	for (;;) {
		int r = wait_for_line(tty, signals, ret_signal, e);
		ssize_t n = r < 0 ? 0 : read(tty, buf, sizeof(buf));

		if (r < 0)
			return r;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "terminal");
		if (out->len + (size_t)n > SECRET_MAX)
			return err_set(e, EINVAL, "too long");
		/* A terminal hands over one line at a time. */
		strbuf_add(out, buf, (size_t)n);
		explicit_bzero(buf, sizeof(buf));
		if (!n || out->data[out->len - 1] == '\n')
			break;
	}
	if (out->len && out->data[out->len - 1] == '\n')
		out->data[--out->len] = 0;
	return strbuf_check(out, e);
}

/* A signal that ends or stops us must not leave a terminal that does not echo. */
static int read_guarded(int tty, const char *question, bool secret, struct strbuf *out,
			struct err *e)
{
	struct termios before, silent;
	_close_ int signals = -1;
	sigset_t set, old;
	int r, sig = 0;

	if (tcgetattr(tty, &before) < 0)
		return err_sys(e, "terminal");
	silent = before;
	silent.c_lflag &= ~(tcflag_t)ECHO;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		sigaddset(&set, caught[i]);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (signals < 0)
		return err_sys(e, "signals");
	sigprocmask(SIG_BLOCK, &set, &old);
	/* Asked after the echo is off: a user who types fast would see the typed text. */
	r = secret && tcsetattr(tty, TCSAFLUSH, &silent) < 0 ? err_sys(e, "terminal") : 0;
	if (r >= 0)
		r = io_write_all(tty, question, strlen(question), e);
	if (r >= 0)
		r = read_line(tty, signals, out, &sig, e);
	if (secret) {
		tcsetattr(tty, TCSAFLUSH, &before);
		io_write_all(tty, "\n", 1, NULL);
	}
	if (sig)
		raise(sig);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return r;
}

int prompt_line(const char *question, bool secret, char **ret, struct err *e)
{
	_strbuf_ struct strbuf line = STRBUF_INIT;
	_close_ int tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	int r;

	if (tty < 0)
		return err_set(e, ENXIO, "there is no terminal to ask on");
	r = read_guarded(tty, question, secret, &line, e);
	if (r >= 0)
		r = check_secret(strbuf_str(&line), e);
	if (r < 0)
		return r;
	*ret = strbuf_take(&line);
	return *ret ? 0 : err_oom(e);
}
