/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of cases, with and without a function, and each case's judgement of its own expectation.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/cases.h"
#include "cmd/judge/value/json.h"
#include "runtime/base/err.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"
#include "tests/fuzz/fuzz.h"

/* JSON that was written is JSON that is read, as the same value. */
static void check_json(const struct value *v)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct value w;

	value_write_json(v, &text);
	if (value_read_json(&pool, strbuf_str(&text), text.len, &w, NULL) >= 0 &&
	    value_sort(&w, NULL) >= 0)
		(void)value_order(v, &w);
}

static void judge(struct eval_case *c)
{
	static const char garbage[] = "l4:s1:Rs1:xN";

	if (c->expected) {
		check_json(c->expected);
		if (c->compare.kind == COMPARE_EQUAL)
			FUZZ_ASSERT(compare_values(&c->compare, c->expected, c->expected));
		if (c->compare.kind == COMPARE_STDOUT) {
			eval_case_printed(c, c->expected->text, c->expected->n);
			FUZZ_ASSERT(c->outcome == EVAL_PASSED);
			return;
		}
	}
	eval_case_answered(c, garbage, sizeof(garbage) - 1);
	FUZZ_ASSERT(c->outcome > EVAL_PASSED && c->detail.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *exact = malloc(size + !size);

	if (!exact)
		return 0;
	memcpy(exact, data, size);
	for (int for_function = 0; for_function < 2; for_function++) {
		struct eval_cases cases = {0};
		struct json_out j = JSON_OUT_INIT;
		struct err e = ERR_INIT;

		if (eval_cases_read(exact, size, for_function, &cases, &e) < 0) {
			FUZZ_ASSERT(e.code > 0 && e.msg[0]);
		} else {
			for (size_t i = 0; i < cases.n; i++)
				judge(&cases.items[i]);
			json_begin_object(&j);
			eval_cases_write(&cases, &j);
			json_end_object(&j);
			FUZZ_ASSERT(json_finish(&j, &e) >= 0);
		}
		json_out_free(&j);
		eval_cases_free(&cases);
	}
	free(exact);
	return 0;
}
