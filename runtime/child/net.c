/* SPDX-License-Identifier: Apache-2.0 */
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/child/child.h"
#include "runtime/spec/plan.h"

/* netdevice(7): the kernel gives lo its addresses when it comes up. */
int net_loopback(struct child *c, const struct op *op, struct err *e)
{
	struct ifreq ifr = {.ifr_name = "lo"};
	_close_ int fd = -1;

	(void)op;
	if (c->has_net)
		return 0;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_sys(e, "loopback: socket");
	ifr.ifr_flags = IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &ifr) < 0)
		return err_sys(e, "loopback");
	return 0;
}

int net_hostname(struct child *c, const struct op *op, struct err *e)
{
	(void)c;
	if (sethostname(op->src, strlen(op->src)) < 0)
		return err_sys(e, "hostname %s", op->src);
	return 0;
}
