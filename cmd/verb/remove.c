/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/life/container_end.h"
#include "runtime/record/container_find.h"
#include "runtime/record/container_store.h"
#include "runtime/spec/name.h"
#include "runtime/record/run_dir.h"

struct remove_args {
	bool force;
};

static const struct opt remove_opts[] = {
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct remove_args, force),
	 .help = "do not ask, and take a container that does not exist for removed"},
	{0},
};

static const struct opt_table remove_table = {"Options", remove_opts};

/* 1 yes, 0 no, or an error. The terminal gives one line. */
static int ask(const struct cmd *c, const char *name, struct err *e)
{
	_strbuf_ struct strbuf question = STRBUF_INIT;
	char answer[64];
	ssize_t n;
	int r;

	if (!isatty(STDIN_FILENO))
		return err_set(e, EPERM, "standard input is no terminal to ask on: use -f");
	strbuf_addf(&question, "Do you really want to delete %s/containers/%s? [y/N] ",
		    c->paths.data, name);
	r = strbuf_check(&question, e);
	if (r >= 0)
		r = io_write_all(STDERR_FILENO, question.data, question.len, e);
	if (r < 0)
		return r;
	do {
		n = read(STDIN_FILENO, answer, sizeof(answer));
	} while (n < 0 && errno == EINTR);
	return n > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

/*
 * Force ends a container that stays, but not the starts of a recipe. Damaged ones go as well.
 */
static int remove_found(const struct cmd *c, const char *operand, bool force, struct err *e)
{
	struct container_found found;
	int r = container_find(&c->paths, operand, &found, e);

	if (r == -EBADMSG || r == -EPROTO)
		return container_store_remove(&c->paths, operand, e);
	if (r < 0)
		return r;
	if (found.record.spec)
		r = container_remove(&c->paths, found.name, &found.record, force, e);
	else
		r = container_store_remove(&c->paths, found.name, e);
	container_record_free(&found.record);
	return r;
}

static int remove_one(const struct cmd *c, const char *name, bool force, struct err *e)
{
	struct container_found found;
	int r;

	if (!force) {
		/* Is there anything to ask about? A damaged record may be removed as well. */
		r = container_find(&c->paths, name, &found, e);
		if (r >= 0)
			container_record_free(&found.record);
		else if (r != -EBADMSG && r != -EPROTO)
			return r;
		r = ask(c, name, e);
		if (r <= 0)
			return r;
	}
	r = remove_found(c, name, force, e);
	if (r >= 0)
		r = run_dir_remove_all(&c->paths, name, e);
	return r == -ENOENT && force ? 0 : r;
}

static int remove_run(struct cmd *c, void *args, int argc, char **argv)
{
	const struct remove_args *a = args;
	int code = CMD_EXIT_OK;

	for (int i = 0; i < argc; i++) {
		struct err e = ERR_INIT;

		if (remove_one(c, argv[i], a->force, &e) < 0)
			code = cmd_error(&e, "remove %s", argv[i]);
	}
	return code;
}

static const struct verb_example examples[] = {
	{"after asking", "csbx remove py"},
	{"in a script", "csbx remove -f py old-py"},
	{0},
};

const struct verb verb_remove = {
	.name = "remove",
	.usage = "[OPTIONS] NAME...",
	.description = "Deletes containers with what their kept layers hold. Images stay, except "
		       "that a file whose only remaining link was the container's is gone with it. "
		       "A container in use is not removed; one that stays (create --keep) is "
		       "killed first with --force.",
	.uses = (const struct opt_use[]){{&remove_table, 0}, {0}},
	.examples = examples,
	.offers = "container",
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct remove_args),
	.run = remove_run,
};
