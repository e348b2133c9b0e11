/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/show/template_priv.h"

const struct value value_absent = {.kind = VALUE_NIL};

/* Names of types as Go has them, as far as JSON lets one know. */
const char *value_type(const struct value *v)
{
	switch (v->kind) {
	case VALUE_BOOL:
		return "bool";
	case VALUE_INT:
		return "int";
	case VALUE_STR:
		return "string";
	case VALUE_LIST:
	case VALUE_NOLIST:
		return "[]string";
	case VALUE_MAP:
	case VALUE_NOMAP:
		return "map[string]string";
	default:
		return v->type ? v->type : "interface {}";
	}
}

bool value_is_true(const struct value *v)
{
	switch (v->kind) {
	case VALUE_BOOL:
	case VALUE_INT:
		return v->number;
	case VALUE_STR:
		return v->text && *v->text;
	case VALUE_STRUCT:
		return true;
	default:
		return v->count;
	}
}

struct value *run_make(struct run *r, enum value_kind kind)
{
	return value_add(r->made, NULL, kind);
}

struct value *run_make_str(struct run *r, const char *s, size_t len)
{
	r->made_bytes += len;
	return r->made_bytes > TEMPLATE_OUTPUT_MAX ? NULL : value_strn(r->made, NULL, s, len);
}

struct value *run_make_bool(struct run *r, bool yes)
{
	return value_bool(r->made, NULL, yes);
}
