/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rest of init's life: reap what dies, do what the supervisor asks, tell it what happened.
 * Only ppoll blocks here: an event that finds the control socket full (a stopped supervisor) waits
 * in its slot, and csbx-init takes no new request until that event is sent.
 */
#include "runtime/helpers/init/init.h"

/* One descriptor more than the largest request has: an overlong one is seen, not cut. */
#define RECV_FDS_MAX (INIT_SPAWN_FDS + INIT_MAX_KEEP_FDS + 2)

static int exit_code_of(int status)
{
	int sig = status & 0x7f;

	return sig ? 128 + sig : status >> 8 & 0xff;
}

static bool is_stop(int status)
{
	return (status & 0xff) == 0x7f;
}

static bool has_pending(const struct init *in)
{
	bool any = in->stop_pending;

	for (unsigned i = 0; i < in->n_slots && !any; i++)
		any = in->slots[i].id && in->slots[i].pending;
	return any;
}

static void send_pending(struct init *in)
{
	if (in->stop_pending && send_now(&in->stop_event))
		in->stop_pending = false;
	for (unsigned i = 0; i < in->n_slots; i++) {
		struct spawned *s = &in->slots[i];

		if (s->id && s->pending)
			loop_send(in, &s->event, s);
	}
}

static uint64_t timeval_us(const struct __kernel_old_timeval *tv)
{
	return (uint64_t)tv->tv_sec * 1000000u + (uint64_t)tv->tv_usec;
}

/* The kernel kills the rest when init is gone; the code is for a supervisor that lost the event. */
static __attribute__((noreturn)) void end(struct init_event *ev)
{
	(void)send_now(ev);
	sys_exit(exit_code_of(ev->status));
}

void child_changed(struct init *in, int pid, int status, const struct rusage *ru)
{
	bool is_main = pid == in->main_pid, stop = is_stop(status);
	struct spawned *s = is_main ? NULL : spawn_by_pid(in, pid);
	struct init_event ev = {.pid = pid};

	if (!is_main && !s) /* an orphan */
		return;
	ev.id = s ? s->id : 0;
	if (stop) {
		ev.type = is_main ? INIT_EV_STOPPED : INIT_EV_SPAWN_STOPPED;
		ev.arg = (uint32_t)status >> 8 & 0xff;
	} else {
		ev.type = is_main ? INIT_EV_EXITED : INIT_EV_SPAWN_EXITED;
		ev.status = status;
		ev.utime_us = timeval_us(&ru->ru_utime);
		ev.stime_us = timeval_us(&ru->ru_stime);
		ev.maxrss_bytes = (uint64_t)ru->ru_maxrss * 1024u;
	}
	if (is_main && !stop && !(in->flags & INIT_LANE))
		end(&ev);
	if (is_main && !stop) {
		in->main_pid = 0;
		in->lane_end = ev;
		return;
	}
	if (s && !stop)
		s->pid = 0; /* reaped: the number may be somebody else's from now on */
	loop_send(in, &ev, s);
}

static void reap(struct init *in)
{
	int main_pid = in->main_pid;
	struct signalfd_siginfo info;
	struct rusage ru;
	int pid, status;

	if (sys_read(in->signal_fd, &info, sizeof(info)) == (long)sizeof(info) &&
	    in->flags & INIT_PAYLOAD_SIGNALS)
		pid1_forward(in, &info);
	while ((pid = sys_wait4(-1, &status, WNOHANG | WUNTRACED | __WALL, &ru)) > 0)
		child_changed(in, pid, status, &ru);
	if (main_pid && !in->main_pid)
		lane_empty(in, pid);
}

/* An exec'd process that has not come to its setsid yet leads no group: then it is all there is. */
static void signal_process(int pid, uint32_t arg)
{
	int sig = (int)(arg & ~INIT_SIGNAL_GROUP);

	if (pid <= 1 || sig <= 0 || sig > SYS_NSIG)
		return;
	if (!(arg & INIT_SIGNAL_GROUP) || sys_kill(-pid, sig) == -ESRCH)
		(void)sys_kill(pid, sig);
}

static void stop_main(struct init *in, int sig)
{
	if (sig <= 0 || sig > SYS_NSIG)
		return;
	if (in->flags & INIT_PAYLOAD_SIGNALS && !pid1_hears(in, sig))
		sig = SIGKILL;
	signal_process(in->main_pid, (uint32_t)sig);
	signal_process(in->main_pid, SIGCONT);
}

