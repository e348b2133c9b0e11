/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/options/run_container.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/detach.h"
#include "cmd/options/input_file.h"
#include "cmd/options/resolve.h"
#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/volume.h"
#include "runtime/settings/config.h"
#include "runtime/start/container.h"
#include "runtime/spec/name.h"
#include "runtime/spec/result.h"

/* The OCI name of this machine's architecture, where it differs from uname's. */
static const char *oci_arch(const char *machine)
{
	if (str_eq(machine, "x86_64"))
		return "amd64";
	return str_eq(machine, "aarch64") ? "arm64" : machine;
}

/* Why a command may not be there, from what is known of the image. */
static void explain_launch_error(const struct container_spec *spec, const struct image_meta *meta,
				 const struct run_result *result)
{
	const char *argv0 = spec->proc.argv.items[0];
	const char *path = strv_get_env(&spec->proc.env, "PATH");
	struct utsname host;

	if (*argv0 == '-')
		cmd_hint("options stand before the container or image: from there on every word "
			 "belongs to the command");
	else if (meta && meta->arch && uname(&host) == 0 &&
		 !str_eq(meta->arch, oci_arch(host.machine)))
		cmd_hint("the image is for %s, this machine is %s", meta->arch,
			 oci_arch(host.machine));
	else if (meta && !meta->has_shell && (str_eq(argv0, "/bin/sh") || str_eq(argv0, "sh")))
		cmd_hint("the image has no shell; name a program that is in it");
	else if (result->exit_code == CMD_EXIT_NOT_FOUND && !strchr(argv0, '/'))
		cmd_hint("searched in the container's PATH, %s", path ? path : "which is not set");
	else if (result->exit_code == CMD_EXIT_NOT_FOUND)
		cmd_hint("the file, or the interpreter it names, is not in the container");
}

/* 64 MiB; 1000 bytes */
static void add_bytes(struct strbuf *out, uint64_t bytes)
{
	if (bytes && bytes % (1u << 20) == 0)
		strbuf_addf(out, "%llu MiB", (unsigned long long)(bytes >> 20));
	else
		strbuf_addf(out, "%llu bytes", (unsigned long long)bytes);
}

void run_explain_limit(const struct container_spec *spec, const struct run_result *result,
		       const char *what)
{
	const struct limit_spec *l = &spec->limits;
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (result->status == RUN_TIMEOUT)
		strbuf_addf(&out, "--timeout ended it after %llu.%03llu s",
			    (unsigned long long)l->timeout_ms / 1000,
			    (unsigned long long)l->timeout_ms % 1000);
	else if (result->status == RUN_OOM)
		strbuf_addstr(&out, "--memory ended it: it needed more than ");
	else if (result->status == RUN_OUTPUT_LIMIT)
		strbuf_addstr(&out, "--max-output-kill ended it: it wrote more than ");
	else if (result->status == RUN_PIDS_LIMIT)
		strbuf_addf(&out, "--pids-limit ended it: it started more than %llu processes",
			    (unsigned long long)l->pids);
	if (result->status == RUN_OOM)
		add_bytes(&out, l->memory_bytes);
	else if (result->status == RUN_OUTPUT_LIMIT)
		add_bytes(&out, l->output_kill_bytes);
	if (out.len && isatty(STDERR_FILENO))
		cmd_warn("%s: %s", what, strbuf_str(&out));
}

int run_report(const struct container_spec *spec, const struct image_meta *meta,
	       const struct run_result *result, const char *what)
{
	for (size_t i = 0; i < result->degraded.n; i++)
		cmd_warn("degraded: %s", result->degraded.items[i]);
	if (result->status == RUN_LAUNCH_ERROR || result->status == RUN_SANDBOX_ERROR)
		cmd_error(&result->error, "%s", what);
	if (result->status == RUN_LAUNCH_ERROR)
		explain_launch_error(spec, meta, result);
	/* RLIMIT_NPROC says no before the group does, which then only has been full. */
	if (result->pids.by == ENFORCED_CGROUP2 && run_exit_code(result) &&
	    (result->pids_refused || result->max_pids >= spec->limits.pids))
		cmd_hint("the limit of %llu processes was reached; --pids-limit sets it",
			 (unsigned long long)spec->limits.pids);
	if (result->net_tried)
		cmd_hint("the container has no network; --network host gives it the host's");
	return run_exit_code(result);
}

/* A run that did not come about has a result too: a caller that asked for one waits for it. */
static void failed_result(struct run_result *result, const struct err *e)
{
	result->status = RUN_SANDBOX_ERROR;
	result->exit_code = CMD_EXIT_FAILED;
	result->error = *e;
}

static int read_spares(const struct cmd *c, enum spares *ret, struct err *e)
{
	const char *v = c->config ? config_get(c->config, "CSBX_SPARES") : NULL;
	int r = v ? config_parse_flag(v) : 0;

	*ret = r > 0 ? SPARES_WHEN_IDLE : SPARES_NONE;
	if (r >= 0)
		return 0;
	if (!str_eq(v, "always"))
		return err_set(e, EINVAL, "CSBX_SPARES %.60s: yes, no or always", v);
	*ret = SPARES_ALWAYS;
	return 0;
}

