/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signal semantics of a pid 1 for the main process, which is not one (INIT_PAYLOAD_SIGNALS).
 * To a pid 1 the kernel delivers only what it has a handler for or has blocked, signal(7); all
 * else vanishes, so that a stray SIGTERM ends no container. A signal that is sent to pid 1 from
 * inside reaches init, which blocks all signals then, reads them, and passes on those that the main
 * process would have got. A stop that it would not have heard kills it at once instead of after a
 * time.
 */
#include "runtime/helpers/init/init.h"

#define LINE_MAX_ 32u

struct masks {
	uint64_t blocked, caught;
};

/* "SigBlk:\t0000000000000000" in line; others are passed over. */
static void take_line(struct masks *m, const char *line, unsigned len)
{
	uint64_t v = 0, *to;

	if (len < 24 || line[0] != 'S' || line[1] != 'i' || line[2] != 'g' || line[6] != ':')
		return;
	if (line[3] == 'B' && line[4] == 'l' && line[5] == 'k')
		to = &m->blocked;
	else if (line[3] == 'C' && line[4] == 'g' && line[5] == 't')
		to = &m->caught;
	else
		return;
	for (unsigned i = 8; i < 24; i++) {
		char c = line[i];

		v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	*to = v;
}

/* proc(5), PID/status. Its lines may be long (groups): only the beginning of each is kept. */
static int read_masks(int pid, struct masks *ret)
{
	char path[PROC_NAME_BYTES], buf[512] NOT_ZEROED, line[LINE_MAX_] NOT_ZEROED;
	unsigned len = 0;
	int fd;
	long n;

	proc_name(path, pid, "status");
	fd = sys_openat(INIT_FD_PROC, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fd;
	*ret = (struct masks){0};
	while ((n = sys_read(fd, buf, sizeof(buf))) > 0) {
		for (long i = 0; i < n; i++) {
			if (buf[i] == '\n') {
				take_line(ret, line, len);
				len = 0;
			} else if (len < LINE_MAX_) {
				line[len++] = buf[i];
			}
		}
	}
	sys_close(fd);
	return (int)n;
}

bool pid1_hears(const struct init *in, int sig)
{
	struct masks m;

	if (sig == SIGKILL || sig == SIGSTOP || sig == SIGCONT)
		return true;
	if (read_masks(in->main_pid, &m) < 0)
		return true;
	return (m.blocked | m.caught) >> (sig - 1) & 1;
}

void pid1_signal(const struct init *in, int sig)
{
	if (sig > 0 && sig <= SYS_NSIG && pid1_hears(in, sig))
		(void)sys_kill(in->main_pid, sig);
}

void pid1_forward(const struct init *in, const struct signalfd_siginfo *info)
{
	/* Sent by a process; signals of the kernel (SIGPIPE, ...) are init's own affair. */
	if (info->ssi_code <= 0 && info->ssi_signo != SIGCHLD)
		pid1_signal(in, (int)info->ssi_signo);
}
