/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/child/child.h"
#include "runtime/kernel/loopback.h"
#include "runtime/spec/plan.h"

int net_loopback(struct child *c, const struct op *op, struct err *e)
{
	_close_ int fd = c->has_net ? -1 : loopback_up();

	(void)op;
	return c->has_net || fd >= 0 ? 0 : err_code(e, -fd, "loopback");
}

int net_hostname(struct child *c, const struct op *op, struct err *e)
{
	(void)c;
	if (sethostname(op->src, strlen(op->src)) < 0)
		return err_sys(e, "hostname %s", op->src);
	return 0;
}
