/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_PORT_CLAIM_H
#define CSBX_RUNTIME_PORT_CLAIM_H

/*
 * Ports of this machine that a container has to itself among the user's containers while it runs.
 * $CSBX_RUNTIME_PATH/ports is an empty file. Each port of each address is one byte of it, and a
 * claim is a lock on those bytes (F_OFD_SETLK, fcntl(2)): it ends with the supervisor that holds
 * the descriptor, however that ends, so there is nothing that could be stale. A claim of one address
 * also takes the byte of all addresses (0.0.0.0, ::), shared; a claim of all takes that one alone.
 * csbx asks the kernel that no other program has the port, by binding to it for a moment.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct paths;

enum port_protocol { PORT_TCP, PORT_UDP, PORT_SCTP };

struct port_range {
	int family;                /* AF_INET, AF_INET6 */
	unsigned char address[16]; /* in network order; all bytes zero: every address */
	enum port_protocol protocol;
	uint16_t first, last; /* 1 at least; last >= first */
};

struct port_clash {
	const struct port_range *range; /* the one that cannot be had */
	uint16_t port;
	bool is_claimed; /* the very address is another container's; else it is in use */
};

/*
 * A descriptor that holds all of them, or -EADDRINUSE and *ret_clash, -EADDRNOTAVAIL likewise:
 * no such address here. Ranges that overlap clash. A port that the caller may not bind to is
 * claimed all the same.
 */
int port_claim(const struct paths *p, const struct port_range *ranges, size_t n,
	       struct port_clash *ret_clash, struct err *e);

#endif
