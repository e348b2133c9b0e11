/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/eval/job.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/io.h"

#define SETUP_PATH "/" EVAL_CODE_DIR "/setup.py"

void eval_job_free(struct eval_job *job)
{
	strbuf_free(&job->code);
	strv_free(&job->args);
	free(job->function);
	strbuf_free(&job->setup);
	eval_cases_free(&job->cases);
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

struct file_spec eval_snippet_file(const struct eval_job *job)
{
	return (struct file_spec){
		.path = (char *)eval_snippet_path(job->lang) + 1,
		.data = (char *)strbuf_str(&job->code),
		.len = job->code.len,
		.is_users = true,
	};
}

size_t eval_job_files(const struct eval_job *job, struct file_spec files[2], struct strv *argv)
{
	strv_add(argv, "python3");
	strv_add(argv, "/proc/self/fd/4");
	strv_add(argv, eval_snippet_path(job->lang));
	files[0] = eval_snippet_file(job);
	if (!job->has_setup)
		return 1;
	strv_add(argv, SETUP_PATH);
	files[1] = (struct file_spec){.path = (char *)SETUP_PATH + 1,
				      .data = (char *)strbuf_str(&job->setup),
				      .len = job->setup.len,
				      .is_users = true};
	return 2;
}

int eval_read_file(const char *path, size_t max, struct strbuf *out, struct err *e)
{
	int r = str_eq(path, "-") ? io_read_all(STDIN_FILENO, max, out, e)
				  : io_read_path(path, max, out, e);

	if (r == -EFBIG)
		return err_set(e, EFBIG, "%s: larger than %zu MiB", path, max >> 20);
	return r < 0 && str_eq(path, "-") ? err_wrap(e, "standard input") : r < 0 ? r : 0;
}
