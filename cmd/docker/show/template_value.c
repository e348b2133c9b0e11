/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/show/template_priv.h"

const struct docker_value value_absent = {.kind = DOCKER_VALUE_NIL};

/* Names of types as Go has them, as far as JSON lets one know. */
const char *value_type(const struct docker_value *v)
{
	switch (v->kind) {
	case DOCKER_VALUE_BOOL:
		return "bool";
	case DOCKER_VALUE_INT:
		return "int";
	case DOCKER_VALUE_STR:
		return "string";
	case DOCKER_VALUE_LIST:
	case DOCKER_VALUE_NOLIST:
		return "[]string";
	case DOCKER_VALUE_MAP:
	case DOCKER_VALUE_NOMAP:
		return "map[string]string";
	default:
		return v->type ? v->type : "interface {}";
	}
}

bool value_is_true(const struct docker_value *v)
{
	switch (v->kind) {
	case DOCKER_VALUE_BOOL:
	case DOCKER_VALUE_INT:
		return v->number;
	case DOCKER_VALUE_STR:
		return v->text && *v->text;
	case DOCKER_VALUE_STRUCT:
		return true;
	default:
		return v->count;
	}
}

struct docker_value *run_make(struct run *r, enum docker_value_kind kind)
{
	return docker_value_add(r->made, NULL, kind);
}

struct docker_value *run_make_str(struct run *r, const char *s, size_t len)
{
	r->made_bytes += len;
	return r->made_bytes > TEMPLATE_OUTPUT_MAX ? NULL
						   : docker_value_strn(r->made, NULL, s, len);
}

struct docker_value *run_make_bool(struct run *r, bool yes)
{
	return docker_value_bool(r->made, NULL, yes);
}
