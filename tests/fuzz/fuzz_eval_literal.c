/* SPDX-License-Identifier: Apache-2.0 */
/* Literals of a judged program: what is read is written and read back as the same value. */
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/value/value.h"
#include "cmd/judge/value/json.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	_strbuf_ struct strbuf again = STRBUF_INIT, text = STRBUF_INIT;
	/* No byte behind the end may be read. */
	char *exact = malloc(size + !size);
	struct value v, w;
	struct err e = ERR_INIT;

	if (!exact)
		return 0;
	memcpy(exact, data, size);
	if (value_read_literal(&pool, exact, size, &v, &e) < 0) {
		FUZZ_ASSERT(e.code > 0 && e.msg[0]);
	} else {
		value_write_literal(&v, &again);
		FUZZ_ASSERT(value_read_literal(&pool, strbuf_str(&again), again.len, &w, &e) >= 0);
		FUZZ_ASSERT(!value_order(&v, &w) && !value_order(&w, &v));
		value_write_python(&v, 300, &text);
		FUZZ_ASSERT(text.len <= 303);
		value_write_json(&v, &text);
		(void)value_sort(&v, &e);
	}
	free(exact);
	return 0;
}
