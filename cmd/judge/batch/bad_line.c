/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch/bad_line.h"

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"

void batch_bad_line(uint64_t line, const char *label, unsigned occurrence, const struct err *why,
		    struct strbuf *out)
{
	struct json_out j = JSON_OUT_INIT;
	_free_ char *stage = str_printf("line %llu", (unsigned long long)line);

	json_begin_object(&j);
	json_key(&j, "id");
	json_raw(&j, label && *label ? label : NULL);
	if (occurrence > 1)
		json_ku64(&j, "occurrence", occurrence);
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
