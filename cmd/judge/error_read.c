/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/judge.h"

#include <stdlib.h>

#include "cmd/judge/value/value.h"

static char *copy_text(const struct value *v)
{
	return v->kind == VALUE_STR ? str_printf("%.4096s", v->text) : NULL;
}

void eval_error_read(const char *payload, size_t len, struct eval_error *ret)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	struct value v;
	long line = 0;

	if (ret->type || value_read_literal(&pool, payload, len, &v, NULL) < 0 ||
	    v.kind != VALUE_LIST || v.n != 3)
		return;
	if (v.items[2].kind == VALUE_INT)
		line = strtol(v.items[2].text, NULL, 10);
	ret->type = copy_text(&v.items[0]);
	ret->message = copy_text(&v.items[1]);
	ret->line = line > 0 && line < 1000000000 ? (unsigned)line : 0;
}

void eval_error_free(struct eval_error *x)
{
	free(x->type);
	free(x->message);
	*x = (struct eval_error){0};
}
