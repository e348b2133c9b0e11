/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/build.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/frame/cmd.h"
#include "image/model/digest.h"
#include "image/table/table.h"

int stage_next_key(struct build_stage *s, const struct strbuf *what, struct err *e)
{
	_digest_ctx_ struct digest_ctx c = DIGEST_CTX_INIT;
	struct digest d;
	int r = strbuf_check(what, e);

	if (r >= 0)
		r = digest_init(&c, "", e);

	digest_update(&c, s->key, strlen(s->key) + 1);
	digest_update(&c, what->data, what->len);
	if (r >= 0)
		r = digest_final(&c, &d, e);
	if (r < 0)
		return r;
	snprintf(s->key, sizeof(s->key), "%.64s", d.hex);
	return 0;
}

/*
 * The keys of later steps contain this very directory: the step made anew is another base for it.
 */
static int put_layer(struct build *b, struct build_stage *s, const struct build_step *step,
		     struct err *e)
{
	_strbuf_ struct strbuf key = STRBUF_INIT;
	char *upper = NULL;
	int r = build_step_upper(&b->cache, step, &upper, e);

	key_add(&key, "layer");
	key_add(&key, step->dir);
	if (r >= 0)
		r = stage_next_key(s, &key, e);
	strv_add(&s->steps, step->dir);
	if (r >= 0)
		r = strv_check(&s->steps, e);
	if (r < 0 || !upper) {
		free(upper);
		return r;
	}
	strv_take(&s->root.layers, upper);
	return strv_check(&s->root.layers, e);
}

int stage_step(struct build *b, struct build_stage *s, step_make_fn *make, void *arg, struct err *e)
{
	struct build_step step = BUILD_STEP_INIT;
	int r = build_ahead_check(b, e);
	bool is_cached;

	if (r >= 0)
		r = build_step_begin(&b->cache, s->key, b->args->no_cache, &step, e);
	is_cached = r > 0;
	if (r == 0) {
		r = cache_from_make(b, s, &step, e);
		is_cached = r > 0;
	}
	if (r == 0) {
		build_text_open(&b->progress);
		r = make(b, s, &step, arg, e);
		if (r < 0 && b->exit_code && !b->args->rm && !b->args->is_stream)
			build_keep_failed(b, s, &step);
	}
	if (r >= 0 && *step.name)
		r = build_step_commit(&b->cache, &step, e);
	build_step_end(&b->cache, &step);
	if (r >= 0)
		r = put_layer(b, s, &step, e);
	if (r < 0)
		return r;
	if (is_cached && step.is_seen)
		build_text_skip(&b->progress);
	else if (is_cached)
		build_text_cached(&b->progress);
	else
		build_text_done(&b->progress);
	return 0;
}
