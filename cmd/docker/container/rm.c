/* SPDX-License-Identifier: Apache-2.0 */

/* docker rm. */

#include <stddef.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/target.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/life/container_end.h"
#include "runtime/life/container_state.h"
#include "runtime/record/volume.h"

struct rm_args {
	bool force, link, volumes;
};

static const struct opt opts[] = {
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct rm_args, force),
	 .help = "Force the removal of a running container (uses SIGKILL)"},
	{OPT_FLAG, 'l', "link", NULL, offsetof(struct rm_args, link),
	 .help = "Remove the specified link"},
	{OPT_FLAG, 'v', "volumes", NULL, offsetof(struct rm_args, volumes),
	 .help = "Remove anonymous volumes associated with the container"},
	{0},
};

static const struct opt_table table = {"Options", opts};

static int busy(const struct docker *d, const struct docker_target *t, struct err *e)
{
	struct container_state state = {0};

	(void)container_state_read(&d->cmd.paths, t->found.name, &t->found.record, &state, NULL);
	if (state.status == CONTAINER_PAUSED)
		return err_set(e, EBUSY,
			       "cannot remove container \"/%s\": container is paused and must be "
			       "unpaused first",
			       t->found.name);
	return err_set(e, EBUSY,
		       "cannot remove container \"/%s\": container is running: stop the container "
		       "before removing or force remove",
		       t->found.name);
}

static int remove_one(struct docker *d, struct docker_target *t, const struct rm_args *a,
		      struct err *e)
{
	int r;

	if (!*t->found.name)
		return err_set(e, EBUSY,
			       "cannot remove container \"%s\": it is a start of an image, which "
			       "goes when it ends",
			       docker_target_id(t));
	if (a->volumes)
		volume_begin_removal_of(&d->cmd.paths, &t->found.record);
	r = container_remove(&d->cmd.paths, t->found.name, &t->found.record, a->force, e);
	if (r < 0 && a->volumes)
		volume_keep_of(&d->cmd.paths, &t->found.record);
	if (r >= 0 && a->volumes)
		r = volume_remove_of(&d->cmd.paths, &t->found.record, e);
	return r == -EBUSY && !a->force ? busy(d, t, e) : r;
}

/* One that is missing is an error; with -f it is said and does not count. */
static int rm_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct rm_args *a = args;
	int code = 0;

	if (a->link)
		return docker_say(DOCKER_EXIT_FAILED, "docker: --link: containers are not linked");
	for (int i = 0; i < argc; i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;
		struct docker_target t;
		struct err e = ERR_INIT;
		int r = docker_target_open(d, argv[i], &t, &e);
		bool missing = r == -ENOENT;

		if (r >= 0)
			r = remove_one(d, &t, a, &e);
		docker_target_close(&t);
		if (r == -ENOENT && !missing) {
			/* Another was faster. */
			err_set(&e, ENOENT, "No such container: %s", argv[i]);
			missing = true;
		}
		strbuf_addf(&out, "%s\n", argv[i]);
		if (r < 0) {
			(void)docker_daemon_error("%s", e.msg);
			code = missing && a->force ? code : DOCKER_EXIT_FAILED;
		} else if (cmd_print(&out)) {
			code = DOCKER_EXIT_FAILED;
		}
	}
	return code;
}

const struct docker_verb docker_verb_rm = {
	.name = "rm",
	.usage = "[OPTIONS] CONTAINER [CONTAINER...]",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct rm_args),
	.run = rm_run,
};
