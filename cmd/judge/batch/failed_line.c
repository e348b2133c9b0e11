/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/batch/failed_line.h"

#include <errno.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"

/* True: an error of this code (positive errno) is the machine's, not the line's. */
static bool is_host_failure(int code)
{
	static const int codes[] = {ENOMEM, EMFILE, ENFILE, ENOSPC, EDQUOT,
				    EAGAIN, EIO,    EROFS,  EFBIG,  ENOBUFS};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (code == codes[i])
			return true;
	}
	return false;
}

bool batch_failed_line(uint64_t line, const char *label, unsigned occurrence, const struct err *why,
		       struct strbuf *out)
{
	struct json_out j = JSON_OUT_INIT;
	bool is_host = is_host_failure(why->code);
	const char *status = is_host ? "sandbox_error" : "bad_line";
	_free_ char *stage = str_printf("line %llu", (unsigned long long)line);

	json_begin_object(&j);
	json_key(&j, "id");
	json_raw(&j, label && *label ? label : NULL);
	if (occurrence > 1)
		json_ku64(&j, "occurrence", occurrence);
	json_ku64(&j, "line", line);
	json_kstr(&j, "status", status);
	json_kbool(&j, "success", false);
	json_key(&j, "error");
	json_begin_object(&j);
	json_kstr(&j, "code", status);
	json_kstr(&j, "stage", stage);
	json_kstr(&j, "message", why->msg);
	json_end_object(&j);
	json_end_object(&j);
	strbuf_add(out, strbuf_str(&j.buf), j.buf.len);
	strbuf_addch(out, '\n');
	json_out_free(&j);
	return !is_host;
}
