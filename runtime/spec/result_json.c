/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/result_json.h"

#include <stdio.h>

#include "runtime/base/base64.h"
#include "runtime/base/err.h"
#include "runtime/base/json/out.h"
#include "runtime/spec/result.h"
#include "runtime/spec/spec.h"

static void key_null(struct json_out *j, const char *key)
{
	json_key(j, key);
	json_null(j);
}

/* null instead of zero, for what is not asked for or was not measured. */
static void key_u64_or_null(struct json_out *j, const char *key, uint64_t v)
{
	if (v)
		json_ku64(j, key, v);
	else
		key_null(j, key);
}

static void key_milli(struct json_out *j, const char *key, uint64_t milli)
{
	json_key(j, key);
	json_milli(j, milli);
}

static void write_subject(struct json_out *j, const struct container_spec *s,
			  const struct result_more *more)
{
	const char *label = more->label;

	/* A reader of a batch's records looks for the label first. */
	if (label) {
		json_key(j, "id");
		json_raw(j, label);
		if (more->occurrence > 1)
			json_ku64(j, "occurrence", more->occurrence);
	}
	json_ku64(j, "schema", RESULT_SCHEMA);
	json_kstr(j, label ? "instance" : "id", s->id);
	json_kstr(j, "name", s->name);
	json_kstr(j, "image", s->rootfs.path);
	json_kstrv(j, "argv", &s->proc.argv);
	json_kstr(j, "cwd", s->proc.cwd);
	json_key(j, "user");
	json_begin_object(j);
	json_ku64(j, "uid", s->proc.uid);
	json_ku64(j, "gid", s->proc.gid);
	json_kstr(j, "name", s->proc.user_name);
	json_end_object(j);
}

static void write_status(struct json_out *j, const struct container_spec *s,
			 const struct run_result *r, int completed)
{
	json_kstr(j, "status", run_status_name(r->status));
	json_kbool(j, "success", r->status == RUN_EXITED && !r->exit_code && completed);
	if (completed < 0)
		key_null(j, "completed");
	else
		json_kbool(j, "completed", completed);
	json_key(j, "exit_code");
	if (r->exit_code >= 0)
		json_i64(j, r->exit_code);
	else
		json_null(j);
	key_u64_or_null(j, "signal", (uint64_t)r->signal);
	json_kbool(j, "timed_out", r->timed_out);
	json_key(j, "timeout_s");
	if (s->limits.timeout_ms)
		json_milli(j, s->limits.timeout_ms);
	else
		json_null(j);
	json_kbool(j, "oom_killed", r->oom_killed);
	json_kstr(j, "detected", r->detected);
	key_u64_or_null(j, "memory_limit_bytes", s->limits.memory_bytes);
	key_u64_or_null(j, "memory_peak_bytes", r->memory_peak_bytes);
}

static void write_text(struct json_out *j, const char *key, const struct strbuf *text, bool base64)
{
	_strbuf_ struct strbuf coded = STRBUF_INIT;

	json_key(j, key);
	if (base64) {
		base64_encode(strbuf_str(text), text->len, &coded);
		json_strn(j, strbuf_str(&coded), coded.len);
	} else {
		json_strn(j, strbuf_str(text), text->len);
	}
}

/* A stream that is handed through as it is was not counted. */
static void key_bytes(struct json_out *j, const char *key, const struct run_result *r,
		      const struct run_output *o)
{
	if (r->is_captured || o->bytes)
		json_ku64(j, key, o->bytes);
	else
		key_null(j, key);
}

static void write_output(struct json_out *j, const struct run_result *r, bool with_output)
{
	bool base64 = !str_is_utf8(strbuf_str(&r->out.text), r->out.text.len) ||
		      !str_is_utf8(strbuf_str(&r->err.text), r->err.text.len);

	if (r->is_captured && with_output) {
		write_text(j, "stdout", &r->out.text, base64);
		write_text(j, "stderr", &r->err.text, base64);
	} else {
		key_null(j, "stdout");
		key_null(j, "stderr");
	}
	key_bytes(j, "stdout_bytes", r, &r->out);
	key_bytes(j, "stderr_bytes", r, &r->err);
	json_key(j, "truncated");
	json_begin_object(j);
	json_kbool(j, "stdout", r->out.truncated);
	json_kbool(j, "stderr", r->err.truncated);
	json_end_object(j);
	json_kstr(j, "encoding",
		  r->is_captured && with_output ? (base64 ? "base64" : "utf-8") : NULL);
}

static void write_times(struct json_out *j, const struct run_result *r)
{
	json_key(j, "started_at");
	json_time(j, r->started_at_ns);
	key_milli(j, "wall_s", r->wall_ns / 1000000u);
	key_milli(j, "cpu_user_s", r->user_us / 1000u);
	key_milli(j, "cpu_sys_s", r->sys_us / 1000u);
	key_milli(j, "setup_s", r->setup_ns / 1000000u);
	key_milli(j, "teardown_s", r->teardown_ns / 1000000u);
	key_u64_or_null(j, "max_pids", r->max_pids);
}

