/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/peer.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmd/judge/container.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/patient_fork.h"

#define STRAYS_MAX 1000u
#define STRAY_BYTES_MAX (32u << 20)

int peer_watch_open(struct peer_watch *w, struct err *e)
{
	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (w->epoll < 0 || w->timer < 0)
		return err_sys(e, "channel");
	return peer_watch_add(w, w->timer, e);
}

int peer_watch_add(const struct peer_watch *w, int fd, struct err *e)
{
	struct epoll_event ev = {.events = EPOLLIN};

	return epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? err_sys(e, "channel") : 0;
}

void peer_watch_close(struct peer_watch *w)
{
	fd_close(&w->epoll);
	fd_close(&w->timer);
}

void peer_clock_set(const struct peer_watch *w, uint64_t ms)
{
	const struct itimerspec t = {
		.it_value = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000 + 1}};

	(void)timerfd_settime(w->timer, 0, &t, NULL);
}

bool peer_clock_rang(const struct peer_watch *w)
{
	uint64_t ticks;

	return read(w->timer, &ticks, sizeof(ticks)) == sizeof(ticks);
}

int peer_pair(int pair[2], struct err *e)
{
	const struct sockaddr_un any = {.sun_family = AF_UNIX};
	int r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "channel");
	if (bind(pair[1], (const struct sockaddr *)&any, sizeof(any.sun_family)) >= 0)
		return 0;
	r = err_sys(e, "channel");
	close(pair[0]);
	close(pair[1]);
	return r;
}

int peer_open(struct peer *p, const struct peer_watch *w, int *ret_far, struct err *e)
{
	int pair[2], r;

	*p = (struct peer)PEER_INIT;
	r = peer_pair(pair, e);
	if (r < 0)
		return r;
	p->fd = pair[0];
	*ret_far = pair[1];
	return peer_watch_add(w, p->fd, e);
}

static void watch(const struct peer *p, const struct peer_watch *w, bool out)
{
	struct epoll_event ev = {.events = EPOLLIN | (out ? EPOLLOUT : 0)};

	(void)epoll_ctl(w->epoll, EPOLL_CTL_MOD, p->fd, &ev);
}

void peer_flush(struct peer *p, const struct peer_watch *w)
{
	if (!p->out.len)
		return;
	while (p->sent < p->out.len) {
		ssize_t n = send(p->fd, p->out.data + p->sent, p->out.len - p->sent,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN) {
			watch(p, w, true);
			return;
		}
		if (n < 0)
			break;
		p->sent += (size_t)n;
	}
	strbuf_reset(&p->out);
	p->sent = 0;
	watch(p, w, false);
}

void peer_send(struct peer *p, const struct peer_watch *w, char kind, uint64_t number,
	       const struct strbuf *payload)
{
	harness_frame_write(&p->out, kind, number, payload ? strbuf_str(payload) : NULL,
			    payload ? payload->len : 0);
	peer_flush(p, w);
}

bool peer_strayed(struct peer *p, const struct harness_frame *f)
{
	p->stray_bytes += f->len;
	return ++p->strays > STRAYS_MAX || p->stray_bytes > STRAY_BYTES_MAX;
}

int peer_take(struct peer *p, const struct peer_watch *w, int fd, struct err *e)
{
	*p = (struct peer)PEER_INIT;
	p->fd = fd;
	return peer_watch_add(w, fd, e);
}

void peer_unwatch(const struct peer *p, const struct peer_watch *w)
{
	(void)epoll_ctl(w->epoll, EPOLL_CTL_DEL, p->fd, NULL);
}

void peer_close(struct peer *p)
{
	fd_close(&p->fd);
	harness_buffer_free(&p->in);
	strbuf_free(&p->out);
}

uint64_t refusal_try_ms(struct refusal *r, uint64_t step_ms)
{
	uint64_t spent_ms = r->spent_ns / 1000000u;

	r->tried_ns = clock_monotonic_ns();
	return spent_ms < step_ms ? step_ms - spent_ms : 1;
}

bool refusal_may_pass(struct refusal *r, uint64_t step_ms)
{
	uint64_t now = clock_monotonic_ns(), patient_ms = PATIENT_MS;

	if (!r->since_ns)
		r->since_ns = now;
	r->spent_ns += now - r->tried_ns;
	r->is_hosts |= fork_is_refused();
	if (!r->is_hosts && step_ms < patient_ms)
		patient_ms = step_ms;
	return now - r->since_ns < patient_ms * 1000000ull;
}

/* The program had so many that it is the one that has used them up. */
static bool had_most(const struct run_result *r)
{
	struct rlimit l;

	if (r->max_pids >= REFUSAL_MANY_PIDS)
		return true;
	return getrlimit(RLIMIT_NPROC, &l) >= 0 && l.rlim_cur != RLIM_INFINITY &&
	       r->max_pids >= l.rlim_cur / 2;
}

void refusal_set_result(const struct refusal *r, struct run_result *result)
{
	if (!r->is_hosts || run_is_none(result->status))
		return;
	if (had_most(result)) {
		result->status = RUN_PIDS_LIMIT;
		result->exit_code = -1;
		return;
	}
	judge_set_sandbox_error(result);
	(void)err_set(&result->error, EAGAIN, "the machine has no process for a case: %s",
		      "the user has as many as may be");
}
