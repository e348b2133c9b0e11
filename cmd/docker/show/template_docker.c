/* SPDX-License-Identifier: Apache-2.0 */

/* The functions that docker adds to Go's: github.com/docker/cli, templates/templates.go. */

#include <ctype.h>
#include <string.h>

#include "cmd/docker/show/template_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static int want(const struct docker_value *v, enum docker_value_kind kind, const char *name,
		struct err *e)
{
	if (v->kind == kind || (kind == DOCKER_VALUE_LIST && v->kind == DOCKER_VALUE_NOLIST))
		return 0;
	return err_set(e, EINVAL, "wrong type for value; expected %s; got %s", name, value_type(v));
}

static int give_text(struct run *r, const struct strbuf *b, const struct docker_value **ret,
		     struct err *e)
{
	struct docker_value *v;

	if (strbuf_check(b, e) < 0)
		return -ENOMEM;
	v = run_make_str(r, strbuf_str(b), b->len);
	*ret = v;
	return v ? 0 : err_code(e, ENOMEM, "template");
}

static int call_json(struct run *r, const struct docker_value **args, size_t n,
		     const struct docker_value **ret, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	int code = docker_value_json(args[0], false, &out, e);

	(void)n;
	return code < 0 ? code : give_text(r, &out, ret, e);
}

static int call_join(struct run *r, const struct docker_value **args, size_t n,
		     const struct docker_value **ret, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	int code = want(args[0], DOCKER_VALUE_LIST, "[]string", e);

	(void)n;
	if (code >= 0)
		code = want(args[1], DOCKER_VALUE_STR, "string", e);
	for (const struct docker_value *v = args[0]->first; v && code >= 0; v = v->next) {
		code = want(v, DOCKER_VALUE_STR, "[]string", e);
		if (v != args[0]->first)
			strbuf_addstr(&out, args[1]->text);
		if (code >= 0)
			strbuf_addstr(&out, v->text);
	}
	return code < 0 ? code : give_text(r, &out, ret, e);
}

static int call_split(struct run *r, const struct docker_value **args, size_t n,
		      const struct docker_value **ret, struct err *e)
{
	struct docker_value *list;
	const char *s, *found;
	int code = want(args[0], DOCKER_VALUE_STR, "string", e);

	(void)n;
	if (code >= 0)
		code = want(args[1], DOCKER_VALUE_STR, "string", e);
	if (code < 0)
		return code;
	list = run_make(r, DOCKER_VALUE_LIST);
	s = args[0]->text;
	while (*args[1]->text && (found = strstr(s, args[1]->text))) {
		docker_value_strn(list, NULL, s, (size_t)(found - s));
		s = found + strlen(args[1]->text);
	}
	docker_value_str(list, NULL, s);
	*ret = list;
	return list ? 0 : err_code(e, ENOMEM, "template");
}

static int change_case(struct run *r, const struct docker_value *v, int (*change)(int), bool words,
		       const struct docker_value **ret, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	int code = want(v, DOCKER_VALUE_STR, "string", e);
	bool first = true;

	if (code < 0)
		return code;
	for (const char *s = v->text; *s; s++) {
		strbuf_addch(&out, words && !first ? *s : (char)change((unsigned char)*s));
		first = !isalnum((unsigned char)*s) && *s != '_' && *s != '\'';
	}
	return give_text(r, &out, ret, e);
}

static int call_upper(struct run *r, const struct docker_value **args, size_t n,
		      const struct docker_value **ret, struct err *e)
{
	(void)n;
	return change_case(r, args[0], toupper, false, ret, e);
}

static int call_lower(struct run *r, const struct docker_value **args, size_t n,
		      const struct docker_value **ret, struct err *e)
{
	(void)n;
	return change_case(r, args[0], tolower, false, ret, e);
}

static int call_title(struct run *r, const struct docker_value **args, size_t n,
		      const struct docker_value **ret, struct err *e)
{
	(void)n;
	return change_case(r, args[0], toupper, true, ret, e);
}

#define PAD_MAX 4096

static int call_pad(struct run *r, const struct docker_value **args, size_t n,
		    const struct docker_value **ret, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	int code = want(args[0], DOCKER_VALUE_STR, "string", e);

	(void)n;
	if (code >= 0)
		code = want(args[1], DOCKER_VALUE_INT, "int", e);
	if (code >= 0)
		code = want(args[2], DOCKER_VALUE_INT, "int", e);
	if (code < 0)
		return code;
	if (args[1]->number > PAD_MAX || args[2]->number > PAD_MAX)
		return err_set(e, EINVAL, "too wide for csbx");
	/* An empty text stays empty. */
	for (int64_t i = 0; *args[0]->text && i < args[1]->number; i++)
		strbuf_addch(&out, ' ');
	strbuf_addstr(&out, args[0]->text);
	for (int64_t i = 0; *args[0]->text && i < args[2]->number; i++)
		strbuf_addch(&out, ' ');
	return give_text(r, &out, ret, e);
}

static int call_truncate(struct run *r, const struct docker_value **args, size_t n,
			 const struct docker_value **ret, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	int code = want(args[0], DOCKER_VALUE_STR, "string", e);
	size_t len;

	(void)n;
	if (code >= 0)
		code = want(args[1], DOCKER_VALUE_INT, "int", e);
	if (code < 0)
		return code;
	len = strlen(args[0]->text);
	if (args[1]->number < 0)
		return err_set(e, EINVAL, "slice bounds out of range");
	if ((uint64_t)args[1]->number < len)
		len = (size_t)args[1]->number;
	strbuf_add(&out, args[0]->text, len);
	return give_text(r, &out, ret, e);
}

const struct template_function template_docker_functions[] = {
	{"join", 2, 2, call_join, true},
	{"json", 1, 1, call_json, true},
	{"lower", 1, 1, call_lower, true},
	{"pad", 3, 3, call_pad, true},
	{"split", 2, 2, call_split, true},
	{"title", 1, 1, call_title, true},
	{"truncate", 2, 2, call_truncate, true},
	{"upper", 1, 1, call_upper, true},
	{0},
};
