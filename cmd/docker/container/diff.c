/* SPDX-License-Identifier: Apache-2.0 */

/* docker diff: the changes that a container, running or not, has made to its image's files. */

#include <string.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/image/container_changes.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

static int print(const struct layer_changes *c)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	bool to_terminal = isatty(STDOUT_FILENO);

	for (size_t i = 0; i < c->n; i++) {
		const char *path = c->items[i].path;

		strbuf_addf(&out, "%c ", c->items[i].kind);
		/* A name is the container's choice. */
		if (to_terminal)
			strbuf_add_escaped(&out, path, strlen(path));
		else
			strbuf_addstr(&out, path);
		strbuf_addch(&out, '\n');
	}
	return cmd_print(&out);
}

static int diff_run(struct docker *d, void *args, int argc, char **argv)
{
	struct layer_changes changes = {0};
	struct err e = ERR_INIT;
	int code;

	(void)args, (void)argc;
	if (!*argv[0])
		return docker_say(DOCKER_EXIT_FAILED, "Container name cannot be empty");
	code = container_changes(&d->cmd, argv[0], &changes, &e) < 0
		       ? docker_daemon_error("%s", e.msg)
		       : print(&changes);
	layer_changes_free(&changes);
	return code;
}

const struct docker_verb docker_verb_diff = {
	.name = "diff",
	.usage = "CONTAINER",
	.min_operands = 1,
	.max_operands = 1,
	.run = diff_run,
};
