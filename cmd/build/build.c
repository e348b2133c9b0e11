/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/build.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/build/build_stream.h"
#include "cmd/build/config/inline_cache.h"
#include "cmd/build/dockerfile/expand.h"
#include "cmd/frame/cmd.h"
#include "cmd/options/image_find.h"
#include "image/model/digest.h"
#include "image/table/table.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"

/* --- instructions ---------------------------------------------------------------------------- */

static int change_config(struct build *b, struct build_stage *s, const struct instruction *i,
			 struct err *e)
{
	_strv_ struct strv values = STRV_INIT;
	const struct expand x = {.env = &values, .escape = b->dockerfile.escape};
	_strbuf_ struct strbuf key = STRBUF_INIT, now = STRBUF_INIT;
	_free_ char *text = NULL;
	int r = stage_values(s, &values, e);

	if (r >= 0)
		r = build_config_apply(&s->config, i, &x, &text, e);
	if (r >= 0)
		r = build_config_values(&s->config, &now, e);
	key_add(&key, "config");
	key_add(&key, text ? text : "");
	key_add_data(&key, now.data, now.len);
	if (r >= 0)
		r = stage_next_key(s, &key, e);
	if (r >= 0 && i->op == DOCKERFILE_WORKDIR)
		r = workdir_step(b, s, e);
	if (r >= 0)
		r = build_config_history(&s->config, text, i->op != DOCKERFILE_WORKDIR,
					 clock_realtime_ns(), e);
	return r;
}

static int make_source(struct build *b, struct build_stage *from, struct err *e)
{
	bool was_muted = b->progress.muted;
	char *name;
	int r;

	if (from->is_done)
		return 0;
	r = build_ahead_wait(b, from, e);
	if (r < 0)
		return r;
	name = take_ptr(b->progress.name);
	b->is_replay = r > 0;
	b->progress.muted |= r > 0;
	r = build_stage(b, from, e);
	b->progress.muted = was_muted;
	b->is_replay = false;
	if (r >= 0)
		build_text_prepare(&b->progress, "%s", name ? name : "");
	free(name);
	return r;
}

/* The stage that it takes from comes first. */
static int copy(struct build *b, struct build_stage *s, const struct instruction *i, struct err *e)
{
	struct build_stage *from = NULL;
	_free_ char *name = NULL;
	int r = stage_from(b, s, i, &from, &name, e);

	if (r >= 0 && from)
		r = make_source(b, from, e);
	if (r < 0)
		return r;
	b->at = i;
	return copy_step(b, s, i, e);
}

static int instruction(struct build *b, struct build_stage *s, const struct instruction *i,
		       struct err *e)
{
	b->at = i;
	switch (i->op) {
	case DOCKERFILE_FROM:
		return err_set(e, EINVAL, "FROM isn't allowed here");
	case DOCKERFILE_ARG:
		return stage_arg(b, s, i, e);
	case DOCKERFILE_RUN:
		return run_step(b, s, i, e);
	case DOCKERFILE_COPY:
	case DOCKERFILE_ADD:
		return copy(b, s, i, e);
	default:
		return change_config(b, s, i, e);
	}
}

/* Runs the instructions that the base wants run in images that are built from it (ONBUILD). */
static int run_triggers(struct build *b, struct build_stage *s, struct err *e)
{
	struct strv triggers = s->config.on_build;
	int r = 0;

	s->config.on_build = (struct strv)STRV_INIT;
	for (size_t n = 0; r >= 0 && n < triggers.n; n++) {
		struct instruction i;

		r = dockerfile_parse_trigger(triggers.items[n], &i, e);
		i.line = i.end_line = b->dockerfile.items[s->first].line;
		if (r >= 0)
			r = instruction(b, s, &i, e);
		b->at = &b->dockerfile.items[s->first];
		instruction_free(&i);
		if (r < 0)
			(void)err_wrap(e, "ONBUILD of the base image");
	}
	strv_free(&triggers);
	return r;
}

