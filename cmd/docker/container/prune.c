/* SPDX-License-Identifier: Apache-2.0 */

/* docker container prune. What csbx's own verbs have made to stay (recipes) is not docker's. */

#include <stddef.h>
#include <time.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/confirm.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/human.h"
#include "cmd/docker/show/listed.h"
#include "cmd/docker/show/log_time.h"
#include "cmd/docker/frame/prune.h"
#include "cmd/docker/show/ps_filter.h"
#include "cmd/docker/show/events.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/volume/volume.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/life/container_end.h"

struct prune_args {
	bool force;
	struct strv filters;
};

static const struct opt opts[] = {
	{OPT_CALL, 0, "filter", "filter", offsetof(struct prune_args, filters),
	 .set = ps_filter_set, .help = "Provide filter values (e.g. \"until=<timestamp>\")"},
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct prune_args, force),
	 .help = "Do not prompt for confirmation"},
	{0},
};
static const struct opt_table table = {"Options", opts};

static void prune_done(void *args)
{
	strv_free(&((struct prune_args *)args)->filters);
}

static int check_filters(const struct strv *filters, struct err *e)
{
	for (size_t i = 0; i < filters->n; i++) {
		const char *f = filters->items[i];
		uint64_t at_ns;

		if (str_has_prefix(f, "until=")) {
			if (docker_log_time_parse(f + 6, &at_ns) < 0)
				return err_set(e, EINVAL, "invalid value for until: %s", f + 6);
		} else if (!str_has_prefix(f, "label=") && !str_has_prefix(f, "label!=")) {
			return err_set(e, EINVAL, "invalid filter '%.*s'", (int)strcspn(f, "="), f);
		}
	}
	return 0;
}

/* "name" or "name=value" */
static bool chosen(const struct strv *filters, const struct listed *x)
{
	if (x->is_recipe || (x->status != CONTAINER_CREATED && x->status != CONTAINER_EXITED))
		return false;
	for (size_t i = 0; i < filters->n; i++) {
		const char *f = filters->items[i];
		uint64_t at_ns;

		if (str_has_prefix(f, "label=") && !docker_has_label(&x->labels, f + 6))
			return false;
		if (str_has_prefix(f, "label!=") && docker_has_label(&x->labels, f + 7))
			return false;
		if (str_has_prefix(f, "until=") &&
		    (docker_log_time_parse(f + 6, &at_ns) < 0 || x->created_ns >= at_ns))
			return false;
	}
	return true;
}

/* 1: it is gone. One that has been started, or removed by another, meanwhile is passed over. */
static int remove_one(struct docker *d, const struct listed *x, struct err *e)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t;
	int r = docker_target_open(&d->cmd.paths, x->id, &t, &f);

	if (r < 0)
		*e = f.err;

	if (r >= 0)
		r = container_remove(&d->cmd.paths, t.found.name, &t.found.record, false, e);
	if (r >= 0)
		docker_event_target(&d->cmd.paths, &t, "destroy", NULL, NULL);
	docker_target_close(&t);
	return r == -EBUSY || r == -ENOENT ? 0 : r < 0 ? r : 1;
}

static void add_total(struct strbuf *out, uint64_t bytes)
{
	strbuf_addstr(out, out->len ? "\nTotal reclaimed space: " : "Total reclaimed space: ");
	human_size(out, bytes, 4);
	strbuf_addch(out, '\n');
}

int docker_prune_end(struct strbuf *out, uint64_t bytes, int r, const struct err *e)
{
	int code = r < 0 ? docker_daemon_error("%s", e->msg) : 0;

	if (!code || out->len)
		add_total(out, bytes);
	return cmd_print(out) ? DOCKER_EXIT_FAILED : code;
}

int docker_prune_containers(struct docker *d, const struct strv *filters, struct strbuf *out,
			    uint64_t *bytes_freed, struct err *e)
{
	_listed_ struct listed_list all = {0};
	size_t n = 0;
	int r = check_filters(filters, e);

	if (r >= 0)
		r = listed_read(&d->cmd.paths, true, &all, e);
	for (size_t i = 0; r >= 0 && i < all.n; i++) {
		const struct listed *x = &all.items[i];
		uint64_t bytes;

		if (!chosen(filters, x))
			continue;
		bytes = listed_size(&d->cmd.paths, x);
		r = remove_one(d, x, e);
		if (r > 0) {
			strbuf_addf(out, "%s%s\n", n++ ? "" : "Deleted Containers:\n", x->id);
			*bytes_freed += bytes;
		}
	}
	return r < 0 ? r : 0;
}

static int prune_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct prune_args *a = args;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	uint64_t bytes = 0;
	struct err e = ERR_INIT;
	int r;

	(void)argc, (void)argv;
	if (!a->force && !docker_confirm("WARNING! This will remove all stopped containers."))
		return 0;
	r = docker_prune_containers(d, &a->filters, &out, &bytes, &e);
	return docker_prune_end(&out, bytes, r, &e);
}

const struct docker_verb docker_verb_container_prune = {
	.name = "container prune",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct prune_args),
	.done = prune_done,
	.run = prune_run,
};