static int run_plain(const struct cmd *c, const struct container_spec *spec,
		     struct run_result *result, struct err *e)
{
	struct container_hooks hooks = {.started_fd = -1, .client_sock = -1};
	int r = read_spares(c, &hooks.spares, e);

	if (r < 0)
		return r;
	return container_run(spec, &c->paths, hooks.spares != SPARES_NONE ? &hooks : NULL, result,
			     e);
}

static int run_spec(struct cmd *c, const struct container_spec *spec, const struct image_meta *meta,
		    struct result_out *out, const char *what)
{
	struct run_result result = {0};
	struct err e = ERR_INIT;
	int code;

	if (run_plain(c, spec, &result, &e) < 0) {
		code = cmd_error(&e, "%s", what);
		if (e.code == EBUSY && spec->rootfs.reads_layer)
			cmd_hint("a container's layer is part of it, and a start writes to that "
				 "now; csbx exec runs a command in the start");
		failed_result(&result, &e);
	} else {
		code = run_report(spec, meta, &result, what);
		run_explain_limit(spec, &result, what);
	}
	if (out && result_out_write(out, spec, &result, &e) < 0)
		code = cmd_error(&e, "%s", what);
	run_result_free(&result);
	return code;
}

int run_with_result(struct cmd *c, struct run_opts *o, const struct image_meta *meta,
		    const char *what)
{
	struct result_out out;
	struct err e = ERR_INIT;

	cmd_hide_values(c, &o->env);
	if (result_out_open(&o->result, &o->spec, &out, &e) < 0)
		return cmd_error(&e, "%s", what);
	return run_spec(c, &o->spec, meta, &out, what);
}

int run_replace_stdin(const char *path, const struct container_spec *spec, struct err *e)
{
	_close_ int fd = input_file_open(path, O_RDONLY, spec, e);

	if (fd < 0)
		return err_wrap(e, "--stdin");
	return dup2(fd, STDIN_FILENO) < 0 ? err_sys(e, "--stdin %s", path) : 0;
}

static int set_run_name(struct run_opts *o, const char *name, struct err *e)
{
	if (!name)
		return 0;
	if (name_check(name, e) < 0)
		return err_wrap(e, "--name");
	free(o->spec.name);
	o->spec.name = str_printf("%s", name);
	return o->spec.name ? 0 : err_oom(e);
}

int run_prepare(struct cmd *c, const struct run_request *q, struct run_opts *o,
		struct subject *subject, struct err *e)
{
	const struct resolve_request resolve = {subject, q->argc, q->argv, q->rc};
	int r = q->record ? subject_open_read(c, q->operand, q->record, o, subject, e)
			  : subject_open(c, q->operand, o, subject, e);

	if (r >= 0)
		r = set_run_name(o, q->name, e);
	if (r >= 0 && o->stdin_path)
		r = volume_find_all(&c->paths, &o->spec, e);
	if (r >= 0 && o->stdin_path)
		r = run_replace_stdin(o->stdin_path, &o->spec, e);
	return r < 0 ? r : resolve_spec(c, &resolve, o, e);
}

int run_plan(const struct container_spec *spec, const struct paths *paths, const char *what)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	if (container_plan(spec, paths, &out, &e) < 0)
		return cmd_error(&e, "%s", what);
	strbuf_addf(&out, "%-16s ", "workdir");
	strbuf_add_escaped(&out, spec->proc.cwd, strlen(spec->proc.cwd));
	strbuf_addch(&out, '\n');
	return cmd_print(&out);
}

/* "start py.sqsh.old": a name is looked up in the store, never in the current directory. */
void run_explain_missing(const char *operand, const struct err *e)
{
	if (e->origin != ERR_NO_IMAGE || operand_kind(operand) != OPERAND_NAME)
		return;
	if (access(operand, F_OK) == 0)
		cmd_hint("a file or directory is named with a slash: ./%s", operand);
	else
		cmd_hint("csbx list shows the containers, csbx create makes one; csbx docker "
			 "pull %s fetches an image of that name",
			 operand);
}

int run_container(struct cmd *c, const struct run_request *q, struct run_opts *o)
{
	_free_ char *what = str_printf("%s %s", c->verb->name, q->operand);
	struct subject subject = {0};
	struct err e = ERR_INIT;
	int code;

	if (!what) {
		err_oom(&e);
		return cmd_error(&e, "%s", c->verb->name);
	}
	if (run_prepare(c, q, o, &subject, &e) < 0) {
		code = cmd_error(&e, "%s", what);
		run_explain_missing(q->operand, &e);
	} else {
		code = q->plan     ? run_plan(&o->spec, &c->paths, what)
		       : q->detach ? run_detached(c, o, what)
				   : run_with_result(c, o, &subject.meta, what);
	}
	subject_close(&subject);
	return code;
}
