/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/keep.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/resolve.h"
#include "cmd/options/run_container.h"
#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/layer/layer.h"
#include "runtime/record/container_find.h"
#include "runtime/life/container_start.h"
#include "runtime/record/container_store.h"
#include "runtime/server/meta_cache.h"
#include "runtime/spec/name.h"
#include "runtime/record/owner.h"
#include "runtime/spec/result.h"

static const struct opt keep_opts[] = {
	{OPT_FLAG, 0, "keep", .offset = offsetof(struct keep_opts, keep),
	 .help = "the container stays: it has the options and the command given here, keeps what "
		 "it writes, and csbx start runs it again until it is removed"},
	{OPT_FLAG, 0, "rm", .offset = offsetof(struct keep_opts, auto_remove),
	 .help = "with --keep: remove it when its command has ended; without, csbx does that anyhow"},
	{OPT_STR, 0, "owner", "PID", offsetof(struct keep_opts, owner),
	 .help = "with --keep: end and remove it when process PID is gone"},
	{0},
};

const struct opt_table keep_table = {"Containers that stay", keep_opts};

/* The label says it as well, for programs that make containers with labels only. */
static int find_owner(const struct keep_opts *k, const struct run_opts *o, char **ret,
		      struct err *e)
{
	const char *asked = k->owner ? k->owner : strv_get_env(&o->spec.labels, OWNER_LABEL);

	*ret = NULL;
	if (!asked)
		return 0;
	return owner_parse(asked, ret, e) < 0 ? err_wrap(e, "--owner") : 0;
}

/* It gets a layer of its own, so what another container has written would be missing. */
static int refuse_layer(struct cmd *c, struct container_spec *s, const char *operand, struct err *e)
{
	struct layer layer = LAYER_INIT;
	int r;

	if (!s->rootfs.reads_layer)
		return 0;
	s->rootfs.reads_layer = false;
	r = layer_look(&c->paths, strrchr(s->rootfs.layer_path, '/') + 1, &layer, e);
	if (r >= 0 && layer.dir >= 0)
		r = err_set(e, EBUSY,
			    "the container has written files, which --keep cannot take over; "
			    "csbx export %s makes an image with them",
			    operand);
	layer_close(&layer);
	return r;
}

/* Makes the container of the frozen specification, of the image that it has. */
static int create(struct cmd *c, const struct run_request *q, const struct keep_opts *k,
		  struct run_opts *o, char **name, struct err *e)
{
	_free_ char *owner = NULL;
	char id[NAME_CONTAINER_ID_DIGITS + 1];
	struct meta_source meta;
	struct container_record traits = {
		.labels = o->spec.labels,
		.image_ref = operand_kind(q->operand) == OPERAND_PATH ? NULL : q->operand,
		.auto_remove = k->auto_remove,
	};
	struct container_create how = {
		.image = o->spec.rootfs.path, .meta = &meta, .spec = &o->spec, .traits = &traits};
	int r = find_owner(k, o, &owner, e);

	if (r < 0)
		return r;
	cmd_meta_source(c, &meta);
	traits.owner = owner;
	free(*name);
	*name = str_printf("%s", k->name ? k->name : o->spec.id);
	how.name = *name;
	if (!*name)
		return err_oom(e);
	return container_store_create_id(&c->paths, &how, NULL, id, e);
}

static int check(const struct keep_opts *k, const struct run_opts *o, struct err *e)
{
	if (o->result.json || o->result.fd)
		return err_set(e, EINVAL,
			       "--keep: --json and --result-fd are for runs that are "
			       "waited for");
	if (o->stdin_path)
		return err_set(e, EINVAL, "--keep and --stdin exclude each other");
	return k->name ? name_check(k->name, e) : 0;
}

int keep_create(struct cmd *c, const struct run_request *q, const struct keep_opts *k,
		struct run_opts *o, bool start)
{
	struct subject subject = {0};
	struct container_found found;
	_free_ char *name = NULL;
	struct err e = ERR_INIT;
	int r = check(k, o, &e);

	if (r >= 0)
		r = run_prepare(c, q, o, &subject, &e);
	if (r >= 0)
		r = refuse_layer(c, &o->spec, q->operand, &e);
	if (r >= 0)
		r = create(c, q, k, o, &name, &e);
	subject_close(&subject);
	if (r >= 0 && start)
		r = container_find(&c->paths, name, &found, &e);
	if (r < 0)
		return cmd_error(&e, "%s %s", c->verb->name, q->operand);
	return start ? keep_start(c, &found, q->detach, false) : CMD_EXIT_OK;
}

static int start_detached(struct container_start *s, const char *what)
{
	const struct container_start_how how = {.client_sock = -1, .client_fds = {-1, -1, -1}};
	_strbuf_ struct strbuf line = STRBUF_INIT;
	struct err e = ERR_INIT;
	int code;

	if (container_start_detached(s, &how, &code, &e) < 0) {
		cmd_error(&e, "%s", what);
		return code;
	}
	strbuf_addf(&line, "%s\n", s->spec.id);
	return cmd_print(&line);
}

static int start_attached(struct container_start *s, const char *what)
{
	const struct container_start_how how = {
		.started_fd = -1, .in_person = true, .client_sock = -1, .client_fds = {-1, -1, -1}};
	struct run_result result = {0};
	struct err e = ERR_INIT;
	int code;

	if (container_start_run(s, &how, &result, &e) < 0)
		code = cmd_error(&e, "%s", what);
	else
		code = run_report(&s->spec, NULL, &result, what);
	run_explain_limit(&s->spec, &result, what);
	run_result_free(&result);
	return code;
}

int keep_start(struct cmd *c, struct container_found *found, bool is_detached, bool force)
{
	_free_ char *what = str_printf("%s %s", c->verb->name, found->name);
	struct container_start s;
	struct err e = ERR_INIT;
	int code;

	if (container_start_begin(&c->paths, found, force, &s, &e) < 0)
		return cmd_error(&e, "%s", what ? what : c->verb->name);
	code = is_detached ? start_detached(&s, what ? what : "")
			   : start_attached(&s, what ? what : "");
	container_start_close(&s);
	return code;
}
