/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/container/each.h"

#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "runtime/base/str.h"

static int one(struct docker *d, const char *operand, docker_each_fn *fn, void *arg,
	       const char *missing)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t;
	int r = docker_target_open(&d->cmd.paths, operand, &t, &f);

	if (r >= 0) {
		r = fn(d, &t, operand, arg, &f);
		if (r < 0 && f.err.origin == ERR_NO_CONTAINER) /* another was faster */
			docker_target_missing(operand, &f);
	} else if (missing) {
		err_wrap(&f.err, "%s: %s", missing, operand);
	}
	docker_target_close(&t);
	if (r < 0)
		return docker_daemon_error("%s", f.err.msg);
	strbuf_addf(&out, "%s\n", operand);
	return cmd_print(&out);
}

int docker_each(struct docker *d, int argc, char **argv, docker_each_fn *fn, void *arg,
		const char *missing)
{
	int code = 0;

	for (int i = 0; i < argc; i++)
		code = one(d, argv[i], fn, arg, missing) ? DOCKER_EXIT_FAILED : code;
	return code;
}
