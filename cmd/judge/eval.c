/* SPDX-License-Identifier: Apache-2.0 */

/* `csbx eval`: runs generated code in a fresh container and judges it. */

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/judge/batch/batch.h"
#include "cmd/judge/eval_batch.h"
#include "cmd/judge/job.h"
#include "cmd/judge/judge.h"
#include "cmd/judge/lanes.h"
#include "cmd/judge/loan.h"
#include "cmd/judge/markdown.h"
#include "cmd/judge/report/report.h"
#include "cmd/judge/summary.h"
#include "cmd/options/input_file.h"
#include "cmd/options/resolve.h"
#include "cmd/options/result_out.h"
#include "cmd/options/run_container.h"
#include "cmd/options/run_opts.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/record/volume.h"
#include "runtime/settings/config.h"
#include "runtime/spec/result_json.h"

#define DEFAULT_TIMEOUT_MS 5000u
#define EVAL_FILE_BYTES_MAX (100u << 20)
#define DEFAULT_MEMORY_BYTES (UINT64_C(256) << 20)
#define EVAL_WARM_HOSTNAME "csbx"

struct eval_args {
	struct run_opts run;
	const char *image, *function, *cases, *setup, *check, *batch, *output, *report, *name;
	struct strv files, deny_import, deny_call, allow_command;
	uint64_t jobs, total_timeout_ms;
	int lang, lanes;
	bool fail_fast, ordered, markdown, warm, in_place;
};

static const struct opt eval_only_opts[] = {
	{OPT_STR, 0, "image", "IMAGE", offsetof(struct eval_args, image), .offers = "image",
	 .help = "the image, or a container, to run it in"},
	{OPT_CHOICE, 0, "lang", "LANGUAGE", offsetof(struct eval_args, lang),
	 .choices = EVAL_LANG_CHOICES, .initial = "python",
	 .help = "the language of FILE; the image must have python3, bash, node or cc"},
	{OPT_FLAG, 0, "markdown", NULL, offsetof(struct eval_args, markdown),
	 .help = "FILE, or the code of a batch's lines, is Markdown, as models answer: take the "
		 "first fenced block that is marked as the language's, else the first unmarked one; "
		 "a text without either is the program"},
	{OPT_STR, 0, "cases", "FILE", offsetof(struct eval_args, cases), .offers = "file",
	 .help = "JSON: an array of cases; each is a call of --function, or a run with its own "
		 "standard input, and what is expected of it. --timeout is for each of them, and "
		 "for loading"},
	{OPT_FLAG, 0, "fail-fast", NULL, offsetof(struct eval_args, fail_fast),
	 .help = "run no more cases after one that has not passed"},
	{OPT_DURATION, 0, "total-timeout", "TIME", offsetof(struct eval_args, total_timeout_ms),
	 .help = "end after TIME of all cases together, or of the check; what is left has not passed"},
	{OPT_STR, 0, "function", "NAME", offsetof(struct eval_args, function),
	 .help = "the function, or CLASS.METHOD, that the cases call; Python only"},
	{OPT_STR, 0, "setup", "FILE", offsetof(struct eval_args, setup), .offers = "file",
	 .help = "code that runs before the snippet, in the same name space; with --function"},
	{OPT_STR, 0, "check", "FILE", offsetof(struct eval_args, check), .offers = "file",
	 .help = "asserting code, run in a second container: it imports the snippet's functions "
		 "from the module solution, and csbx carries calls and values between the two; "
		 "with --function, candidate is that function, and check(candidate) is called"},
	{OPT_FLAG, 0, "in-place", NULL, offsetof(struct eval_args, in_place),
	 .help = "what a call does to its arguments is brought back to the --check after every call; "
		 "else after those that return None"},
	{OPT_LIST, 0, "files", "FILE", offsetof(struct eval_args, files), .offers = "file",
	 .help = "a file to put, under its own name, into the directory the program starts in"},
	{OPT_LIST, 0, "deny-import", "MODULE", offsetof(struct eval_args, deny_import),
	 .help = "do not run a program that imports MODULE or what is in it, or anything for *; a "
		 "look at its syntax tree, no boundary"},
	{OPT_LIST, 0, "deny-call", "NAME", offsetof(struct eval_args, deny_call),
	 .help = "do not run a program that calls NAME (eval, os.system)"},
	{OPT_LIST, 0, "allow-command", "NAME", offsetof(struct eval_args, allow_command),
	 .help = "do not run a program that starts other commands than these by subprocess, "
		 "os.system and their like"},
	{OPT_STR, 0, "batch", "FILE", offsetof(struct eval_args, batch), .offers = "file",
	 .help = "many snippets: a JSON object a line in FILE (- for standard input), a JSON "
		 "object a line out, as they end"},
	{OPT_NUMBER, 0, "jobs", "N", offsetof(struct eval_args, jobs), .max = BATCH_JOBS_MAX,
	 .initial = "one a CPU", .help = "how many lines of a batch run at a time"},
	{OPT_CHOICE, 0, "lanes", "WHETHER", offsetof(struct eval_args, lanes),
	 .choices = "auto|yes|no", .initial = "auto",
	 .help = "no: each snippet of a batch has a container of its own; yes: those in Python share "
		 "one for each of --jobs, one after the other, emptied and compared in between, "
		 "where that can be had (docs/judging.md says what they share); auto: as CSBX_LANES "
		 "has it, else yes"},
	{OPT_FLAG, 0, "warm", NULL, offsetof(struct eval_args, warm),
	 .help = "a snippet in Python: take an interpreter and a container that an earlier such "
		 "command has left, where there are some, and leave them to the next one for "
		 "CSBX_LINGER; docs/judging.md says what such commands share. CSBX_WARM=yes says so "
		 "of all"},
	{OPT_STR, 0, "output", "FILE", offsetof(struct eval_args, output), .offers = "file",
	 .help = "add a batch's records to FILE; lines whose id has a record there are passed "
		 "over"},
	{OPT_STR, 0, "report", "FILE", offsetof(struct eval_args, report), .offers = "file",
	 .help = "write a page about the run, or about all records of a batch, to FILE, whose "
		 "name ends in .html: verdicts, times and memory as plots, each failure with its "
		 "output"},
	{OPT_FLAG, 0, "ordered", NULL, offsetof(struct eval_args, ordered),
	 .help = "a batch's records come in the order of its lines"},
	{0},
};

