/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/image/delete.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/show/listed.h"
#include "cmd/options/image_find.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct rmi_args {
	bool force, no_prune;
};

static const struct opt rmi_opts[] = {
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct rmi_args, force),
	 .help = "Force removal of the image"},
	{OPT_FLAG, 0, "no-prune", NULL, offsetof(struct rmi_args, no_prune),
	 .help = "Do not delete untagged parents"},
	{0},
};
static const struct opt_table rmi_table = {"Options", rmi_opts};

/* Messages are gathered and come last, as docker's client has it. */
static int remove_all(const struct image_delete *how, int argc, char **argv, struct strbuf *errors,
		      bool *ret_fatal)
{
	int code = 0;

	for (int i = 0; i < argc; i++) {
		_strv_ struct strv lines = STRV_INIT;
		_strbuf_ struct strbuf out = STRBUF_INIT;
		struct err e = ERR_INIT;
		int r = image_delete(how, argv[i], &lines, &e);

		for (size_t k = 0; k < lines.n; k++)
			strbuf_addf(&out, "%s\n", lines.items[k]);
		if (out.len && cmd_print(&out) != CMD_EXIT_OK)
			code = DOCKER_EXIT_FAILED;
		if (r >= 0)
			continue;
		*ret_fatal |= r != -ENOENT;
		strbuf_addf(errors, "%sError response from daemon: %s", errors->len ? "\n" : "",
			    e.msg);
	}
	return code;
}

static int rmi_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct rmi_args *a = args;
	_close_ int dirfd = -1;
	_listed_ struct listed_list containers = {0};
	_strbuf_ struct strbuf errors = STRBUF_INIT;
	struct image_delete how = {
		.paths = &d->cmd.paths, .containers = &containers, .force = a->force};
	struct err e = ERR_INIT;
	bool fatal = false;
	int code;

	dirfd = how.dirfd = images_open(&d->cmd.paths, &e);
	if (dirfd < 0 || listed_read(&d->cmd.paths, true, &containers, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	code = remove_all(&how, argc, argv, &errors, &fatal);
	if (!errors.len)
		return code;
	docker_say(0, "%s", strbuf_str(&errors));
	return a->force && !fatal ? code : DOCKER_EXIT_FAILED;
}

const struct docker_verb docker_verb_rmi = {
	.name = "rmi",
	.usage = "[OPTIONS] IMAGE [IMAGE...]",
	.uses = (const struct opt_use[]){{&rmi_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct rmi_args),
	.run = rmi_run,
};
