/* SPDX-License-Identifier: Apache-2.0 */

/*
 * COPY, ADD and the directory of WORKDIR.
 */

#include "cmd/build/copy_step.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/build_child.h"
#include "cmd/frame/cmd.h"
#include "image/model/digest.h"
#include "image/pack/tar_out.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/kernel/process_id.h"

/* --- where from ------------------------------------------------------------------------------ */

static int set_from(struct copy_work *w, struct err *e)
{
	_free_ char *name = NULL;
	int r = stage_from(w->b, w->s, w->i, &w->from, &name, e);

	if (r < 0 || !name || w->from)
		return r;
	w->from = &w->image;
	return build_base(w->b, &w->image, name, e);
}

static struct select_from select_how(const struct copy_work *w, int root)
{
	return (struct select_from){
		.root = root,
		.ignored = w->from ? NULL : &w->b->context.ignored,
		.own = w->from ? NULL : &w->b->context.own,
		.excluded = w->excluded.patterns.n ? &w->excluded : NULL,
		.parents = instruction_flag(w->i, "parents") &&
			   !str_eq(instruction_flag(w->i, "parents"), "false"),
	};
}

static bool needs_directory(const struct copy_work *w)
{
	return w->sources.n + w->inlines.n + w->urls.n > 1;
}

static int check_dest(const struct copy_work *w, struct err *e)
{
	if (!needs_directory(w) || str_has_suffix(w->dest, "/"))
		return 0;
	return err_set(e, EINVAL,
		       "When using %s with more than one source file, the destination must be a "
		       "directory and end with a /",
		       dockerfile_op_name(w->i->op));
}

static int select_context(struct copy_work *w, struct digest *ret, struct err *e)
{
	const struct build_context *c = &w->b->context;
	const struct select_from how = select_how(w, c->root);
	int r;

	if (!w->sources.n)
		return 0;
	if (c->root < 0)
		return err_set(e, ENOENT,
			       "failed to compute cache key: \"/%.200s\": not found: there is no "
			       "context",
			       w->sources.items[0]);
	r = select_sources(&how, &w->sources, &w->taken, e);
	if (r >= 0)
		r = selection_hash(&w->taken, c->root, ret, e);
	return r < 0 ? err_wrap(e, "failed to compute cache key: failed to calculate checksum") : 0;
}

static int hash(struct copy_work *w, struct err *e)
{
	_strbuf_ struct strbuf all = STRBUF_INIT;
	struct digest d = {0};
	int r = w->from ? 0 : select_context(w, &d, e);

	if (r < 0)
		return r;
	key_add(&all, dockerfile_op_name(w->i->op));
	key_add(&all, w->from ? "from" : "context");
	key_add(&all, w->from ? w->from->key : d.hex);
	key_add(&all, w->dest);
	if (w->from)
		key_add_words(&all, &w->sources);
	key_add_words(&all, &w->texts);
	for (size_t n = 0; n < w->texts.n; n++)
		key_add(&all, w->i->heredocs[n].name);
	for (size_t n = 0; n < w->urls.n; n++) {
		key_add(&all, w->fetched[n].name);
		key_add(&all, w->fetched[n].digest.hex);
	}
	for (size_t n = 0; n < w->i->flags.n; n++) {
		if (!str_has_prefix(w->i->flags.items[n], "--from"))
			key_add(&all, w->i->flags.items[n]);
	}
	strbuf_addf(&all, "%lld:%lld:%lld", (long long)w->rules.uid, (long long)w->rules.gid,
		    (long long)w->rules.mode);
	return stage_next_key(w->s, &all, e);
}

/* --- the children ---------------------------------------------------------------------------- */