static const struct opt_table eval_only_table = {"Evaluation", eval_only_opts};

/* Generated code gets nothing but what it is given. */
static void eval_init(void *args)
{
	struct run_opts *o = &((struct eval_args *)args)->run;

	run_opts_init(o);
	o->no_stdin = true;
	o->tty = TTY_WISH_NO;
}

/* Limits that neither an option nor a setting has: they give way to the site's policy. */
static void set_default_limits(struct limit_spec *l)
{
	l->timeout_is_default = !l->timeout_ms;
	l->memory_is_default = !l->memory_bytes;
	if (l->timeout_is_default)
		l->timeout_ms = DEFAULT_TIMEOUT_MS;
	if (l->memory_is_default)
		l->memory_bytes = DEFAULT_MEMORY_BYTES;
}

static void eval_done(void *args)
{
	run_opts_done(&((struct eval_args *)args)->run);
	strv_free(&((struct eval_args *)args)->files);
	strv_free(&((struct eval_args *)args)->deny_import);
	strv_free(&((struct eval_args *)args)->deny_call);
	strv_free(&((struct eval_args *)args)->allow_command);
}

/* The directory of the code, and an empty one to start in unless another was asked for. */
static int add_directories(struct run_opts *o, struct err *e)
{
	const struct file_spec code = {.path = (char *)EVAL_CODE_DIR, .is_users = true};
	const struct file_spec work = {.path = (char *)EVAL_WORK_DIR, .is_users = true};
	int r = spec_copy_file(&o->spec, &code, e);

	if (r >= 0 && !o->workdir) {
		o->workdir = "/" EVAL_WORK_DIR;
		r = spec_copy_file(&o->spec, &work, e);
	}
	return r;
}

