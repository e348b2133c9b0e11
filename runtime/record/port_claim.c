/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/port_claim.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/settings/paths.h"

/* A byte's place: family 1 bit, address 43, protocol 2, port 16. */
#define PORT_BITS 16
#define ADDRESS_SHIFT (PORT_BITS + 2)
#define ADDRESS_MASK ((UINT64_C(1) << 43) - 1)
#define INET6_BIT (UINT64_C(1) << 61)

static const unsigned char any[16];

static bool is_any(const struct port_range *r)
{
	return !memcmp(r->address, any, sizeof(any));
}

/*
 * An address of IPv6 has more bits than a place has: a hash (FNV-1a) stands for it. Two of 2^43 that
 * are taken for one cost a refusal, never a port that two containers have.
 */
static uint64_t place_of(const struct port_range *r)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	uint32_t address;

	if (r->family == AF_INET) {
		memcpy(&address, r->address, sizeof(address));
		return (uint64_t)ntohl(address) << ADDRESS_SHIFT;
	}
	if (is_any(r))
		return INET6_BIT;
	for (size_t i = 0; i < sizeof(r->address); i++)
		hash = (hash ^ r->address[i]) * UINT64_C(1099511628211);
	hash &= ADDRESS_MASK;
	return INET6_BIT | (hash ? hash : 1) << ADDRESS_SHIFT;
}

static uint64_t place_of_any(const struct port_range *r)
{
	return r->family == AF_INET6 ? INET6_BIT : 0;
}

static struct flock lock_of(const struct port_range *r, uint64_t place, short type)
{
	return (struct flock){
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(place | (uint64_t)r->protocol << PORT_BITS | r->first),
		.l_len = r->last - r->first + 1,
	};
}

/* The lowest port of the range that others have; tells if one of them has the place to itself. */
static void find_taken(int fd, const struct port_range *r, uint64_t place, short type,
		       struct port_clash *ret)
{
	struct port_range one = *r;

	for (unsigned port = r->first; port <= r->last; port++) {
		struct flock l;

		one.first = one.last = (uint16_t)port;
		l = lock_of(&one, place, type);
		if (fcntl(fd, F_OFD_GETLK, &l) < 0 || l.l_type == F_UNLCK)
			continue;
		*ret = (struct port_clash){r, (uint16_t)port,
					   place == place_of(r) && l.l_type == F_WRLCK};
		return;
	}
	*ret = (struct port_clash){r, r->last, false}; /* it has been let go meanwhile */
}

static int take(int fd, const struct port_range *r, uint64_t place, short type,
		struct port_clash *ret, struct err *e)
{
	struct flock l = lock_of(r, place, type);

	if (!fcntl(fd, F_OFD_SETLK, &l))
		return 0;
	if (errno != EAGAIN && errno != EACCES)
		return err_sys(e, "claim port %u", r->first);
	find_taken(fd, r, place, type, ret);
	return err_set(e, EADDRINUSE, "port %u is another container's", ret->port);
}

static int take_range(int fd, const struct port_range *r, struct port_clash *ret, struct err *e)
{
	int got = is_any(r) ? 0 : take(fd, r, place_of_any(r), F_RDLCK, ret, e);

	return got < 0 ? got : take(fd, r, place_of(r), F_WRLCK, ret, e);
}

/* Locks of one descriptor do not keep each other out. */
static int check_overlaps(const struct port_range *ranges, size_t n, struct port_clash *ret,
			  struct err *e)
{
	for (size_t i = 1; i < n; i++) {
		const struct port_range *a = &ranges[i];

		for (size_t k = 0; k < i; k++) {
			const struct port_range *b = &ranges[k];
			bool is_same = !memcmp(a->address, b->address, sizeof(a->address));

			if (a->family != b->family || a->protocol != b->protocol ||
			    a->first > b->last || b->first > a->last ||
			    (!is_same && !is_any(a) && !is_any(b)))
				continue;
			*ret = (struct port_clash){is_any(b) ? b : a,
						   a->first > b->first ? a->first : b->first,
						   is_same};
			return err_set(e, EADDRINUSE, "port %u is asked for twice", ret->port);
		}
	}
	return 0;
}

static int bind_to(int fd, const struct port_range *r, uint16_t port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	const int on = 1;

	memcpy(&v4.sin_addr, r->address, sizeof(v4.sin_addr));
	memcpy(&v6.sin6_addr, r->address, sizeof(v6.sin6_addr));
	/* Data on its way out of a connection that ended blocks no new claim (socket(7)). */
	if (r->protocol == PORT_TCP)
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (r->family == AF_INET)
		return bind(fd, (struct sockaddr *)&v4, sizeof(v4));
	(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	return bind(fd, (struct sockaddr *)&v6, sizeof(v6));
}

static int check_free(const struct port_range *r, struct port_clash *ret, struct err *e)
{
	int type = (r->protocol == PORT_TCP ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC;

	for (unsigned port = r->first; port <= r->last && r->protocol != PORT_SCTP; port++) {
		_close_ int fd = socket(r->family, type, 0);

		/* A machine without IPv6 has nothing that could be in the way. */
		if (fd < 0)
			return errno == EAFNOSUPPORT ? 0 : err_sys(e, "socket");
		if (!bind_to(fd, r, (uint16_t)port))
			continue;
		if (errno == EADDRNOTAVAIL && r->family == AF_INET6 && is_any(r))
			return 0;
		if (errno == EADDRINUSE || errno == EADDRNOTAVAIL) {
			*ret = (struct port_clash){r, (uint16_t)port, false};
			return err_sys(e, "port %u", port);
		}
	}
	return 0;
}

int port_claim(const struct paths *p, const struct port_range *ranges, size_t n,
	       struct port_clash *ret_clash, struct err *e)
{
	_close_ int dir = paths_open(p->runtime, NULL, e), fd = -1;
	int r = dir < 0 ? dir : check_overlaps(ranges, n, ret_clash, e);

	if (r < 0)
		return r;
	fd = openat(dir, "ports", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "open %s/ports", p->runtime);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = take_range(fd, &ranges[i], ret_clash, e);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = check_free(&ranges[i], ret_clash, e);
	return r < 0 ? r : take_fd(&fd);
}
