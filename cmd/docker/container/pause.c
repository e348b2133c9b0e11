/* SPDX-License-Identifier: Apache-2.0 */

/* docker pause, unpause, rename, wait. */

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/names.h"
#include "cmd/docker/frame/target.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/life/container_end.h"
#include "runtime/record/container_store.h"
#include "runtime/life/container_wait.h"

static int set_paused(struct docker *d, struct docker_target *t, bool pause, struct err *e)
{
	int r = t->stays          ? container_pause(&d->cmd.paths, &t->found.record, pause, e)
		: t->has_instance ? instance_pause(&d->cmd.paths, &t->instance, pause, e)
				  : -ESRCH;

	if (r == -ESRCH)
		return err_set(e, ESRCH, "container %s is not running", docker_target_id(t));
	if (r == -EALREADY)
		return err_set(e, EALREADY, "container %s is %s paused", docker_target_id(t),
			       pause ? "already" : "not");
	return r;
}

static int pause_one(struct docker *d, struct docker_target *t, const char *operand, void *arg,
		     struct err *e)
{
	(void)operand;
	(void)arg;
	return set_paused(d, t, true, e);
}

/* What does not run is not paused. */
static int unpause_one(struct docker *d, struct docker_target *t, const char *operand, void *arg,
		       struct err *e)
{
	int r = set_paused(d, t, false, e);

	(void)operand;
	(void)arg;
	return r == -ESRCH ? err_set(e, ESRCH, "container %s is not paused", docker_target_id(t))
			   : r;
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

static int taken(struct docker *d, const char *name, struct err *e)
{
	struct container_found other;

	if (container_find(&d->cmd.paths, name, &other, NULL) < 0)
		return err_set(e, EEXIST,
			       "Error when allocating new name: Conflict. The container "
			       "name \"/%s\" is already in use.",
			       name);
	err_set(e, EEXIST,
		"Error when allocating new name: Conflict. The container name \"/%s\" is already "
		"in use by container \"%s\". You have to remove (or rename) that container to be "
		"able to reuse that name.",
		name, other.record.container_id ? other.record.container_id : "");
	container_record_free(&other.record);
	return -EEXIST;
}

static int rename_one(struct docker *d, const char *from, const char *to, struct err *e)
{
	struct docker_target t;
	int r = docker_target_open(d, from, &t, e);

	if (r >= 0 && !docker_name_is_valid(to))
		r = err_set(e, EINVAL,
			    "Error when allocating new name: Invalid container name (%s), only "
			    "[a-zA-Z0-9][a-zA-Z0-9_.-] are allowed",
			    to);
	to += *to == '/';
	if (r >= 0 && str_eq(t.found.name, to))
		r = err_set(e, EINVAL,
			    "Renaming a container with the same name as its current name");
	if (r >= 0) {
		r = container_store_rename(&d->cmd.paths, t.found.name, to, e);
		r = r == -EEXIST ? taken(d, to, e) : r;
	}
	docker_target_close(&t);
	return r;
}

static int rename_run(struct docker *d, void *args, int argc, char **argv)
{
	struct err e = ERR_INIT;

	(void)args;
	(void)argc;
	if (!*argv[0] || !*argv[1])
		return docker_say(DOCKER_EXIT_FAILED,
				  "Error: Neither old nor new names may be empty");
	if (rename_one(d, argv[0], argv[1], &e) >= 0)
		return 0;
	(void)docker_daemon_error("%s", e.msg);
	return docker_say(DOCKER_EXIT_FAILED, "Error: failed to rename container named %s",
			  argv[0]);
}

/* --- wait --------------------------------------------------------------------------------- */

static int wait_one(struct docker *d, const char *operand, struct strbuf *out, struct err *e)
{
	struct container_wait w = CONTAINER_WAIT_INIT;
	struct docker_target t;
	int r = docker_target_open(d, operand, &t, e);

	if (r >= 0 && !t.stays)
		r = err_set(e, EINVAL, "%s was started by csbx start: csbx wait waits for it",
			    operand);
	if (r >= 0)
		r = container_wait_begin(&d->cmd.paths, t.found.name, &t.found.record, &w, e);
	if (r >= 0)
		r = container_wait_end(&w, e);
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
		struct err e = ERR_INIT;

		if (wait_one(d, argv[i], &out, &e) < 0)
			code = docker_daemon_error("%s", e.msg);
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