static int prepare(struct cmd *c, struct eval_args *a, struct subject *subject, struct err *e)
{
	static char placeholder[] = "eval";
	char *argv[] = {placeholder, NULL};
	const struct resolve_request q = {subject, 1, argv, NULL};
	int r;

	/* The command is the language's; the image's entry point is not asked. */
	a->run.entrypoint = "";
	if (a->warm && !a->run.spec.ns.hostname) { /* a lane has one of all its programs */
		a->run.spec.ns.hostname = str_printf(EVAL_WARM_HOSTNAME);
		if (!a->run.spec.ns.hostname)
			return err_oom(e);
	}
	set_default_limits(&a->run.spec.limits);
	r = subject_open(c, a->image, &a->run, subject, e);
	if (r < 0)
		return err_wrap(e, "%s", a->image);
	if (r >= 0)
		r = add_directories(&a->run, e);
	if (r >= 0 && a->run.stdin_path) {
		r = run_replace_stdin(a->run.stdin_path, &a->run.spec, e);
		a->run.no_stdin = false;
	}
	return r < 0 ? r : resolve_spec(c, &q, &a->run, e);
}

/* Of the command line, else of the configuration; a batch has lanes of its own. */
static int choose_warm(const struct cmd *c, struct eval_args *a, struct err *e)
{
	const char *configured = a->batch ? NULL : config_get(c->config, "CSBX_WARM");

	return eval_loan_choose(a->warm, configured, &a->warm, e);
}

static int check_words(struct cmd *c, const struct eval_args *a, int argc, struct err *e)
{
	if (!a->image)
		return err_set(e, EINVAL, "--image is missing; usage: csbx eval %s",
			       c->verb->usage);
	if (a->run.tty == TTY_WISH_YES)
		return err_set(e, EINVAL, "--tty: judged code has no terminal");
	if (a->batch && (argc || a->run.result.json || a->run.result.fd))
		return err_set(e, EINVAL,
			       "--batch: takes neither a file nor --json; each line says "
			       "what is run, each has a record");
	if (a->batch && a->warm)
		return err_set(e, EINVAL, "--warm: is for one snippet; a batch has --lanes");
	if (a->fail_fast && !a->cases && !a->batch)
		return err_set(e, EINVAL, "--fail-fast: needs --cases");
	if (a->total_timeout_ms && !a->cases && !a->check && !a->batch)
		return err_set(e, EINVAL, "--total-timeout: needs --cases or --check");
	if (a->in_place && !a->check && !a->batch)
		return err_set(e, EINVAL, "--in-place: needs --check");
	if ((a->output || a->jobs || a->ordered || a->lanes == EVAL_LANES_YES) && !a->batch)
		return err_set(e, EINVAL, "--output, --jobs, --ordered and --lanes: need --batch");
	return 0;
}

/* The words behind FILE are the program's: one that is an option of eval's is hardly meant so. */
static int check_place(const struct cmd *c, int argc, char **argv, struct err *e)
{
	for (char **word = c->argv; *word; word++) {
		if (str_eq(*word, "--"))
			return 0;
	}
	for (int i = 1; i < argc; i++) {
		if (opt_of_word(c->verb->uses, argv[i]))
			return err_set(e, EINVAL,
				       "%.60s stands behind FILE, where words are the program's: "
				       "put it before FILE; \"--\" before FILE says that it is "
				       "the program's",
				       argv[i]);
	}
	return 0;
}

static int read_job(const struct eval_args *a, int argc, char **argv, struct eval_job *job,
		    struct err *e)
{
	int r;

	job->has_code = true;
	for (int i = 1; i < argc; i++)
		strv_add(&job->args, argv[i]);
	if (strv_check(&job->args, e) < 0)
		return -ENOMEM;
	if (eval_job_check(job, e) < 0)
		return -EINVAL;
	r = eval_read_file(argc ? argv[0] : "-", EVAL_CODE_BYTES_MAX, &a->run.spec, &job->code, e);
	if (r >= 0 && job->is_markdown)
		markdown_take_code(job->lang, &job->code);
	return r < 0 ? r : strbuf_check(&job->code, e);
}

static int read_cases(const struct eval_args *a, struct eval_job *job, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = 0;

	if (a->function) {
		r = eval_job_set_function(job, a->function, e);
		if (r < 0)
			return err_wrap(e, "--function");
	}
	if (a->setup) {
		job->has_setup = true;
		r = eval_read_file(a->setup, EVAL_CODE_BYTES_MAX, &a->run.spec, &job->setup, e);
	}
	if (r < 0)
		return err_wrap(e, "--setup");
	if (a->cases) {
		r = eval_read_file(a->cases, EVAL_CASES_BYTES_MAX, &a->run.spec, &text, e);
		if (r >= 0)
			r = eval_cases_read(strbuf_str(&text), text.len, a->function != NULL,
					    &job->cases, e);
	}
	return r < 0 ? err_wrap(e, "--cases") : 0;
}

