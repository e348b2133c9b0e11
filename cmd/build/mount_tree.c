/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/run_mounts.h"

#include <stdlib.h>

#include "cmd/build/build.h"
#include "cmd/build/select.h"
#include "cmd/build/transfer.h"
#include "image/model/digest.h"
#include "image/pack/tar_out.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/spec/spec.h"

struct tree_work {
	const struct build *b;
	const struct run_mount_item *x;
	bool must_be_dir;
	struct transfer transfer;
	struct build_view from, to;
};

/* The source is one name and no pattern. */
static int add_source(const struct run_mount_item *x, struct strv *ret, struct err *e)
{
	_strbuf_ struct strbuf word = STRBUF_INIT;
	const char *p = x->words.source && *x->words.source ? x->words.source : "/";

	for (; *p; p++) {
		if (strchr("\\*?[", *p))
			strbuf_addch(&word, '\\');
		strbuf_addch(&word, *p);
	}
	strv_add(ret, strbuf_str(&word));
	return strv_check(ret, e);
}

static int take(const struct build *b, const struct run_mount_item *x, int root,
		struct selection *ret, struct err *e)
{
	_strv_ struct strv sources = STRV_INIT;
	const struct select_from how = {.root = root,
					.ignored = x->from ? NULL : &b->context.ignored,
					.own = x->from ? NULL : &b->context.own};
	int r = add_source(x, &sources, e);

	*ret = (struct selection){0};
	if (r >= 0)
		r = select_sources(&how, &sources, ret, e);
	return r < 0 ? err_wrap(e, "--mount=%s", x->asked) : 0;
}

/* Whether these are the files that the key tells of; their contents are checked again below. */
static int check_seen(const struct run_mount_item *x, struct selection *found, int root,
		      struct err *e)
{
	struct digest now;
	int r = digest_is_set(&x->seen) ? selection_hash(found, root, &now, e) : 0;

	if (r >= 0 && digest_is_set(&x->seen) && !digest_equal(&now, &x->seen))
		return err_set(e, EBUSY, "--mount=%s: its files changed", x->asked);
	return r;
}

static int send(void *arg, int root, struct err *e)
{
	struct tree_work *w = arg;
	const struct select_rules rules = {.uid = -1,
					   .gid = -1,
					   .mode = -1,
					   .keep_owner = w->x->from,
					   .keep_set_ids = w->x->from};
	struct selection found;
	struct tar_out t;
	int r = take(w->b, w->x, root, &found, e);

	if (r < 0)
		return r;
	if (w->must_be_dir && found.is_one_file)
		r = err_set(e, ENOTDIR, "--mount=%s: the source of a cache is a directory",
			    w->x->asked);
	if (r >= 0)
		r = check_seen(w->x, &found, root, e);
	if (r >= 0)
		r = unpack_announce(&w->transfer.job, &found, e);
	tar_out_init(&t, w->transfer.job.tar_in);
	if (r >= 0)
		r = selection_pack(&found, root, &rules, &t, e);
	if (r >= 0)
		r = tar_out_end(&t, e);
	tar_out_free(&t);
	selection_free(&found);
	return r;
}

int mount_tree_copy(struct build *b, const struct run_mount_item *x, int dir, const char *to,
		    struct err *e)
{
	static const struct build_root nothing;
	struct tree_work w = {.b = b, .x = x, .must_be_dir = str_eq(to, "/")};
	int r = build_view_open(b->cmd, &b->cache, &nothing, NULL, &w.to, e);

	if (r >= 0 && x->from)
		r = build_view_open(b->cmd, &b->cache, &x->from->root, NULL, &w.from, e);
	w.transfer = (struct transfer){
		.job.dest = to,
		.from = x->from ? &w.from : NULL,
		.from_dir = b->context.root,
		.to = &w.to,
		.to_dir = dir,
		.send = send,
		.arg = &w,
	};
	if (r >= 0)
		r = transfer_run(&w.transfer, e);
	if (x->from)
		build_view_close(&w.from);
	build_view_close(&w.to);
	return r;
}

int mount_tree_hash(const struct build *b, struct run_mount_item *x, struct strbuf *out,
		    struct err *e)
{
	struct selection found;
	int r;

	if (b->context.root < 0)
		return err_set(e, ENOENT, "--mount=%s: there is no context", x->asked);
	r = take(b, x, b->context.root, &found, e);
	if (r >= 0)
		r = selection_hash(&found, b->context.root, &x->seen, e);
	selection_free(&found);
	if (r >= 0)
		key_add(out, x->seen.hex);
	return r;
}

/* --- a mount ---------------------------------------------------------------------------------- */

int run_mount_new(struct container_spec *spec, enum mount_kind kind, char *source, char *target,
		  const char *asked, struct mount_spec **ret, struct err *e)
{
	struct mount_spec *m = spec_add_mount(spec);

	if (!m) {
		free(source);
		free(target);
		return err_oom(e);
	}
	m->kind = kind;
	m->source = source;
	m->target = target;
	m->asked = strdup(asked);
	*ret = m;
	return m->target && m->asked ? 0 : err_oom(e);
}
