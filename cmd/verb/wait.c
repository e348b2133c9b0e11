/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/frame/cmd.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/record/container_find.h"
#include "runtime/life/container_wait.h"
#include "runtime/record/run_dir.h"

static int wait_one(struct cmd *c, const char *operand, struct strbuf *out, struct err *e)
{
	struct run_state state = {0};
	struct run_dir dir;
	int r = run_dir_find(&c->paths, operand, &dir, &state, e);

	if (r < 0)
		return r;
	run_state_free(&state);
	r = run_dir_wait(&dir, e);
	if (r >= 0)
		r = run_dir_last_state(&dir, &state, e);
	if (r >= 0 && !state.ended_ns)
		r = err_set(e, EIO, "its supervisor was killed");
	if (r >= 0)
		strbuf_addf(out, "%d\n", state.exit_code);
	run_state_free(&state);
	run_dir_close(&dir);
	return r;
}

static int wait_operand(struct cmd *c, const char *operand, struct strbuf *out, struct err *e)
{
	struct container_wait w = CONTAINER_WAIT_INIT;
	struct container_found found;
	int r;

	if (container_find(&c->paths, operand, &found, NULL) < 0)
		return wait_one(c, operand, out, e);
	if (!found.record.spec) {
		container_record_free(&found.record);
		return wait_one(c, operand, out, e);
	}
	r = container_wait_begin(&c->paths, found.name, &found.record, &w, e);
	if (r >= 0)
		r = container_wait_end(&w, e);
	if (r >= 0)
		strbuf_addf(out, "%d\n", w.state.exit_code);
	container_wait_close(&w);
	container_record_free(&found.record);
	return r;
}

static int wait_run(struct cmd *c, void *args, int argc, char **argv)
{
	int code = CMD_EXIT_OK;

	(void)args;
	for (int i = 0; i < argc; i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;
		struct err e = ERR_INIT;

		if (wait_operand(c, argv[i], &out, &e) < 0)
			code = cmd_error(&e, "wait %s", argv[i]);
		else if (cmd_print(&out))
			return CMD_EXIT_FAILED;
	}
	return code;
}

static const struct verb_example examples[] = {
	{"start something and ask for its exit code later",
	 "csbx wait $(csbx start -d py sleep 1)"},
	{0},
};

const struct verb verb_wait = {
	.name = "wait",
	.usage = "NAME|ID...",
	.description =
		"Waits for the end of detached containers and prints the exit code of each on a "
		"line, as start would have returned it: the command's own, 128+N when signal N "
		"ended it, 124 when --timeout did. One that has ended before is told at once, for "
		"a week or until its container is removed; a name means its last start. A "
		"container that stays (create --keep) tells its last end as long as it is there.",
	.examples = examples,
	.offers = "container",
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.run = wait_run,
};