/* --- stages ---------------------------------------------------------------------------------- */

static bool is_shown(const struct instruction *i)
{
	return i->op == DOCKERFILE_RUN || i->op == DOCKERFILE_COPY || i->op == DOCKERFILE_ADD ||
	       i->op == DOCKERFILE_WORKDIR;
}

static void count_steps(struct build *b, const struct build_stage *s)
{
	b->step = 0;
	b->n_steps = 1;
	for (size_t n = s->first + 1; n < s->end; n++)
		b->n_steps += is_shown(&b->dockerfile.items[n]);
}

static void begin_step(struct build *b, const struct build_stage *s, const struct instruction *i)
{
	_free_ char *stage = s->name           ? str_printf("%s ", s->name)
			     : b->n_stages > 1 ? str_printf("stage-%zu ", (size_t)(s - b->stages))
					       : strdup("");

	build_text_prepare(&b->progress, "[%s%u/%u] %s", stage ? stage : "", ++b->step, b->n_steps,
			   i->text);
}

static int from_stage(struct build *b, struct build_stage *s, struct build_stage *base,
		      struct err *e)
{
	int r = build_stage(b, base, e);

	if (r >= 0)
		r = build_config_copy(&s->config, &base->config, e);
	if (r >= 0)
		r = build_root_copy(&s->root, &base->root, e);
	for (size_t i = 0; i < base->steps.n; i++)
		strv_add(&s->steps, base->steps.items[i]);
	if (r >= 0)
		r = strv_check(&s->steps, e);
	memcpy(s->key, base->key, sizeof(s->key));
	return r;
}

static int from_nothing(struct build_stage *s, struct err *e)
{
	snprintf(s->key, sizeof(s->key), "%064d", 0);
	return build_config_init(&s->config, e);
}

static int check_platform(struct build *b, const struct instruction *i, const struct expand *x,
			  struct err *e)
{
	const char *flag = instruction_flag(i, "platform"), *here;
	_free_ char *platform = NULL;
	int r = flag ? expand_word(x, flag, &platform, e) : 0;

	if (r < 0 || !platform)
		return r;
	here = strv_get_env(&b->globals, "TARGETPLATFORM");
	if (!here || !str_eq(platform, here))
		return err_set(e, EINVAL,
			       "--platform %.60s: steps of another machine cannot run here, which "
			       "is %s",
			       platform, here ? here : "another");
	return 0;
}

/* Each process that needs the stage asks for its image; the first one tells. */
static int from_image(struct build *b, struct build_stage *s, const char *name, struct err *e)
{
	bool was_muted = b->progress.muted;
	int r;

	b->progress.muted |= !build_cache_tell(&b->cache, (size_t)(s - b->stages));
	build_text_open(&b->progress);
	r = build_base(b, s, name, e);
	if (r >= 0)
		build_text_done(&b->progress);
	b->progress.muted = was_muted;
	return r;
}

static int from(struct build *b, struct build_stage *s, const struct instruction *i, struct err *e)
{
	const struct expand x = {.env = &b->globals, .escape = b->dockerfile.escape};
	_free_ char *name = NULL;
	struct build_stage *base;
	int r = expand_word(&x, i->args.items[0], &name, e);

	if (r >= 0 && !*name)
		r = err_set(e, EINVAL, "base name (%s) should not be blank", i->args.items[0]);
	if (r >= 0)
		r = check_platform(b, i, &x, e);
	if (r < 0)
		return r;
	base = stage_of(b, name, s);
	if (base)
		return from_stage(b, s, base, e);
	if (str_eq(name, "scratch"))
		return from_nothing(s, e);
	count_steps(b, s);
	begin_step(b, s, i);
	return from_image(b, s, name, e);
}

