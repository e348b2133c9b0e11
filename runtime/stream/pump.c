/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/stream/pump.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/stream/audience.h"
#include "runtime/base/err.h"
#include "runtime/stream/run_log.h"

const struct pump no_pump = {.src = -1, .dst = -1};

static void close_side(int *fd, bool own)
{
	if (own && *fd >= 0)
		close(*fd);
	*fd = -1;
}

/* A process that has one run after the other makes them once. */
static char *spare_buffers[2];

/* A thousand pumps may never see a byte: none of their pages is touched until then. */
static char *take_buffer(void)
{
	char *buf;

	for (unsigned i = 0; i < sizeof(spare_buffers) / sizeof(spare_buffers[0]); i++) {
		buf = spare_buffers[i];
		spare_buffers[i] = NULL;
		if (buf)
			return buf;
	}
	buf = mmap(NULL, PUMP_BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	return buf == MAP_FAILED ? NULL : buf;
}

static void give_buffer(char *buf)
{
	for (unsigned i = 0; i < sizeof(spare_buffers) / sizeof(spare_buffers[0]); i++) {
		if (!spare_buffers[i]) {
			spare_buffers[i] = buf;
			return;
		}
	}
	(void)munmap(buf, PUMP_BUFFER_BYTES);
}

void pump_done(struct pump *p)
{
	close_side(&p->src, p->own_src);
	close_side(&p->dst, p->own_dst);
	if (p->buf)
		give_buffer(p->buf);
	*p = no_pump;
}

int pump_init(struct pump *p, int src, bool own_src, int dst, bool own_dst, struct err *e)
{
	*p = (struct pump){
		.src = src, .dst = dst, .own_src = own_src, .own_dst = own_dst, .pass = dst >= 0};
	p->buf = take_buffer();
	if (!p->buf) {
		pump_done(p);
		return err_oom(e);
	}
	return 0;
}

void pump_set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* Counts and keeps the bytes that were read, and leaves those to be passed on in the buffer. */
static void take(struct pump *p, size_t n)
{
	if (p->stop_after && p->total + n > p->stop_after) {
		n = (size_t)(p->stop_after - p->total);
		p->too_much = true;
	}
	p->total += n;
	p->off = 0;
	p->len = p->keep ? capture_add(p->keep, p->buf, n) : n;
	if (p->log)
		run_log_add(p->log, p->number, p->buf, n);
	if (p->audience)
		audience_rewind(p->audience);
	else if (!p->pass)
		p->len = 0;
}

/*
 * A terminal's end of input is a character; after an unfinished line the first one only ends that.
 */
static void add_end(struct pump *p, char last)
{
	if (!p->end_char)
		return;
	p->buf[0] = p->buf[1] = p->end_char;
	p->off = 0;
	p->len = p->total && last != '\n' ? 2 : 1;
}

static void close_dst(struct pump *p)
{
	if (!p->keep_dst)
		close_side(&p->dst, p->own_dst);
}

void pump_end_src(struct pump *p)
{
	close_side(&p->src, p->own_src);
	if (!p->len)
		close_dst(p);
}

static void fill(struct pump *p)
{
	char last = p->off ? p->buf[p->off - 1] : 0;
	size_t most = PUMP_BUFFER_BYTES - (p->keys ? DETACH_KEYS_MAX : 0), len;
	ssize_t n = read(p->src, p->buf, most);

	if (n > 0 && p->keys) {
		len = (size_t)n;
		p->is_left = detach_keys_take(p->keys, p->buf, &len);
		if (len)
			take(p, len);
	} else if (n > 0) {
		take(p, (size_t)n);
		p->is_fresh = true;
	} else if (!n || (errno != EAGAIN && errno != EINTR)) {
		/* EIO: the last slave of a pty was closed. */
		close_side(&p->src, p->own_src);
		p->len = 0;
		add_end(p, last);
		if (!p->len)
			close_dst(p);
	}
}

/*
 * After POLLOUT a pipe takes PIPE_BUF bytes without blocking, pipe(7); the caller's descriptors
 * are in blocking mode and stay so, as other processes share them.
 */
static void drain(struct pump *p)
{
	size_t most = p->own_dst ? PUMP_BUFFER_BYTES : PIPE_BUF;
	ssize_t n = write(p->dst, p->buf + p->off, p->len < most ? p->len : most);

	if (n >= 0) {
		p->off += (size_t)n;
		p->len -= (size_t)n;
	} else if (errno != EAGAIN && errno != EINTR) {
		/*
		 * The reader went away: the writer must see it as EPIPE, so its pipe is closed too,
		 * unless it is to go on without one.
		 */
		p->len = 0;
		p->pass = false;
		close_side(&p->dst, p->own_dst);
		if (!p->keep_src)
			close_side(&p->src, p->own_src);
		return;
	}
	if (!p->len && p->src < 0 && p->own_dst)
		close_dst(p);
}

unsigned pump_poll(const struct pump *p, struct pollfd *out)
{
	bool full = p->audience ? audience_is_behind(p->audience, p->len) : p->len > 0;

	if (full && p->audience)
		return audience_poll(p->audience, p->len, out);
	if (full && p->dst >= 0) {
		*out = (struct pollfd){.fd = p->dst, .events = POLLOUT};
		return 1;
	}
	if (!full && p->src >= 0) {
		*out = (struct pollfd){.fd = p->src, .events = p->paused ? 0 : POLLIN};
		return 1;
	}
	return 0;
}

void pump_handle(struct pump *p, int fd)
{
	if (fd == p->src)
		fill(p);
	else if (p->audience)
		audience_write(p->audience, fd, p->buf, p->len);
	else if (fd == p->dst)
		drain(p);
}

bool pump_is_busy(const struct pump *p)
{
	if (p->src >= 0)
		return true;
	return p->audience ? audience_is_behind(p->audience, p->len) : p->len > 0;
}
