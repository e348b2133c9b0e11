/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A script that says itself which image it is for: `#! /usr/bin/enroot batch` in its first line and
 * `#ENROOT_ROOTFS=NAME|IMAGE` below. The rest is as with start --conf.
 */

#include <stdlib.h>

#include "cmd/enroot/conf/script.h"
#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/start/args.h"
#include "cmd/enroot/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/* The last directive counts. Looked for by itself: a variable of that name is not meant. */
static int find_rootfs(struct enroot *x, const char *path, char **ret, struct err *e)
{
	struct conf_script script = CONF_SCRIPT_INIT;
	const struct enroot_setting *s;
	int r = enroot_script_read(x, path, &script, e);

	s = r < 0 ? NULL : enroot_conf_find(&x->conf, "ENROOT_ROOTFS");
	if (r >= 0 && (!s || !*s->value || !str_eq(s->place, script.path)))
		r = err_set(e, EINVAL, "Missing directive ENROOT_ROOTFS: %s", path);
	if (r >= 0) {
		*ret = strdup(s->value);
		r = *ret ? 0 : err_oom(e);
	}
	conf_script_free(&script);
	return r;
}

static int batch_run(struct enroot *x, void *args, int argc, char **argv)
{
	struct enroot_start_args *a = args;
	_free_ char *rootfs = NULL;
	struct err e = ERR_INIT;
	int code;

	a->conf = argv[0];
	if (find_rootfs(x, argv[0], &rootfs, &e) < 0)
		return enroot_fail(&e);
	argv[0] = rootfs;
	code = enroot_start(x, a, argc, argv);
	argv[0] = NULL;
	return code;
}

const struct enroot_verb enroot_verb_batch = {
	.name = "batch",
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct enroot_start_args),
	.done = enroot_start_done,
	.run = batch_run,
};