static int make_stage(struct build *b, struct build_stage *s, struct err *e)
{
	const struct instruction *first = &b->dockerfile.items[s->first];
	int r;

	b->at = first;
	build_text_step(&b->progress, s->first + 1, b->dockerfile.n, first->text);
	r = from(b, s, first, e);
	if (r >= 0)
		build_text_stepped(&b->progress, s->key);
	count_steps(b, s);
	b->step = 1;
	if (r >= 0)
		r = run_triggers(b, s, e);
	for (size_t n = s->first + 1; r >= 0 && n < s->end; n++) {
		const struct instruction *i = &b->dockerfile.items[n];
		unsigned step = b->step, n_steps = b->n_steps;

		build_text_step(&b->progress, n + 1, b->dockerfile.n, i->text);
		if (is_shown(i))
			begin_step(b, s, i);
		step += is_shown(i);
		r = instruction(b, s, i, e);
		if (r >= 0)
			build_text_stepped(&b->progress, s->key);
		/* A COPY --from may have built another stage. */
		b->step = step;
		b->n_steps = n_steps;
	}
	return r;
}

int build_stage(struct build *b, struct build_stage *s, struct err *e)
{
	int r;

	if (s->is_done)
		return 0;
	if (s->is_open)
		return err_set(e, ELOOP, "a stage cannot be made from itself");
	s->is_open = true;
	r = make_stage(b, s, e);
	s->is_open = false;
	s->is_done = r >= 0;
	return r;
}

/* --- the whole ------------------------------------------------------------------------------- */

static int add_labels(struct build *b, struct build_stage *s, struct err *e)
{
	const struct strv *labels = &b->args->labels;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < labels->n; i++) {
		_free_ char *bare =
			strchr(labels->items[i], '=') ? NULL : str_printf("%s=", labels->items[i]);
		const char *label = bare ? bare : labels->items[i];
		_strbuf_ struct strbuf key = STRBUF_INIT;

		strv_set_env(&s->config.labels, label);
		key_add(&key, "label");
		key_add(&key, label);
		r = stage_next_key(s, &key, e);
	}
	return r < 0 ? r : strv_check(&s->config.labels, e);
}

static int prepare(struct build *b, const char *context, struct dockerfile_place *place,
		   struct err *e)
{
	struct build_context_how how = {.operand = context,
					.file = b->args->file,
					.has_network = !str_eq(build_network(b, NULL), "none"),
					.paths = &b->cmd->paths};
	int r = build_cache_open(&b->cache, &b->cmd->paths, e);

	how.tmp_dirfd = b->cache.dirfd;
	if (r >= 0)
		r = b->images = images_open(&b->cmd->paths, e);
	if (r < 0)
		return r;
	build_text_prepare(&b->progress, "[internal] load build definition from %s",
			   b->args->file && !str_eq(b->args->file, "-") ? b->args->file
									: "Dockerfile");
	build_text_open(&b->progress);
	r = build_context_open(&b->context, &how, e);
	if (r < 0)
		return r;
	r = dockerfile_parse(strbuf_str(&b->context.dockerfile), b->context.dockerfile.len,
			     &b->dockerfile, place, e);
	if (r >= 0)
		r = stages_find(b, e);
	if (r >= 0)
		build_text_done(&b->progress);
	return r;
}

static int build(struct build *b, const char *context, struct dockerfile_place *place, char *ret_id,
		 size_t size, struct err *e)
{
	_strbuf_ struct strbuf told = STRBUF_INIT;
	struct build_stage *s;
	int r = prepare(b, context, place, e);

	s = r < 0 ? NULL : stage_target(b, e);
	if (b->args->is_stream)
		build_stream_head(s ? 0 : 400, e->msg);
	b->has_begun = s;
	if (!s)
		return r < 0 ? r : -EINVAL;
	r = cache_from_open(b, e);
	if (r >= 0)
		r = build_ahead_start(b, s, build_stage, e);
	if (r >= 0)
		r = build_stage(b, s, e);
	b->at = r < 0 ? b->at : NULL;
	if (r >= 0)
		r = add_labels(b, s, e);
	key_add(&told, INLINE_CACHE_MEMBER);
	/* An image that tells its steps is another one than the same that does not. */
	if (r >= 0 && cache_is_told(b->args))
		r = stage_next_key(s, &told, e);
	return r < 0 ? r : build_result(b, s, ret_id, size, e);
}

