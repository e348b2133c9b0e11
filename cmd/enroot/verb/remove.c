/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/frame/verbs.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/record/container_store.h"
#include "runtime/layer/layer.h"
#include "runtime/spec/name.h"

#define BUSY_MS 5000u

struct remove_args {
	bool force;
};

static const struct opt rows[] = {
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct remove_args, force),
	 .help = "Delete without asking"},
	{0},
};

static const struct opt_table table = {"Options", rows};

/* 1: yes; 0: no. The end of the input before an answer is an error. */
static int ask(const char *dir, const char *name, struct err *e)
{
	_strbuf_ struct strbuf question = STRBUF_INIT;
	char first = 0, c;
	ssize_t n;
	int r;

	strbuf_addf(&question, "Do you really want to delete %s/%s? [y/N] ", dir, name);
	r = strbuf_check(&question, e);
	if (r >= 0)
		r = io_write_all(STDERR_FILENO, question.data, question.len, e);
	if (r < 0)
		return r;
	/* Reads one line and not a byte more: the bytes that follow may be another command's. */
	for (bool is_first = true;; is_first = false) {
		do {
			n = read(STDIN_FILENO, &c, 1);
		} while (n < 0 && errno == EINTR);
		if (n < 0)
			return err_sys(e, "read the answer");
		if (!n)
			return err_set(e, EIO, "no answer; use --force");
		if (c == '\n')
			return first == 'y' || first == 'Y';
		if (is_first)
			first = c;
	}
}

/*
 * A container that was just killed may hold its layer for a moment, and one that is synced does
 * too: callers who kill and remove need not know.
 */
static int remove_patiently(struct enroot *x, const char *name, struct err *e)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
	uint64_t end_ms = clock_monotonic_ms() + BUSY_MS;
	int r = container_store_remove_running(&x->cmd.paths, name, e);

	/* By the clock: a try itself waits for a layer that may be let go of. */
	while (r == -EBUSY && clock_monotonic_ms() < end_ms) {
		nanosleep(&pause, NULL);
		r = container_store_remove_running(&x->cmd.paths, name, e);
	}
	return r;
}

/* The layer that a bundle has kept (--keep) belongs to no container. */
static bool is_of_bundle(const struct enroot *x, const char *name)
{
	_free_ char *path = str_printf("%s/%s", x->cmd.paths.layers, name);

	return str_has_prefix(name, BUNDLE_LAYER) && path && !access(path, F_OK) &&
	       enroot_name_look(x, name) == ENROOT_NAME_FREE;
}

static int remove_layer(const struct enroot *x, const char *name, struct err *e)
{
	struct layer layer;
	int r = layer_hold(&x->cmd.paths, name, &layer, e);

	if (r < 0)
		return r;
	r = layer.dir < 0 ? -ENOENT : layer_destroy(&layer, e);
	layer_close(&layer);
	return r;
}

static int remove_one(struct enroot *x, const char *name, bool force)
{
	struct err e = ERR_INIT;
	_free_ char *containers = str_printf("%s/containers", x->cmd.paths.data);
	bool of_bundle;
	int r = -ENOENT;

	if (!name_is_valid(name))
		return enroot_error("Invalid argument: %s", name);
	if (!containers)
		return enroot_error("Out of memory");
	of_bundle = is_of_bundle(x, name);
	if (of_bundle || enroot_name_look(x, name) == ENROOT_NAME_MINE)
		r = force ? 1 : ask(of_bundle ? x->cmd.paths.layers : containers, name, &e);
	if (r > 0)
		r = of_bundle ? remove_layer(x, name, &e) : remove_patiently(x, name, &e);
	if (r >= 0)
		return 0;
	if (r == -ENOENT) /* or somebody was faster */
		return enroot_error("No such file or directory: %s/%s", containers, name);
	err_wrap(&e, "remove %s", name);
	return enroot_fail(&e);
}

static int remove_run(struct enroot *x, void *args, int argc, char **argv)
{
	const struct remove_args *a = args;
	bool force = a->force || enroot_conf_flag(&x->conf, "ENROOT_FORCE_OVERRIDE", false);
	int code = 0;

	for (int i = 0; i < argc && !code; i++)
		code = remove_one(x, argv[i], force);
	return code;
}

const struct enroot_verb enroot_verb_remove = {
	.name = "remove",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct remove_args),
	.run = remove_run,
};
