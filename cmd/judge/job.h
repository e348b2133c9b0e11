/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_JOB_H
#define CSBX_CMD_EVAL_JOB_H

/* A job, the thing to be judged: one snippet and what is asked of it. */

#include "cmd/judge/cases.h"
#include "runtime/base/str.h"
#include "runtime/spec/spec.h"

struct err;

enum eval_lang { EVAL_PYTHON, EVAL_BASH, EVAL_NODE, EVAL_C, EVAL_LANGS };
#define EVAL_LANG_CHOICES "python|bash|node|c"

#define EVAL_CODE_BYTES_MAX (16u << 20)

/* Directories of a judged run's container: code and program, and the empty one it starts in. */
#define EVAL_CODE_DIR "csbx"
#define EVAL_WORK_DIR "work"

struct eval_job {
	enum eval_lang lang;
	const struct container_spec *run; /* its files are read for it */
	struct strbuf code;
	bool has_code;
	bool is_markdown;    /* the code is in a fenced block of a text (markdown.h) */
	struct strv args;    /* the program's, behind its name */
	char *function;      /* cases call it; NULL: a case is a run with its own input */
	struct strbuf setup; /* run before the snippet, in its name space */
	bool has_setup;
	struct strbuf check; /* asserting code, which runs elsewhere and calls the snippet */
	bool has_check;
	bool is_in_place; /* it has its arguments back as each call leaves them */
	bool takes_names; /* it has its names from the snippet: what that lacks is no name in it */
	struct eval_cases cases;   /* none: it is only run */
	bool fail_fast;            /* cases behind one that has not passed are not run */
	uint64_t total_timeout_ms; /* of all cases together, or of the check; 0: none */
	const struct value *input; /* standard input of a run, a text; NULL: csbx's own */
	struct file_spec *files;   /* put into the container besides */
	size_t n_files;
	struct strv env;                   /* in addition to what the container has */
	uint64_t timeout_ms, memory_bytes; /* 0: the container's */
	struct strv deny_import, deny_call, allow_command; /* of the lint; empty: not asked for */
};

void eval_job_free(struct eval_job *job);

/* True when it has no memory of its own: a copy of the struct is another job. */
bool eval_job_is_bare(const struct eval_job *job);

/* Where asserting code lies, in its own container. */
#define EVAL_CHECK_PATH "/" EVAL_CODE_DIR "/check.py"

/* The snippet's path inside, by language: "/csbx/snippet.py". */
const char *eval_snippet_path(enum eval_lang lang);

static inline bool eval_job_has_lint(const struct eval_job *job)
{
	return job->deny_import.n || job->deny_call.n || job->allow_command.n;
}

/*
 * The function that cases or a check call: NAME, CLASS.METHOD, or "CLASS().METHOD", which is the same.
 * -EINVAL for what can be neither.
 */
int eval_job_set_function(struct eval_job *job, const char *name, struct err *e);

/* Checks for options that do not go together. -EINVAL in the words of the options. */
int eval_job_check(const struct eval_job *job, struct err *e);

/*
 * Adds a file; a relative path is one in the directory it starts in. The data is copied. -EINVAL
 * for a path that leads out.
 */
int eval_job_add_file(struct eval_job *job, const char *path, const void *data, size_t len,
		      struct err *e);

/*
 * The files of a job in Python, two at most, and the command that has the harness read them;
 * returns how many files. They borrow from the job.
 */
size_t eval_job_files(const struct eval_job *job, struct file_spec files[2], struct strv *argv);

/* The snippet itself, as it is put into the container. */
struct file_spec eval_snippet_file(const struct eval_job *job);

/* Reads FILE, or standard input for "-". spec: the run that it is for (input_file.h). */
int eval_read_file(const char *path, size_t max, const struct container_spec *spec,
		   struct strbuf *out, struct err *e);

#endif