/* --files FILE: by its last name in the directory the program starts in. */
static int read_files(const struct eval_args *a, struct eval_job *job, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < a->files.n; i++) {
		const char *path = a->files.items[i], *slash = strrchr(path, '/');
		_strbuf_ struct strbuf data = STRBUF_INIT;

		r = input_file_read(path, EVAL_FILE_BYTES_MAX, &a->run.spec, &data, e);
		if (r < 0)
			return err_wrap(e, "--files %s", path);
		r = eval_job_add_file(job, slash ? slash + 1 : path, strbuf_str(&data), data.len,
				      e);
	}
	return r < 0 ? err_wrap(e, "--files") : 0;
}

static int read_check(const struct eval_args *a, struct eval_job *job, struct err *e)
{
	int r = 0;

	if (a->check) {
		job->has_check = true;
		r = eval_read_file(a->check, EVAL_CODE_BYTES_MAX, &a->run.spec, &job->check, e);
	}
	return r < 0 ? err_wrap(e, "--check") : 0;
}

/* Reads the options that only the command line has: they are the same for every line of a batch. */
static int read_common(const struct eval_args *a, struct eval_job *job, struct err *e)
{
	int r = read_cases(a, job, e);

	job->run = &a->run.spec;
	job->lang = (enum eval_lang)a->lang;
	job->fail_fast = a->fail_fast;
	job->is_markdown = a->markdown;
	job->is_in_place = a->in_place;
	job->total_timeout_ms = a->total_timeout_ms;
	for (size_t i = 0; i < a->deny_import.n; i++)
		strv_add(&job->deny_import, a->deny_import.items[i]);
	for (size_t i = 0; i < a->deny_call.n; i++)
		strv_add(&job->deny_call, a->deny_call.items[i]);
	for (size_t i = 0; i < a->allow_command.n; i++)
		strv_add(&job->allow_command, a->allow_command.items[i]);
	if (r >= 0)
		r = read_check(a, job, e);
	return r < 0 ? r : read_files(a, job, e);
}

static int run_one(struct cmd *c, struct eval_args *a, struct eval_job *job,
		   const struct image_meta *meta)
{
	struct eval_container container = {.paths = &c->paths, .spec = &a->run.spec};
	struct eval_job_container own = {0};
	struct eval_verdict verdict = {0};
	struct eval_loan loan = EVAL_LOAN_INIT;
	struct result_more more = {.write = eval_verdict_write, .ctx = &verdict};
	struct result_out out;
	struct report report = REPORT_INIT;
	struct err e = ERR_INIT;
	int code, r = report_open(&report, a->report, "eval", &a->run.spec, &e);

	if (r >= 0)
		r = result_out_open(&a->run.result, &a->run.spec, &out, &e);
	if (r >= 0 && a->warm)
		eval_loan_begin(&loan, job->lang, &container);
	if (r >= 0)
		r = eval_job_container_make(&container, job, &own, &e);
	if (r >= 0)
		r = eval_judge(&own.container, job, &verdict, &e);
	if (r < 0) {
		code = cmd_error(&e, "eval");
	} else {
		run_report(&verdict.ended.spec, meta, &verdict.ended.result, "eval");
		if (!verdict.is_out_of_time) /* else the cases tell of it */
			run_explain_limit(&verdict.ended.spec, &verdict.ended.result, "eval");
		code = eval_exit_code(&verdict);
		if (!a->run.result.json && !a->run.result.fd)
			eval_summary_print(&verdict);
		more.completed = verdict.completed;
		if (result_out_write_more(&out, &verdict.ended.spec, &verdict.ended.result, &more,
					  &e) < 0 ||
		    report_run(&report, &verdict.ended.spec, &verdict.ended.result, &more, a->name,
			       &e) < 0)
			code = cmd_error(&e, "eval");
	}
	report_free(&report);
	eval_verdict_free(&verdict);
	eval_job_container_free(&own);
	eval_loan_end(&loan, &container);
	return code;
}

