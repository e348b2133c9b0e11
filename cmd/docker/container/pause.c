/* SPDX-License-Identifier: Apache-2.0 */

/* docker pause, unpause, rename, wait. */

#include "cmd/docker/container/each.h"
#include "cmd/docker/daemon/end.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/str.h"
#include "runtime/life/container_wait.h"

static int pause_one(struct docker *d, struct docker_target *t, const char *operand, void *arg,
		     struct docker_fault *f)
{
	(void)operand;
	(void)arg;
	return docker_pause(&d->cmd.paths, t, true, f);
}

static int unpause_one(struct docker *d, struct docker_target *t, const char *operand, void *arg,
		       struct docker_fault *f)
{
	(void)operand;
	(void)arg;
	return docker_pause(&d->cmd.paths, t, false, f);
}

static int pause_run(struct docker *d, void *args, int argc, char **argv)
{
	(void)args;
	return docker_each(d, argc, argv, pause_one, NULL, NULL);
}

static int unpause_run(struct docker *d, void *args, int argc, char **argv)
{
	(void)args;
	return docker_each(d, argc, argv, unpause_one, NULL, NULL);
}

/* --- rename ------------------------------------------------------------------------------- */

static int rename_run(struct docker *d, void *args, int argc, char **argv)
{
	struct docker_fault f = DOCKER_FAULT_INIT;

	(void)args;
	(void)argc;
	if (!*argv[0] || !*argv[1])
		return docker_say(DOCKER_EXIT_FAILED,
				  "Error: Neither old nor new names may be empty");
	if (docker_rename(&d->cmd.paths, argv[0], argv[1], &f) >= 0)
		return 0;
	(void)docker_daemon_error("%s", f.err.msg);
	return docker_say(DOCKER_EXIT_FAILED, "Error: failed to rename container named %s",
			  argv[0]);
}

/* --- wait --------------------------------------------------------------------------------- */

static int wait_one(struct docker *d, const char *operand, struct strbuf *out,
		    struct docker_fault *f)
{
	struct container_wait w = CONTAINER_WAIT_INIT;
	struct docker_target t;
	int r = docker_target_open(&d->cmd.paths, operand, &t, f);

	if (r >= 0 && !t.stays)
		r = docker_refuse(f, "%s was started by csbx start: csbx wait waits for it",
				  operand);
	if (r >= 0)
		r = container_wait_begin(&d->cmd.paths, t.found.name, &t.found.record, &w, &f->err);
	if (r >= 0)
		r = container_wait_end(&w, &f->err);
	if (r >= 0)
		strbuf_addf(out, "%d\n", w.state.exit_code);
	container_wait_close(&w);
	docker_target_close(&t);
	return r;
}

static int wait_run(struct docker *d, void *args, int argc, char **argv)
{
	int code = 0;

	(void)args;
	for (int i = 0; i < argc; i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;
		struct docker_fault f = DOCKER_FAULT_INIT;

		if (wait_one(d, argv[i], &out, &f) < 0)
			code = docker_daemon_error("%s", f.err.msg);
		else if (cmd_print(&out))
			code = DOCKER_EXIT_FAILED;
	}
	return code;
}

#define PLAIN_VERB(word, text, min, max, fn)                                                   \
	{                                                                                      \
		.name = (word), .usage = (text), .min_operands = (min), .max_operands = (max), \
		.run = (fn),                                                                   \
	}
#define MANY "CONTAINER [CONTAINER...]"

const struct docker_verb docker_verb_pause = PLAIN_VERB("pause", MANY, 1, CMD_MANY, pause_run);
const struct docker_verb docker_verb_unpause =
	PLAIN_VERB("unpause", MANY, 1, CMD_MANY, unpause_run);
const struct docker_verb docker_verb_rename =
	PLAIN_VERB("rename", "CONTAINER NEW_NAME", 2, 2, rename_run);
const struct docker_verb docker_verb_wait = PLAIN_VERB("wait", MANY, 1, CMD_MANY, wait_run);
