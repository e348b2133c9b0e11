/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/frame/cmd.h"
#include "cmd/verb/gc_job.h"
#include "cmd/options/build_sweep.h"
#include "cmd/options/image_find.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/json/out.h"
#include "runtime/life/gc.h"

struct gc_args {
	struct gc_request request;
	bool json;
};

static const struct opt gc_opts[] = {
	{OPT_FLAG, 0, "servers", .offset = offsetof(struct gc_args, request.servers),
	 .help = "end image servers that no container uses, stopped ones as well"},
	{OPT_STR, 0, "job", "ID", offsetof(struct gc_args, request.job),
	 .help = "first end what the batch job of this id left running here; by root with "
		 "SLURM_JOB_UID set, as in an Epilog, for that user"},
	{OPT_FLAG, 'n', "dry-run", .offset = offsetof(struct gc_args, request.dry_run),
	 .help = "say what would be removed, remove nothing"},
	{OPT_FLAG, 0, "json", .offset = offsetof(struct gc_args, json), .help = "print JSON"},
	{0},
};

static const struct opt_table gc_table = {"Options", gc_opts};

static int print_json(const struct gc_report *r, bool dry_run)
{
	struct json_out j = {.pretty = true};
	struct err e = ERR_INIT;
	int code;

	json_begin_array(&j);
	for (size_t i = 0; i < r->n; i++) {
		json_begin_object(&j);
		json_kstr(&j, "kind", gc_kind_name(r->items[i].kind));
		json_kstr(&j, "path", r->items[i].path);
		json_kbool(&j, "removed", !dry_run && !r->items[i].failed);
		if (r->items[i].failed)
			json_kstr(&j, "error", r->items[i].failed);
		json_end_object(&j);
	}
	json_end_array(&j);
	if (json_finish(&j, &e) < 0) {
		code = cmd_error(&e, "gc");
	} else {
		strbuf_addch(&j.buf, '\n');
		code = cmd_print(&j.buf);
	}
	json_out_free(&j);
	return code;
}

static int print_text(const struct gc_report *r, bool dry_run)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;

	for (size_t i = 0; i < r->n; i++) {
		const struct gc_item *item = &r->items[i];

		if (item->failed)
			continue;
		strbuf_addstr(&b, dry_run ? "would remove " : "removed ");
		strbuf_addf(&b, "%s ", gc_kind_name(item->kind));
		strbuf_add_escaped(&b, item->path, strlen(item->path));
		strbuf_addch(&b, '\n');
	}
	return cmd_print(&b);
}

static int gc_run_verb(struct cmd *c, void *args, int argc, char **argv)
{
	const struct gc_args *a = args;
	struct gc_report report;
	struct err e = ERR_INIT, images = ERR_INIT, builds = ERR_INIT;
	bool is_epilog = a->request.job && gc_job_is_epilog();
	int r, code;

	(void)argc, (void)argv;
	r = is_epilog ? gc_job_epilog(c, &a->request, &report, &e)
		      : gc_run(&c->paths, &a->request, &report, &e);
	if (!is_epilog && build_cache_sweep(&c->paths, a->request.dry_run, &report, &builds) < 0 &&
	    r >= 0) {
		e = builds;
		r = -e.code;
	}
	if (!is_epilog && images_sweep(&c->paths, a->request.dry_run, &report, &images) < 0 &&
	    r >= 0) {
		e = images;
		r = -e.code;
	}
	code = a->json ? print_json(&report, a->request.dry_run)
		       : print_text(&report, a->request.dry_run);
	for (size_t i = 0; i < report.n; i++) {
		if (!report.items[i].failed)
			continue;
		cmd_warn("gc: %s: %s", report.items[i].path, report.items[i].failed);
		code = CMD_EXIT_FAILED;
	}
	gc_report_free(&report);
	return r < 0 ? cmd_error(&e, "gc") : code;
}

static const struct verb_example examples[] = {
	{"remove the remains of a killed batch job on this node", "csbx gc"},
	{"look first", "csbx gc --dry-run"},
	{"a line for slurmd's Epilog", "csbx gc --job \"$SLURM_JOB_ID\""},
	{"free the memory of idle image servers now", "csbx gc --servers"},
	{0},
};

const struct verb verb_gc = {
	.name = "gc",
	.usage = "[OPTIONS]",
	.description =
		"Removes what commands left that were killed: files of starts whose supervisor is "
		"gone, throw-away layers, half-made and half-deleted directories, sockets without an "
		"answer, cached image metadata that was not written for 30 days, and unpacked "
		"images that were not used for as long or whose image is gone. Containers, kept "
		"layers and whatever is in use stay, so it may run at any time. Prints what "
		"it removed.",
	.uses = (const struct opt_use[]){{&gc_table, 0}, {0}},
	.examples = examples,
	.max_operands = 0,
	.args_bytes = sizeof(struct gc_args),
	.run = gc_run_verb,
};