/* Here-documents are files of their own. */
static int pack_inlines(struct copy_work *w, struct tar_out *t, struct err *e)
{
	int r = 0;

	for (size_t n = 0; r >= 0 && n < w->texts.n; n++) {
		const char *data = w->texts.items[n];
		const struct tar_header head = {
			.path = w->i->heredocs[n].name,
			.mode = S_IFREG | (w->rules.mode >= 0 ? (mode_t)w->rules.mode : 0644),
			.uid = w->rules.uid > 0 ? w->rules.uid : 0,
			.gid = w->rules.gid > 0 ? w->rules.gid : 0,
			.size_bytes = (int64_t)strlen(data),
		};

		r = tar_out_member(t, &head, e);
		if (r >= 0)
			r = tar_out_data(t, data, strlen(data), e);
	}
	for (size_t n = 0; r >= 0 && n < w->urls.n; n++) {
		if (!w->is_unpacked)
			r = add_url_pack(&w->fetched[n], &w->rules, t, e);
	}
	return r;
}

static int send_all(struct copy_work *w, int root, const struct selection *s, struct err *e)
{
	char download[] = ADD_URL_NAME;
	struct selection said = {.is_one_file = s->is_one_file, .items = s->items, .n = s->n};
	struct selected only = {.to = w->i->n_heredocs                   ? w->i->heredocs[0].name
				      : w->urls.n && *w->fetched[0].name ? w->fetched[0].name
									 : download};
	struct tar_out t;
	int r;

	/* A single here-document is one file, too, and what was fetched. */
	if (!w->sources.n && w->inlines.n + w->urls.n == 1 && !w->is_unpacked)
		said = (struct selection){.is_one_file = true, .items = &only, .n = 1};
	said.is_one_file &= !needs_directory(w);
	r = unpack_announce(&w->transfer.job, &said, e);
	tar_out_init(&t, w->transfer.job.tar_in);
	if (r >= 0 && s->n)
		r = selection_pack(s, root, &w->rules, &t, e);
	if (r >= 0)
		r = pack_inlines(w, &t, e);
	if (r >= 0)
		r = tar_out_end(&t, e);
	tar_out_free(&t);
	return r;
}

/* Takes from another stage. It tells first what it found: the other side has to know the name. */
static int send_found(void *arg, int root, struct err *e)
{
	struct copy_work *w = arg;
	const struct select_from how = select_how(w, root);
	struct selection found = {0};
	int r;

	if (!w->from)
		return send_all(w, root, &w->taken, e);
	r = select_sources(&how, &w->sources, &found, e);
	if (r >= 0)
		r = send_all(w, root, &found, e);
	selection_free(&found);
	return r < 0 ? err_wrap(e, "failed to calculate checksum") : 0;
}

/* --- the step -------------------------------------------------------------------------------- */

static bool unpacks(const struct copy_work *w)
{
	const char *flag = instruction_flag(w->i, "unpack");

	return w->i->op == DOCKERFILE_ADD && !w->from && w->taken.n &&
	       !(flag && str_eq(flag, "false"));
}

/* Archives that were fetched are unpacked where that is asked for. */
static bool unpacks_urls(const struct copy_work *w)
{
	const char *flag = instruction_flag(w->i, "unpack");

	return flag && !str_eq(flag, "false");
}

static int unpack_urls(struct copy_work *w, struct err *e)
{
	struct unpack_job *j = &w->transfer.job;
	int r = 0;

	if (w->urls.n > 1)
		return err_set(e, EOPNOTSUPP, "ADD --unpack takes one URL at a time");
	if (lseek(w->fetched[0].fd, 0, SEEK_SET) < 0)
		return err_sys(e, "ADD %.150s", w->urls.items[0]);
	if (!build_is_archive(w->fetched[0].fd))
		return 0;
	r = build_tar_file(w->fetched[0].fd, w->b->cache.dirfd, e);
	if (r < 0)
		return err_wrap(e, "ADD %.150s", w->urls.items[0]);
	j->archives[j->n_archives++] = r;
	w->is_unpacked = true;
	return 0;
}

static int make(struct build *b, struct build_stage *s, const struct build_step *step, void *arg,
		struct err *e)
{
	struct copy_work *w = arg;
	int r = build_view_open(b->cmd, &b->cache, &s->root, step, &w->view, e);

