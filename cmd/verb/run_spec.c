/* SPDX-License-Identifier: Apache-2.0 */

/* `csbx run --spec`: the front end for programs. */

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/run_container.h"
#include "cmd/options/run_opts.h"
#include "cmd/verb/spec_json.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/record/container_store.h"
#include "runtime/server/image_meta.h"
#include "runtime/server/image_stack.h"
#include "runtime/server/meta_cache.h"
#include "runtime/spec/name.h"
#include "runtime/settings/policy.h"
#include "runtime/spec/spec.h"

struct run_spec_args {
	struct run_opts run;
	const char *spec;
	bool plan;
};

static const struct opt run_spec_opts[] = {
	{OPT_STR, 0, "spec", "FILE", offsetof(struct run_spec_args, spec), .offers = "file",
	 .help = "run what FILE (- for standard input) says, a container_spec in JSON"},
	{OPT_FLAG, 0, "plan", .offset = offsetof(struct run_spec_args, plan),
	 .help = "print what would be mounted, in order, and start nothing"},
	{0},
};

static const struct opt_table run_spec_table = {"Options", run_spec_opts};

static int read_text(const char *file, struct strbuf *out, struct err *e)
{
	_close_ int fd = -1;

	if (str_eq(file, "-"))
		return io_read_all_given(STDIN_FILENO, SPEC_JSON_BYTES_MAX, out, e);
	fd = path_open_input(file, O_RDONLY, NULL, e);
	return fd < 0 ? fd : io_read_all(fd, SPEC_JSON_BYTES_MAX, out, e);
}

/* Fills the members of a spec that depend on this machine: the image's identity and attributes. */
static int complete_rootfs(struct cmd *c, struct container_spec *s, struct err *e)
{
	struct rootfs_spec *root = &s->rootfs;
	enum rootfs_kind asked = root->kind;
	_strbuf_ struct strbuf record = STRBUF_INIT;
	struct image_meta meta = {0};
	struct meta_source source;
	_close_ int fd = -1;
	int r;

	if (!root->path || *root->path != '/')
		return err_set(e, EINVAL, "rootfs: path: must be an absolute path");
	fd = image_open(root->path, &root->kind, &root->id, e);
	if (fd < 0)
		return err_wrap(e, "rootfs");
	if (root->kind != asked)
		return err_set(e, EINVAL, "rootfs: kind: %s is not a %s", root->path,
			       asked == ROOTFS_SQUASHFS ? "squashfs file" : "directory");
	cmd_meta_source(c, &source);
	r = image_stack_find(fd, root, e);
	if (r >= 0)
		r = image_stack_meta(&c->paths, fd, root, &source, &record, e);
	if (r >= 0)
		r = image_meta_decode(&meta, strbuf_str(&record), record.len, e);
	if (r >= 0)
		root->has_user_xattrs = meta.has_user_xattrs;
	image_meta_free(&meta);
	return r;
}

static int complete_names(struct cmd *c, struct container_spec *s, struct err *e)
{
	struct container_record record = {0};
	const char *layer = NULL;

	if (s->name && name_check(s->name, e) < 0)
		return err_wrap(e, "name");
	if (s->rootfs.upper != UPPER_KEPT && !s->rootfs.reads_layer)
		return 0;
	if (!s->name)
		return err_set(e, EINVAL, "rootfs: upper: a kept layer needs a name");
	/* The layer of one that stays goes by its id. */
	if (container_store_open(&c->paths, s->name, &record, NULL) >= 0)
		layer = container_layer_name(s->name, &record);
	s->rootfs.layer_path = str_printf("%s/%s", c->paths.layers, layer ? layer : s->name);
	container_record_free(&record);
	return s->rootfs.layer_path ? 0 : err_oom(e);
}

static int prepare(struct cmd *c, const char *file, struct container_spec *s, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct policy policy = POLICY_INIT;
	int r = read_text(file, &text, e);

	if (r >= 0)
		r = spec_read_json(strbuf_str(&text), text.len, s, e);
	if (r >= 0)
		r = complete_rootfs(c, s, e);
	if (r >= 0)
		r = complete_names(c, s, e);
	if (r >= 0)
		r = policy_load(&policy, e);
	if (r >= 0)
		r = policy_apply(&policy, s, e);
	policy_free(&policy);
	return r < 0 ? r : spec_freeze(s, e);
}

static int run_spec_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct run_spec_args *a = args;
	struct container_spec *spec = &a->run.spec;
	struct err e = ERR_INIT;
	_free_ char *what = NULL;
	int code;

	(void)argc;
	(void)argv;
	if (!a->spec) {
		err_set(&e, EINVAL, "only with --spec");
		return cmd_error(&e, "run");
	}
	what = str_printf("run --spec %s", a->spec);
	if (!what || prepare(c, a->spec, spec, &e) < 0)
		code = cmd_error(&e, "%s", what ? what : "run");
	else if (a->plan)
		code = run_plan(spec, &c->paths, what);
	else
		code = run_with_result(c, &a->run, NULL, what);
	return code;
}

static void run_spec_init(void *args)
{
	run_opts_init(&((struct run_spec_args *)args)->run);
}

static void run_spec_done(void *args)
{
	run_opts_done(&((struct run_spec_args *)args)->run);
}

const struct verb verb_run_spec = {
	.name = "run",
	.usage = "--spec FILE",
	.description =
		"Runs the container that a JSON file describes; its format is in csbx-spec(5). A "
		"member that is missing has its default.",
	.uses = (const struct opt_use[]){{&run_spec_table, 0},
					 {&run_table_result, offsetof(struct run_spec_args, run)},
					 {0}},
	.args_bytes = sizeof(struct run_spec_args),
	.init = run_spec_init,
	.done = run_spec_done,
	.run = run_spec_run,
};