static void handle(struct init *in, const struct init_request *rq, const int *fds, unsigned n_fds)
{
	struct spawned *s;

	if (rq->type == INIT_REQ_SPAWN || rq->type == INIT_REQ_AHEAD) {
		spawn_request(in, rq, fds, n_fds);
		return;
	}
	if (rq->type == INIT_REQ_WARM && n_fds == 1)
		lane_warm(in, fds[0]);
	for (unsigned i = 0; i < n_fds; i++)
		sys_close(fds[i]);
	switch (rq->type) {
	case INIT_REQ_SIGNAL:
		if (in->flags & INIT_PAYLOAD_SIGNALS)
			pid1_signal(in, (int)(rq->arg & ~INIT_SIGNAL_GROUP));
		else
			signal_process(in->main_pid, rq->arg);
		break;
	case INIT_REQ_STOP:
		stop_main(in, (int)rq->arg);
		break;
	case INIT_REQ_SIGNAL_ALL:
		if (rq->arg && rq->arg <= SYS_NSIG)
			(void)sys_kill(-1, (int)rq->arg);
		break;
	case INIT_REQ_SIGNAL_PID:
		s = spawn_by_id(in, rq->id);
		if (s)
			signal_process(s->pid, rq->arg);
		break;
	case INIT_REQ_EMPTY:
		if (in->flags & INIT_LANE && in->main_pid)
			lane_empty(in, 0);
		break;
	default:
		break;
	}
}

/* The next program of a lane has what was sent in its memory: nothing of the last one's is there. */
static void note_sent(struct init *in, size_t received)
{
	size_t old = in->sent_len, len = 0;

	if (received > sizeof(struct init_request))
		len = received - sizeof(struct init_request);
	for (size_t i = len; i < old; i++)
		in->sent[i] = 0;
	in->sent_len = len;
}

static bool may_be_sent(const struct init *in, const struct init_request *rq)
{
	return !in->sent_len ||
	       (in->flags & INIT_LANE && rq->type == INIT_REQ_SPAWN && rq->id == INIT_LANE_ID);
}

/* In the place of the first of n. */
static unsigned add_no_memfd(int *fds, unsigned n)
{
	for (unsigned i = n; i; i--)
		fds[i] = fds[i - 1];
	fds[0] = -1;
	return n + 1;
}

/* Takes one request; false when the supervisor is gone. */
static bool receive(struct init *in)
{
	struct {
		struct sys_cmsghdr head;
		int fds[RECV_FDS_MAX];
	} control;
	struct init_request rq;
	struct sys_iovec iov[2] = {{&rq, sizeof(rq)}, {in->sent, sizeof(in->sent)}};
	struct sys_msghdr h = {
		.iov = iov, .iovlen = 2, .control = &control, .controllen = sizeof(control)};
	long n = sys_recvmsg(INIT_FD_CONTROL, &h, SYS_MSG_DONTWAIT | SYS_MSG_CMSG_CLOEXEC);
	unsigned n_fds = 0;

	if (n == -EAGAIN || n == -EINTR)
		return true;
	if (n <= 0)
		return false;
	note_sent(in, (size_t)n);
	if (h.controllen >= sizeof(control.head) && control.head.level == SYS_SOL_SOCKET &&
	    control.head.type == SYS_SCM_RIGHTS)
		n_fds = (unsigned)((control.head.len - sizeof(control.head)) / sizeof(int));
	if ((size_t)n < sizeof(rq) || rq.magic != INIT_MAGIC || !may_be_sent(in, &rq) ||
	    (h.flags & (SYS_MSG_TRUNC | SYS_MSG_CTRUNC)) || n_fds == RECV_FDS_MAX)
		rq.type = 0; /* handled as unknown: its descriptors are closed */
	else if (in->sent_len)
		n_fds = add_no_memfd(control.fds, n_fds);
	handle(in, &rq, control.fds, n_fds);
	return true;
}

void loop_run(struct init *in)
{
	struct pollfd fds[2] = {{.fd = INIT_FD_CONTROL}, {.fd = in->signal_fd, .events = POLLIN}};

	for (;;) {
		bool pending = has_pending(in);

		fds[0].events = pending ? POLLOUT : POLLIN;
		if (sys_ppoll(fds, 2) < 0)
			continue;
		if (fds[1].revents)
			reap(in);
		if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			sys_exit(128 + SIGKILL);
		if (fds[0].revents & POLLOUT)
			send_pending(in);
		if ((fds[0].revents & POLLIN) && !receive(in))
			sys_exit(128 + SIGKILL);
	}
}