	w->transfer.job.dest = w->dest;
	if (r >= 0 && w->urls.n && unpacks_urls(w))
		r = unpack_urls(w, e);
	if (r >= 0 && unpacks(w))
		r = unpack_find_archives(&w->transfer.job, &w->taken, b->context.root,
					 b->cache.dirfd, e);
	if (r >= 0 && w->from)
		r = build_view_open(b->cmd, &b->cache, &w->from->root, NULL, &w->source, e);
	w->transfer.from = w->from ? &w->source : NULL;
	w->transfer.from_dir = b->context.root;
	w->transfer.to = &w->view;
	w->transfer.to_dir = -1;
	w->transfer.send = send_found;
	w->transfer.arg = w;
	if (r >= 0)
		r = transfer_run(&w->transfer, e);
	if (w->from)
		build_view_close(&w->source);
	build_view_close(&w->view);
	unpack_close(&w->transfer.job);
	return r;
}

static void describe(const struct copy_work *w, struct strbuf *out)
{
	strbuf_addstr(out, dockerfile_op_name(w->i->op));
	for (size_t n = 0; n < w->i->flags.n; n++) {
		if (!str_has_prefix(w->i->flags.items[n], "--from"))
			strbuf_addf(out, " %s", w->i->flags.items[n]);
	}
	for (size_t n = 0; n < w->sources.n; n++)
		strbuf_addf(out, " %s", w->sources.items[n]);
	for (size_t n = 0; n < w->inlines.n; n++)
		strbuf_addf(out, " %s", w->inlines.items[n]);
	for (size_t n = 0; n < w->urls.n; n++)
		strbuf_addf(out, " %s", w->urls.items[n]);
	strbuf_addf(out, " %s # buildkit", w->i->args.items[w->i->args.n - 1]);
}

int copy_step(struct build *b, struct build_stage *s, const struct instruction *i, struct err *e)
{
	struct copy_work w = {.b = b, .s = s, .i = i};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = copy_words_read(&w, e);

	if (r >= 0)
		r = check_dest(&w, e);
	if (r >= 0)
		r = set_from(&w, e);
	if (r >= 0)
		r = copy_flags_read(&w, e);
	if (r >= 0)
		r = copy_fetch(&w, e);
	if (r >= 0)
		r = hash(&w, e);
	if (r >= 0)
		r = stage_step(b, s, make, &w, e);
	describe(&w, &text);
	if (r >= 0)
		r = build_config_history(&s->config, strbuf_str(&text), false, clock_realtime_ns(),
					 e);
	selection_free(&w.taken);
	ignore_free(&w.excluded);
	build_config_free(&w.image.config);
	build_root_free(&w.image.root);
	strv_free(&w.sources);
	strv_free(&w.inlines);
	strv_free(&w.texts);
	for (size_t n = 0; w.fetched && n < w.urls.n; n++)
		add_url_close(&w.fetched[n]);
	free(w.fetched);
	strv_free(&w.urls);
	free(w.dest);
	return r;
}

/* --- WORKDIR --------------------------------------------------------------------------------- */

static int mkdir_child(void *arg, int parent, struct err *e)
{
	struct copy_work *w = arg;
	int root = build_view_enter(&w->view, e), fd;

	if (root < 0)
		return root;
	umask(0022);
	if (process_end_with(parent, e) < 0)
		return -ESRCH;
	fd = path_mkdirs_in_root(root, w->s->config.workdir, e);
	return fd < 0 ? err_wrap(e, "WORKDIR %.200s", w->s->config.workdir) : 0;
}

static int make_dir(struct build *b, struct build_stage *s, const struct build_step *step,
		    void *arg, struct err *e)
{
	struct copy_work *w = arg;
	struct build_child child = BUILD_CHILD_INIT;
	int r = build_view_open(b->cmd, &b->cache, &s->root, step, &w->view, e);

	if (r >= 0)
		r = build_child_start(&child, mkdir_child, w, e);
	if (r >= 0)
		r = build_child_wait(&child, e);
	build_view_close(&w->view);
	return r;
}

int workdir_step(struct build *b, struct build_stage *s, struct err *e)
{
	struct copy_work w = {.b = b, .s = s};

	return stage_step(b, s, make_dir, &w, e);
}
