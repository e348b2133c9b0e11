/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/job.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/judge/container.h"
#include "cmd/options/input_file.h"
#include "runtime/base/err.h"
#include "runtime/base/io.h"

#define SETUP_PATH "/" EVAL_CODE_DIR "/setup.py"

void eval_job_free(struct eval_job *job)
{
	strbuf_free(&job->code);
	strv_free(&job->args);
	free(job->function);
	strbuf_free(&job->setup);
	strbuf_free(&job->check);
	eval_cases_free(&job->cases);
	for (size_t i = 0; i < job->n_files; i++) {
		free(job->files[i].path);
		free(job->files[i].data);
	}
	free(job->files);
	strv_free(&job->env);
	strv_free(&job->deny_import);
	strv_free(&job->deny_call);
	strv_free(&job->allow_command);
}

/* A letter of a name in Python; any that is not ASCII counts as one. */
static bool is_in_name(char c, bool is_first)
{
	return c == '_' || (unsigned char)c >= 0x80 || isalpha((unsigned char)c) ||
	       (!is_first && isdigit((unsigned char)c));
}

int eval_job_set_function(struct eval_job *job, const char *name, struct err *e)
{
	_strbuf_ struct strbuf plain = STRBUF_INIT;
	const char *p = name;
	bool is_first = true;

	for (; *p; p++) {
		if (*p == '.' && !is_first) {
			is_first = true;
		} else if (!is_in_name(*p, is_first)) {
			break;
		} else {
			is_first = false;
		}
		strbuf_addch(&plain, *p);
		if (!is_first && p[1] == '(' && p[2] == ')' && p[3] == '.')
			p += 2;
	}
	if (*p || is_first)
		return err_set(e, EINVAL, "%.100s: is no function's name, and no CLASS.METHOD",
			       name);
	if (strbuf_check(&plain, e) < 0)
		return -ENOMEM;
	free(job->function);
	job->function = strbuf_take(&plain);
	return 0;
}

bool eval_job_is_bare(const struct eval_job *job)
{
	return !job->code.data && !job->args.items && !job->function && !job->setup.data &&
	       !job->check.data && !job->cases.items && !job->files && !job->env.items &&
	       !job->deny_import.items && !job->deny_call.items && !job->allow_command.items;
}

int eval_job_check(const struct eval_job *job, struct err *e)
{
	if (job->has_check && job->cases.n)
		return err_set(e, EINVAL, "--check and --cases exclude each other");
	if (job->function && !job->cases.n && !job->has_check)
		return err_set(e, EINVAL, "--function: needs --cases or --check");
	if ((job->function || job->has_check) && job->lang != EVAL_PYTHON)
		return err_set(e, EINVAL, "--function, --check: only with --lang python");
	if (eval_job_has_lint(job) && job->lang != EVAL_PYTHON)
		return err_set(e, EINVAL,
			       "--deny-import, --deny-call, --allow-command: only with "
			       "--lang python");
	if (job->has_setup && !job->function && !job->has_check)
		return err_set(e, EINVAL, "--setup: needs --function or --check");
	return 0;
}

/* Names of a path that is to be made below a directory. */
static bool is_inside(const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/");

		if (!len || len > 255 || (len == 1 && *path == '.') ||
		    (len == 2 && path[0] == '.' && path[1] == '.') || (path[len] && !path[len + 1]))
			return false;
		path += len + (path[len] == '/');
	}
	return true;
}

int eval_job_add_file(struct eval_job *job, const char *path, const void *data, size_t len,
		      struct err *e)
{
	struct file_spec f = {.len = len, .is_users = true};
	struct file_spec *p = reallocarray(job->files, job->n_files + 1, sizeof(*p));

	if (!p)
		return err_oom(e);
	job->files = p;
	if (!*path || !is_inside(path + (*path == '/')))
		return err_set(e, EINVAL, "%.200s: not a path of a file", path);
	f.path = *path == '/' ? str_printf("%s", path + 1) : str_printf(EVAL_WORK_DIR "/%s", path);
	f.data = malloc(len + 1);
	if (!f.path || !f.data) {
		free(f.path);
		free(f.data);
		return err_oom(e);
	}
	if (len)
		memcpy(f.data, data, len);
	f.data[len] = 0;
	p[job->n_files++] = f;
	return 0;
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
	eval_harness_argv(argv);
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

int eval_read_file(const char *path, size_t max, const struct container_spec *spec,
		   struct strbuf *out, struct err *e)
{
	int r = str_eq(path, "-") ? io_read_all_given(STDIN_FILENO, max, out, e)
				  : input_file_read(path, max, spec, out, e);

	if (r == -EFBIG)
		return err_set(e, EINVAL, "%s: larger than %zu MiB", path, max >> 20);
	return r < 0 && str_eq(path, "-") ? err_wrap(e, "standard input") : r < 0 ? r : 0;
}
