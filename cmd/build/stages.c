/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/build.h"

#include <stdlib.h>
#include <strings.h>

#include "cmd/build/dockerfile/expand.h"
#include "image/oci/platform.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"

/* --- which there are ------------------------------------------------------------------------- */

static int add_platform(struct strv *globals, struct err *e)
{
	static const char *const sides[] = {"TARGET", "BUILD"};
	struct platform p;
	int r = platform_wanted(NULL, NULL, &p, e);

	for (size_t i = 0; r >= 0 && i < 2; i++) {
		strv_take(globals, str_printf("%sPLATFORM=linux/%s%s%s", sides[i], p.arch,
					      *p.variant ? "/" : "", p.variant));
		strv_take(globals, str_printf("%sOS=linux", sides[i]));
		strv_take(globals, str_printf("%sARCH=%s", sides[i], p.arch));
		strv_take(globals, str_printf("%sVARIANT=%s", sides[i], p.variant));
	}
	return r < 0 ? r : strv_check(globals, e);
}

static int add_stage(struct build *b, size_t first, struct err *e)
{
	const struct instruction *i = &b->dockerfile.items[first];
	struct build_stage *more = reallocarray(b->stages, b->n_stages + 1, sizeof(*more));

	if (!more)
		return err_oom(e);
	b->stages = more;
	more[b->n_stages++] = (struct build_stage){.name = i->args.n == 3 ? i->args.items[2] : NULL,
						   .first = first};
	return 0;
}

int stages_find(struct build *b, struct err *e)
{
	int r = add_platform(&b->globals, e);

	for (size_t n = 0; r >= 0 && n < b->dockerfile.n; n++) {
		const struct instruction *i = &b->dockerfile.items[n];

		b->at = i;
		if (i->op == DOCKERFILE_FROM)
			r = add_stage(b, n, e);
		else if (!b->n_stages)
			r = stage_arg(b, NULL, i, e);
		if (b->n_stages)
			b->stages[b->n_stages - 1].end = n + 1;
	}
	if (r >= 0)
		b->at = NULL;
	return r;
}

struct build_stage *stage_of(struct build *b, const char *name, const struct build_stage *before)
{
	size_t n = before ? (size_t)(before - b->stages) : b->n_stages;
	uint64_t number;

	/* The last of a name counts. */
	for (size_t i = n; i-- > 0;) {
		if (b->stages[i].name && !strcasecmp(b->stages[i].name, name))
			return &b->stages[i];
	}
	if (num_parse_u64(name, UINT32_MAX, &number) >= 0 && number < n)
		return &b->stages[number];
	return NULL;
}

struct build_stage *stage_target(struct build *b, struct err *e)
{
	const char *name = b->args->target;
	struct build_stage *s;

	if (!name || !*name)
		return &b->stages[b->n_stages - 1];
	s = stage_of(b, name, NULL);
	if (!s)
		err_set(e, EINVAL, "target stage \"%.100s\" could not be found", name);
	return s;
}

void stage_free(struct build_stage *s)
{
	strv_free(&s->args);
	build_config_free(&s->config);
	build_root_free(&s->root);
	strv_free(&s->steps);
}

/* --- values ---------------------------------------------------------------------------------- */

int stage_values(const struct build_stage *s, struct strv *ret, struct err *e)
{
	for (size_t i = 0; i < s->args.n; i++)
		strv_set_env(ret, s->args.items[i]);
	for (size_t i = 0; i < s->config.env.n; i++)
		strv_set_env(ret, s->config.env.items[i]);
	return strv_check(ret, e);
}

/* The value that --build-arg gives a name; NULL: none. "NAME" alone is the caller's own
 * variable. */
static const char *given(const struct build *b, const char *name)
{
	const struct strv *v = &b->args->build_args;
	size_t len = strlen(name);

	for (size_t i = v->n; i-- > 0;) {
		const char *item = v->items[i];

		if (!strncmp(item, name, len) && (!item[len] || item[len] == '='))
			return item[len] ? item + len + 1 : getenv(name);
	}
	return NULL;
}

static int set_arg(struct build *b, struct build_stage *s, const char *word, const struct expand *x,
		   struct err *e)
{
	_free_ char *name = strndup(word, strcspn(word, "=")), *made = NULL, *text = NULL;
	const char *value = name ? given(b, name) : NULL;
	int r;

	if (!name)
		return err_oom(e);
	if (!value && strchr(word, '=')) {
		r = expand_word(x, strchr(word, '=') + 1, &made, e);
		if (r < 0)
			return r;
		value = made;
	}
	if (!value)
		value = strv_get_env(&b->globals, name);
	if (!value)
		return 0;
	text = str_printf("%s=%s", name, value);
	if (!text)
		return err_oom(e);
	strv_set_env(s ? &s->args : &b->globals, text);
	return strv_check(s ? &s->args : &b->globals, e);
}

int stage_arg(struct build *b, struct build_stage *s, const struct instruction *i, struct err *e)
{
	int r = 0;

	for (size_t n = 0; r >= 0 && n < i->args.n; n++) {
		_strv_ struct strv values = STRV_INIT;
		const struct expand x = {.env = s ? &values : &b->globals,
					 .escape = b->dockerfile.escape};

		if (s)
			r = stage_values(s, &values, e);
		if (r >= 0)
			r = set_arg(b, s, i->args.items[n], &x, e);
	}
	return r;
}

int stage_from(struct build *b, const struct build_stage *s, const struct instruction *i,
	       struct build_stage **ret, char **ret_name, struct err *e)
{
	_strv_ struct strv values = STRV_INIT;
	const struct expand x = {.env = &values, .escape = b->dockerfile.escape};
	const char *flag = instruction_flag(i, "from");
	int r = flag ? stage_values(s, &values, e) : 0;

	*ret = NULL;
	*ret_name = NULL;
	if (r >= 0 && flag)
		r = expand_word(&x, flag, ret_name, e);
	if (r >= 0 && *ret_name)
		*ret = stage_of(b, *ret_name, s);
	return r;
}
