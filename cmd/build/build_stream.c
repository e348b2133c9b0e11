/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/build_stream.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

static void put(struct json_out *j)
{
	json_end_object(j);
	strbuf_addstr(&j->buf, "\r\n");
	/* The process that reads us notices a client that has gone. */
	(void)io_write_all(STDOUT_FILENO, strbuf_str(&j->buf), j->buf.len, NULL);
	json_out_free(j);
}

void build_stream_data(const char *data, size_t len)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_key(&j, "stream");
	json_strn(&j, data, len);
	put(&j);
}

void build_stream_say(const char *fmt, ...)
{
	_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = str_vprintf(fmt, ap);
	va_end(ap);
	if (text)
		build_stream_data(text, strlen(text));
}

void build_stream_aux(const char *id)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_key(&j, "aux");
	json_begin_object(&j);
	json_kstr(&j, "ID", id);
	json_end_object(&j);
	put(&j);
}

void build_stream_error(int code, const char *message)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_key(&j, "errorDetail");
	json_begin_object(&j);
	if (code)
		json_ku64(&j, "code", (uint64_t)code);
	json_kstr(&j, "message", message);
	json_end_object(&j);
	json_kstr(&j, "error", message);
	put(&j);
}

void build_stream_head(int status, const char *message)
{
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	if (status) {
		json_ku64(&j, "status", (uint64_t)status);
		json_kstr(&j, "message", message);
	}
	put(&j);
}
