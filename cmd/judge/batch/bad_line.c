/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch/bad_line.h"

#include <string.h>

#include "cmd/judge/batch/line.h"
#include "cmd/judge/value/json.h"
#include "cmd/judge/value/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"

void batch_bad_line(uint64_t line, const char *label, const struct err *why, struct strbuf *out)
{
	struct json_out j = JSON_OUT_INIT;
	_free_ char *stage = str_printf("line %llu", (unsigned long long)line);

	json_begin_object(&j);
	json_key(&j, "id");
	json_raw(&j, label && *label ? label : NULL);
	json_ku64(&j, "line", line);
	json_kstr(&j, "status", "bad_line");
	json_kbool(&j, "success", false);
	json_key(&j, "error");
	json_begin_object(&j);
	json_kstr(&j, "code", "bad_line");
	json_kstr(&j, "stage", stage);
	json_kstr(&j, "message", why->msg);
	json_end_object(&j);
	json_end_object(&j);
	strbuf_add(out, strbuf_str(&j.buf), j.buf.len);
	strbuf_addch(out, '\n');
	json_out_free(&j);
}

void batch_find_label(const char *text, size_t len, struct strbuf *ret)
{
	static const char begin[] = "{\"id\":";
	_strbuf_ struct strbuf head = STRBUF_INIT;
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	const char *comma = memchr(text, ',', len < 4096 ? len : 4096);
	struct value v;

	if (!comma || len < sizeof(begin) || memcmp(text, begin, sizeof(begin) - 1))
		return;
	strbuf_add(&head, text, (size_t)(comma - text));
	strbuf_addch(&head, '}');
	if (batch_read_line(&pool, strbuf_str(&head), head.len, &v, ret, NULL) < 0)
		strbuf_reset(ret);
}
