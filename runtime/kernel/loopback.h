/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LOOPBACK_H
#define CSBX_RUNTIME_LOOPBACK_H

#include <errno.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "runtime/base/fd.h"

/*
 * Brings lo up in the calling process's network namespace; the kernel gives it its addresses then,
 * netdevice(7). Returns a socket of that namespace, or -errno. Allocates nothing.
 */
static inline int loopback_up(void)
{
	struct ifreq ifr = {.ifr_name = "lo"};
	_close_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ifr.ifr_flags = IFF_UP | IFF_RUNNING;
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &ifr) < 0)
		return -errno;
	return take_fd(&fd);
}

#endif
