/* SPDX-License-Identifier: Apache-2.0 */

/* docker logs: lines of the run's log, the last ones, of a span of time, with their times. */

#include <stddef.h>
#include <stdlib.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/log_time.h"
#include "cmd/docker/daemon/logs.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/io.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

struct logs_args {
	bool follow, timestamps, details;
	const char *tail, *since, *until;
	uint64_t since_ns, until_ns, n_tail; /* n_tail UINT64_MAX: all */
};

#define AT(member) offsetof(struct logs_args, member)

static const struct opt opts[] = {
	{OPT_FLAG, 0, "details", NULL, AT(details), .help = "Show extra details (there are none)"},
	{OPT_FLAG, 'f', "follow", NULL, AT(follow), .help = "Follow log output"},
	{OPT_STR, 0, "since", "string", AT(since),
	 .help = "Show logs since timestamp (e.g. \"2013-01-02T13:23:37Z\") or relative (\"42m\")"},
	{OPT_STR, 'n', "tail", "string", AT(tail),
	 .help = "Number of lines to show from the end of the logs (default \"all\")"},
	{OPT_FLAG, 't', "timestamps", NULL, AT(timestamps), .help = "Show timestamps"},
	{OPT_STR, 0, "until", "string", AT(until), .help = "Show logs before a timestamp"},
	{0},
};

static const struct opt_table table = {"Options", opts};

static int print_line(void *arg, uint64_t time_ns, int stream, const char *text, size_t len,
		      struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	const struct logs_args *a = arg;

	if (a->timestamps)
		docker_log_time(time_ns, &out);
	/* The place of what --log-opt labels= and env= would put before a line. */
	if (a->details)
		strbuf_addf(&out, " ");
	strbuf_add(&out, text, len);
	if (strbuf_check(&out, e) < 0)
		return -ENOMEM;
	return io_write_all(stream, strbuf_str(&out), out.len, e);
}

static int parse(struct logs_args *a, struct err *e)
{
	a->n_tail = UINT64_MAX;
	/* As docker: a word that is no number means all. */
	if (a->tail && num_parse_u64(a->tail, UINT64_MAX - 1, &a->n_tail) < 0)
		a->n_tail = UINT64_MAX;
	if (a->since && docker_log_time_parse(a->since, &a->since_ns) < 0)
		return err_set(e, EINVAL,
			       "invalid value for \"since\": failed to parse value as "
			       "time or duration: \"%s\"",
			       a->since);
	if (a->until && docker_log_time_parse(a->until, &a->until_ns) < 0)
		return err_set(e, EINVAL,
			       "invalid value for \"until\": failed to parse value as "
			       "time or duration: \"%s\"",
			       a->until);
	return 0;
}

static int logs_run(struct docker *d, void *args, int argc, char **argv)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct logs_args *a = args;
	struct docker_target t;
	struct err e = ERR_INIT;
	int r = parse(a, &e);

	(void)argc;
	if (r < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	const struct docker_logs how = {
		.follow = a->follow,
		.since_ns = a->since_ns,
		.until_ns = a->until_ns,
		.tail = a->n_tail,
		.line = print_line,
		.arg = a,
		.client_fd = -1,
	};

	r = docker_target_open(&d->cmd.paths, argv[0], &t, &f);
	if (r >= 0)
		r = docker_logs(&d->cmd.paths, &t, argv[0], &how, &f);
	docker_target_close(&t);
	return r < 0 ? docker_daemon_error("%s", f.err.msg) : 0;
}

const struct docker_verb docker_verb_logs = {
	.name = "logs",
	.usage = "[OPTIONS] CONTAINER",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct logs_args),
	.run = logs_run,
};
