/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/record/container_find.h"
#include "runtime/life/container_state.h"
#include "runtime/record/run_dir.h"
#include "runtime/stream/run_log.h"

#define LOOK_MS 50 /* how often a log that is followed is looked at */

struct logs_args {
	bool follow, timestamps;
};

static const struct opt logs_opts[] = {
	{OPT_FLAG, 'f', "follow", .offset = offsetof(struct logs_args, follow),
	 .help = "go on until the container has ended"},
	{OPT_FLAG, 't', "timestamps", .offset = offsetof(struct logs_args, timestamps),
	 .help = "put the time of arrival before each piece of output"},
	{0},
};

static const struct opt_table logs_table = {"Options", logs_opts};

static int print_frame(const struct run_log_frame *f, bool timestamps, struct err *e)
{
	_strbuf_ struct strbuf time = STRBUF_INIT;
	int r = 0;

	if (timestamps) {
		strbuf_add_time(&time, f->time_ns);
		strbuf_addch(&time, ' ');
		r = io_write_all(f->stream, strbuf_str(&time), time.len, e);
	}
	return r < 0 ? r : io_write_all(f->stream, f->data.data, f->data.len, e);
}

/* All there is now. */
static int print_rest(struct run_log_reader *r, struct run_log_frame *f, const struct logs_args *a,
		      struct err *e)
{
	int got;

	while ((got = run_log_next(r, f, e)) > 0) {
		got = print_frame(f, a->timestamps, e);
		if (got < 0)
			break;
	}
	return got;
}

static int print_log(const struct run_dir *dir, const struct logs_args *a, struct err *e)
{
	struct run_log_reader reader;
	struct run_log_frame frame = {.data = STRBUF_INIT};
	int r = dir->fd < 0 ? 0 : run_log_open(dir->fd, &reader, e);

	if (dir->fd < 0)
		return 0;
	while (r >= 0) {
		/* Asked before the last look, so that we still read output that came in between. */
		bool live = a->follow && run_dir_is_live(dir);

		r = print_rest(&reader, &frame, a, e);
		if (!live)
			break;
		(void)poll(NULL, 0, LOOK_MS);
	}
	strbuf_free(&frame.data);
	run_log_reader_close(&reader);
	return r;
}

static int open_run(struct cmd *c, const char *operand, struct run_dir *ret,
		    struct run_state *state, struct err *e)
{
	struct container_found found;
	int r = -ENOENT;

	*ret = (struct run_dir)RUN_DIR_INIT;
	if (container_find(&c->paths, operand, &found, NULL) < 0)
		return run_dir_find(&c->paths, operand, ret, state, e);
	if (found.record.spec)
		r = container_run_dir(&c->paths, found.name, &found.record, ret, e);
	else
		r = run_dir_find(&c->paths, operand, ret, state, e);
	container_record_free(&found.record);
	return r;
}

static int logs_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct run_state state = {0};
	struct run_dir dir;
	struct err e = ERR_INIT;
	int r = open_run(c, argv[0], &dir, &state, &e);

	(void)argc;
	if (r >= 0)
		r = print_log(&dir, args, &e);
	run_state_free(&state);
	run_dir_close(&dir);
	return r < 0 ? cmd_error(&e, "logs %s", argv[0]) : CMD_EXIT_OK;
}

static const struct verb_example examples[] = {
	{"its output so far", "csbx logs box"},
	{"and its output until it ends", "csbx logs -f box"},
	{0},
};

const struct verb verb_logs = {
	.name = "logs",
	.usage = "[OPTIONS] NAME|ID",
	.description =
		"Prints what a detached container (start -d, run -d) has written, on standard "
		"output and standard error as it was. The last 16 MiB are kept, for a week after "
		"its end or until its container is removed; a name means its last start. For a "
		"container that stays (create --keep) it is the output of all its starts that were "
		"not attached to a terminal of yours.",
	.uses = (const struct opt_use[]){{&logs_table, 0}, {0}},
	.examples = examples,
	.offers = "container",
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct logs_args),
	.run = logs_run,
};