static int say_failed(const struct build *b, const struct dockerfile_place *place,
		      const struct err *e)
{
	const struct build_context *c = &b->context;
	const bool is_full = e->code == ENOSPC || e->code == EDQUOT;
	struct dockerfile_place at = *place;
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (b->at)
		at = (struct dockerfile_place){b->at->line, b->at->end_line};
	dockerfile_show_place(c->name ? c->name : "Dockerfile", strbuf_str(&c->dockerfile),
			      c->dockerfile.len, &at, &out);
	strbuf_addf(&out, "ERROR: failed to build: failed to solve: %s%s\n", e->msg,
		    is_full ? ": `docker builder prune` removes what earlier builds left" : "");
	(void)cmd_write_shown(STDERR_FILENO, &out, NULL);
	return 1;
}

static int say_failed_stream(const struct build *b, const struct err *e)
{
	_free_ char *text = b->exit_code
				    ? str_printf("The command '%s' returned a non-zero code: %d",
						 b->failed ? b->failed : "", b->exit_code)
				    : NULL;

	if (!b->has_begun)
		return 1;
	/* It is said: the answer is whole. */
	build_stream_error(b->exit_code, text ? text : e->msg);
	return 0;
}

static int write_iidfile(const struct build_args *a, const char *id, struct err *e)
{
	_close_ int fd = -1;

	if (!a->iidfile)
		return 0;
	fd = path_open_output(a->iidfile, O_WRONLY | O_CREAT | O_TRUNC, 0644, NULL, e);
	if (fd < 0)
		return fd;
	return io_write_all(fd, id, strlen(id), e) < 0 ? err_wrap(e, "%s", a->iidfile) : 0;
}

static int print_id(const struct build_args *a, const char *id)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (!a->quiet)
		return 0;
	strbuf_addf(&out, "%s\n", id);
	return cmd_print(&out);
}

static void free_all(struct build *b)
{
	for (size_t i = 0; i < b->n_stages; i++)
		stage_free(&b->stages[i]);
	free(b->stages);
	strv_free(&b->globals);
	dockerfile_free(&b->dockerfile);
	build_context_close(&b->context);
	cache_from_close(&b->cache_from);
	build_cache_close(&b->cache);
	build_text_free(&b->progress);
	fd_close(&b->images);
	free(b->failed);
}

int build_run(struct cmd *c, const struct build_args *a, const char *context)
{
	struct build b = {
		.cmd = c,
		.args = a,
		.context = BUILD_CONTEXT_INIT,
		.cache = BUILD_CACHE_INIT,
		.images = -1,
		.make_source = make_source,
		.ahead = BUILD_AHEAD_INIT,
		.progress = {.quiet = a->quiet || (a->progress && str_eq(a->progress, "quiet")),
			     .is_stream = a->is_stream},
	};
	struct dockerfile_place place = {0};
	char id[IMAGE_ID_BYTES] = "";
	struct err e = ERR_INIT;
	int code, r = build(&b, context, &place, id, sizeof(id), &e);

	build_ahead_end(&b);
	if (r >= 0)
		r = write_iidfile(a, id, &e);
	if (r >= 0)
		r = build_push(a, &e);
	if (a->is_stream)
		code = r < 0 ? say_failed_stream(&b, &e) : 0;
	else
		code = r < 0 ? say_failed(&b, &place, &e) : print_id(a, id);
	free_all(&b);
	return code;
}
