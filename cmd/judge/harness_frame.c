/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/harness_frame.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/err.h"

#define READ_BYTES 65536u

static uint64_t get_number(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

static void take_descriptors(const struct cmsghdr *c, int *got)
{
	size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

	for (size_t i = 0; i < n; i++) {
		int fd;

		memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
		if (*got >= 0)
			close(fd);
		else
			*got = fd;
	}
}

/* As recv(2); a descriptor that comes along goes to `got`, and others with it are closed. */
static ssize_t receive(int fd, void *data, size_t len, int *got)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = {data, len};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
	struct cmsghdr *c;
	ssize_t n;

	if (!got)
		return recv(fd, data, len, MSG_DONTWAIT);
	m.msg_control = &control;
	m.msg_controllen = sizeof(control);
	n = recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	c = n < 0 ? NULL : CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		take_descriptors(c, got);
	return n;
}

int harness_frame_fill_with(struct harness_buffer *b, int fd, int *got, struct err *e)
{
	ssize_t n;

	if (b->used) {
		memmove(b->data.data, b->data.data + b->used, b->data.len - b->used);
		b->data.len -= b->used;
		b->used = 0;
	}
	if (!strbuf_reserve(&b->data, READ_BYTES))
		return err_oom(e);
	n = receive(fd, b->data.data + b->data.len, READ_BYTES, got);
	/* The peer has left bytes unread. All that it said has been read by then. */
	if (n < 0 && errno == ECONNRESET)
		return 0;
	if (n < 0)
		return errno == EINTR ? -EAGAIN : err_sys(e, "channel");
	b->data.len += (size_t)n;
	return n > 0;
}

int harness_frame_fill(struct harness_buffer *b, int fd, struct err *e)
{
	return harness_frame_fill_with(b, fd, NULL, e);
}

int harness_frame_next(struct harness_buffer *b, struct harness_frame *ret, struct err *e)
{
	const unsigned char *p = (const unsigned char *)strbuf_str(&b->data) + b->used;
	size_t left = b->data.len - b->used, len;

	if (left < FRAME_HEAD_BYTES)
		return 0;
	len = get_number(p + 4, 4);
	if (p[1] || p[2] || p[3] || len > FRAME_PAYLOAD_MAX)
		return err_set(e, EBADMSG, "malformed frame");
	if (left - FRAME_HEAD_BYTES < len)
		return 0;
	*ret = (struct harness_frame){.kind = (char)p[0],
				      .number = get_number(p + 8, 8),
				      .payload = (const char *)p + FRAME_HEAD_BYTES,
				      .len = len};
	b->used += FRAME_HEAD_BYTES + len;
	return 1;
}

void harness_buffer_free(struct harness_buffer *b)
{
	strbuf_free(&b->data);
	b->used = 0;
}

void harness_frame_write(struct strbuf *out, char kind, uint64_t number, const void *payload,
			 size_t len)
{
	unsigned char head[FRAME_HEAD_BYTES] = {(unsigned char)kind};

	for (unsigned i = 0; i < 4; i++)
		head[4 + i] = (unsigned char)(len >> (8 * i));
	for (unsigned i = 0; i < 8; i++)
		head[8 + i] = (unsigned char)(number >> (8 * i));
	strbuf_add(out, head, sizeof(head));
	strbuf_add(out, payload, len);
}
