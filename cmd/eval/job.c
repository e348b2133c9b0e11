/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/eval/job.h"

#include <errno.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/io.h"

void eval_job_free(struct eval_job *job)
{
	strbuf_free(&job->code);
	strv_free(&job->args);
}

const char *eval_snippet_path(enum eval_lang lang)
{
	static const char *const paths[EVAL_LANGS] = {
		[EVAL_PYTHON] = "/" EVAL_CODE_DIR "/snippet.py",
		[EVAL_BASH] = "/" EVAL_CODE_DIR "/snippet.sh",
		[EVAL_NODE] = "/" EVAL_CODE_DIR "/snippet.js",
		[EVAL_C] = "/" EVAL_CODE_DIR "/snippet.c",
	};

	return paths[lang];
}

int eval_read_file(const char *path, size_t max, struct strbuf *out, struct err *e)
{
	int r = str_eq(path, "-") ? io_read_all(STDIN_FILENO, max, out, e)
				  : io_read_path(path, max, out, e);

	if (r == -EFBIG)
		return err_set(e, EFBIG, "%s: larger than %zu MiB", path, max >> 20);
	return r < 0 && str_eq(path, "-") ? err_wrap(e, "standard input") : r < 0 ? r : 0;
}