static int run_batch(struct cmd *c, struct eval_args *a, struct eval_job *job)
{
	const char *lanes = config_get(c->config, "CSBX_LANES");
	struct err e = ERR_INIT;
	bool has_lanes;
	struct batch b = {.spec = &a->run.spec,
			  .input = a->batch,
			  .output = a->output,
			  .report = a->report,
			  .jobs = (unsigned)a->jobs,
			  .ordered = a->ordered};

	if (eval_lanes_choose(a->lanes, lanes, &has_lanes, &e) < 0)
		return cmd_error(&e, "eval");
	a->run.spec.capture_output = true;
	return eval_batch_run(&c->paths, &a->run.spec, job, has_lanes, &b);
}

static int eval_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct eval_args *a = args;
	struct eval_job job = {0};
	struct subject subject = {0};
	struct err e = ERR_INIT;
	int code, r = check_words(c, a, argc, &e);

	if (r >= 0)
		r = volume_find_all(&c->paths, &a->run.spec, &e);
	if (r >= 0)
		r = choose_warm(c, a, &e);
	if (r >= 0)
		r = read_common(a, &job, &e);
	if (r >= 0 && !a->batch)
		r = check_place(c, argc, argv, &e);
	if (r >= 0 && !a->batch)
		r = read_job(a, argc, argv, &job, &e);
	if (r >= 0)
		r = prepare(c, a, &subject, &e);
	a->name = argc ? argv[0] : "-";
	if (r < 0) {
		code = cmd_error(&e, "eval");
		if (a->image)
			run_explain_missing(a->image, &e);
	} else {
		cmd_hide_values(c, &a->run.env);
		code = a->batch ? run_batch(c, a, &job) : run_one(c, a, &job, &subject.meta);
	}
	eval_job_free(&job);
	subject_close(&subject);
	return code;
}

static const struct verb_example examples[] = {
	{"a snippet, and all that is to be known about how it ran",
	 "csbx eval --image ./python.sqsh --json snippet.py"},
	{"from a pipe, with its own limits",
	 "echo 'print(6*7)' | csbx eval --image ./python.sqsh --timeout 2 --memory 64m -"},
	{"a function against cases, which it does not see",
	 "csbx eval --image ./python.sqsh --function add --cases cases.json --json snippet.py"},
	{"C, by the compiler of the image", "csbx eval --image ./gcc.sqsh --lang c snippet.c"},
	{0},
};

const struct verb verb_eval = {
	.name = "eval",
	.usage = "--image IMAGE [OPTIONS] [FILE|- [ARG...]]",
	.description =
		"Runs one snippet of generated code in a fresh container: no network, a throw-away "
		"root, an empty directory to start in, standard input from /dev/null or --stdin, 5 "
		"seconds and 256 MiB, or less where the site's policy has less. FILE is read by csbx, from standard input where it is - or "
		"missing.\n\n"
		"The result object has more than that of run: \"completed\" says whether a script "
		"in Python came to its last statement (not if it left by sys.exit() or "
		"os._exit()), \"error_summary\" what went wrong and in which line, \"feedback\" "
		"the same in sentences. These come from the script's own process, and a script can "
		"forge them: they are a help, no verdict.\n\n"
		"--cases and --check are verdicts: the expected values and the asserting code stay "
		"where the program cannot reach them. docs/judging.md describes cases, batches and "
		"what the results say.\n\n"
		"The exit code is the program's, but 1 where that is 0 and the script did not come "
		"to its last statement; 124 after --timeout, 137 when it was killed for what it "
		"used, 1 when it does not compile or uses what is not allowed. With --cases or "
		"--check it is 0 if all passed, else 1; with --batch 0 if every line got a record of a "
		"run, 1 where lines were wrong or csbx failed, which their records say.",
	.uses = (const struct opt_use[]){{&eval_only_table, 0},
					 RUN_OPT_USES(offsetof(struct eval_args, run)),
					 {0}},
	.letters = (const struct opt_letter[]){{'e', "env"}, {'j', "jobs"}, {'o', "output"}, {0}},
	.examples = examples,
	.offers = "file",
	.flags = VERB_OPERAND_ENDS,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct eval_args),
	.init = eval_init,
	.done = eval_done,
	.run = eval_run,
};