static void write_limit(struct json_out *j, const char *key, const struct run_limit *l, bool milli)
{
	static const char *const names[] = {
		[ENFORCED_NOT_ASKED] = NULL,      [ENFORCED_CGROUP2] = "cgroup2",
		[ENFORCED_WATCHDOG] = "watchdog", [ENFORCED_RLIMIT] = "rlimit",
		[ENFORCED_AFFINITY] = "affinity", [ENFORCED_NONE] = "none",
	};

	json_key(j, key);
	json_begin_object(j);
	if (milli && l->asked)
		key_milli(j, "asked", l->asked);
	else
		key_u64_or_null(j, "asked", l->asked);
	json_kstr(j, "enforced_by", names[l->by]);
	json_end_object(j);
}

/* True when a program failed with its limit of processes reached: no other member of the result
 * says why its fork failed. */
static bool is_short_of_processes(const struct run_result *r)
{
	uint64_t seen = r->max_pids ? r->max_pids : 1;
	bool failed = r->status == RUN_SIGNALED || (r->status == RUN_EXITED && r->exit_code);

	if (!r->pids.asked || r->pids.asked == UINT64_MAX)
		return false;
	return r->status == RUN_PIDS_LIMIT ||
	       (failed && (r->pids_refused || seen >= r->pids.asked));
}

static void write_pids_error(struct json_out *j, const struct run_result *r)
{
	char text[96];

	snprintf(text, sizeof(text),
		 "pids: the limit of %llu process%s was reached; --pids-limit sets it",
		 (unsigned long long)r->pids.asked, r->pids.asked == 1 ? "" : "es");
	json_begin_object(j);
	json_kstr(j, "code", "pids_limit");
	json_kstr(j, "stage", "pids");
	json_kstr(j, "message", text);
	json_end_object(j);
}

/* "word: reason" of the err a front end would print; the stage is the part before the first ':'. */
static void write_error(struct json_out *j, const struct run_result *r)
{
	const char *colon = strchr(r->error.msg, ':');

	json_key(j, "error");
	if (!r->error.code && is_short_of_processes(r)) {
		write_pids_error(j, r);
		return;
	}
	if (!r->error.code) {
		json_null(j);
		return;
	}
	json_begin_object(j);
	json_kstr(j, "code", run_error_code(r));
	json_key(j, "stage");
	if (colon)
		json_strn(j, r->error.msg, (size_t)(colon - r->error.msg));
	else
		json_null(j);
	json_kstr(j, "message", r->error.msg);
	json_end_object(j);
}

static void write_files(struct json_out *j, const struct run_result *r)
{
	json_key(j, "files");
	json_begin_object(j);
	for (size_t i = 0; i < r->n_files; i++) {
		if (r->files[i].is_there)
			write_text(j, r->files[i].path, &r->files[i].data, true);
		else
			key_null(j, r->files[i].path);
	}
	json_end_object(j);
}

static void write_degraded(struct json_out *j, const struct run_result *r)
{
	json_key(j, "degraded");
	json_begin_array(j);
	for (size_t i = 0; i < r->degraded.n; i++)
		json_str(j, r->degraded.items[i]);
	for (size_t i = 0; i < r->weaker.n; i++)
		json_str(j, r->weaker.items[i]);
	json_end_array(j);
}

int result_json(const struct container_spec *spec, const struct run_result *r, bool with_output,
		struct strbuf *out, struct err *e)
{
	static const struct result_more nothing = {.completed = -1};

	return result_json_more(spec, r, with_output, &nothing, out, e);
}

int result_json_more(const struct container_spec *spec, const struct run_result *r,
		     bool with_output, const struct result_more *more, struct strbuf *out,
		     struct err *e)
{
	struct json_out j = JSON_OUT_INIT;
	int ret;

	json_begin_object(&j);
	write_subject(&j, spec, more);
	write_status(&j, spec, r, more->completed);
	write_output(&j, r, with_output);
	write_times(&j, r);
	json_key(&j, "limits");
	json_begin_object(&j);
	write_limit(&j, "memory", &r->memory, false);
	write_limit(&j, "cpus", &r->cpus_milli, true);
	write_limit(&j, "pids", &r->pids, false);
	json_end_object(&j);
	write_degraded(&j, r);
	write_error(&j, r);
	write_files(&j, r);
	json_kstr(&j, "csbx_version", CSBX_VERSION);
	if (more->write)
		more->write(more->ctx, &j);
	json_end_object(&j);
	ret = json_finish(&j, e);
	if (ret >= 0) {
		strbuf_add(out, strbuf_str(&j.buf), j.buf.len);
		strbuf_addch(out, '\n');
		ret = strbuf_check(out, e);
	}
	json_out_free(&j);
	return ret;
}
