/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "cmd/docker/show/events.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/show/log_time.h"
#include "cmd/docker/show/ps_filter.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"
#include "runtime/base/str.h"

struct events_args {
	struct strv filters;
	const char *format, *since, *until;
};

#define AT(member) offsetof(struct events_args, member)

static const struct opt opts[] = {
	{OPT_CALL, 'f', "filter", "filter", AT(filters), .set = ps_filter_set,
	 .help = "Filter output based on conditions provided"},
	{OPT_STR, 0, "format", "string", AT(format),
	 .help = "Format output using a custom template"},
	{OPT_STR, 0, "since", "string", AT(since),
	 .help = "Show all events created since timestamp"},
	{OPT_STR, 0, "until", "string", AT(until), .help = "Stream events until this timestamp"},
	{0},
};
static const struct opt_table table = {"Options", opts};

static void events_done(void *args)
{
	strv_free(&((struct events_args *)args)->filters);
}

static const char *text_at(const struct json *obj, const char *key)
{
	const struct json *m = obj && json_is_object(obj) ? json_member(obj, key) : NULL;

	return m && json_text(m) ? json_text(m) : "";
}

static uint64_t time_of(const struct json *event)
{
	const struct json *m = json_member(event, "timeNano");

	return m && json_number(m) ? strtoull(json_number(m), NULL, 10) : 0;
}

/* "2026-01-02T03:04:05.678901234+01:00" */
static void add_time(struct strbuf *out, uint64_t ns)
{
	time_t s = (time_t)(ns / 1000000000u);
	char date[32] = "", zone[16] = "";
	struct tm t;

	localtime_r(&s, &t);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &t);
	strftime(zone, sizeof(zone), "%z", &t);
	strbuf_addf(out, "%s.%09llu%.3s:%s", date, (unsigned long long)(ns % 1000000000u), zone,
		    zone[0] ? zone + 3 : "");
}

static void add_line(struct strbuf *out, const struct json *event)
{
	const struct json *actor = json_member(event, "Actor");
	const struct json *attributes = actor ? json_member(actor, "Attributes") : NULL;
	bool is_first = true;

	add_time(out, time_of(event));
	strbuf_addf(out, " %s %s %s", text_at(event, "Type"), text_at(event, "Action"),
		    text_at(actor, "ID"));
	for (const struct json *i = attributes ? json_first(attributes) : NULL; i;
	     i = json_next(i)) {
		strbuf_addf(out, "%s%s=%s", is_first ? " (" : ", ", json_name(i),
			    json_text(i) ? json_text(i) : "");
		is_first = false;
	}
	strbuf_addstr(out, is_first ? "\n" : ")\n");
}

static struct docker_value *describe(const struct json *event)
{
	struct docker_value *v = docker_value_new(DOCKER_VALUE_STRUCT), *actor, *map;
	const struct json *a = json_member(event, "Actor");
	const struct json *attributes = a ? json_member(a, "Attributes") : NULL;

	if (!v)
		return NULL;
	v->type = "events.Message";
	if (json_member(event, "status")) {
		docker_value_in_go(docker_value_str(v, "status", text_at(event, "status")),
				   "Status");
		docker_value_in_go(docker_value_str(v, "id", text_at(event, "id")), "ID");
	}
	if (json_member(event, "from"))
		docker_value_in_go(docker_value_str(v, "from", text_at(event, "from")), "From");
	docker_value_str(v, "Type", text_at(event, "Type"));
	docker_value_str(v, "Action", text_at(event, "Action"));
	actor = docker_value_add(v, "Actor", DOCKER_VALUE_STRUCT);
	docker_value_str(actor, "ID", text_at(a, "ID"));
	map = docker_value_add(actor, "Attributes", DOCKER_VALUE_MAP);
	for (const struct json *i = attributes ? json_first(attributes) : NULL; i; i = json_next(i))
		docker_value_str(map, json_name(i), json_text(i));
	docker_value_in_go(docker_value_str(v, "scope", text_at(event, "scope")), "Scope");
	docker_value_in_go(docker_value_int(v, "time", (int64_t)(time_of(event) / 1000000000u)),
			   "Time");
	docker_value_in_go(docker_value_int(v, "timeNano", (int64_t)time_of(event)), "TimeNano");
	return v;
}

static int print(void *arg, const char *line, size_t len, const struct json *event)
{
	const char *format = arg;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_docker_value_ struct docker_value *v = NULL;
	struct err e = ERR_INIT;
	int r = 0;

	if (format && *format && !str_eq(format, "json")) {
		v = describe(event);
		r = format_object("", format, v, &out, &e);
		if (r)
			return docker_say(-EINVAL, "%s", e.msg);
	} else if (format && *format) {
		strbuf_addf(&out, "%.*s\n", (int)len, line);
	} else {
		add_line(&out, event);
	}
	return cmd_print(&out) == CMD_EXIT_OK ? 0 : -EPIPE;
}

static int read_time(const char *text, uint64_t *ret)
{
	return !text || !*text || docker_log_time_parse(text, ret) == 0;
}

static int events_run(struct docker *d, void *args, int argc, char **argv)
{
	struct events_args *a = args;
	struct docker_events how = {
		.filters = &a->filters, .tell = print, .client_fd = -1, .arg = (void *)a->format};
	struct docker_fault f = DOCKER_FAULT_INIT;
	int r;

	(void)argc, (void)argv;
	if (!read_time(a->since, &how.since_ns) || !read_time(a->until, &how.until_ns))
		return docker_daemon_error("failed to parse value as time or duration");
	if (docker_events_check(&a->filters, &f) < 0)
		return docker_daemon_error("%s", f.err.msg);
	r = docker_events_follow(&d->cmd.paths, &how, &f.err);
	if (r == -EINVAL)
		return FORMAT_EXIT_TEMPLATE;
	if (r == -EPIPE)
		return DOCKER_EXIT_FAILED;
	return r < 0 ? docker_daemon_error("%s", f.err.msg) : 0;
}

const struct docker_verb docker_verb_events = {
	.name = "events",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct events_args),
	.done = events_done,
	.run = events_run,
};
