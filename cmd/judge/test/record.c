/* SPDX-License-Identifier: Apache-2.0 */

/* One record of the harness into the report. Strict: refuses a member that the schema does not
 * know. */

#include <stdlib.h>
#include <string.h>

#include "cmd/judge/test/report.h"
#include "runtime/base/json/json.h"
#include "runtime/base/err.h"

#define RECORD_BYTES_MAX 65536u

typedef int record_fn(struct test_report *r, const struct json *v, struct err *e);

static int text_member(const struct json *v, const char *key, bool is_needed, const char **ret,
		       struct err *e)
{
	int r = json_get_str(v, key, ret, e);

	if (r >= 0 && is_needed && !*ret)
		return err_set(e, EBADMSG, "%s is missing", key);
	if (r >= 0 && *ret && strlen(*ret) > TEST_ID_MAX)
		return err_set(e, EBADMSG, "%s is too long", key);
	return r;
}

static int bool_member(const struct json *v, const char *key, bool *ret, struct err *e)
{
	const struct json *m = json_member(v, key);
	int truth = m ? json_truth(m) : -EINVAL;

	if (truth < 0)
		return err_set(e, EBADMSG, "%s must be true or false", key);
	*ret = truth;
	return 0;
}

/* Once only: a later one did not come from the harness's own beginning. */
static int set_once(char **at, const char *text, struct err *e)
{
	if (*at || !text)
		return 0;
	*at = strdup(text);
	return *at ? 0 : err_oom(e);
}

static int add_hello(struct test_report *r, const struct json *v, struct err *e)
{
	const char *python;
	int ret = text_member(v, "python", true, &python, e);

	return ret < 0 ? ret : set_once(&r->python, python, e);
}

static int add_session(struct test_report *r, const struct json *v, struct err *e)
{
	const char *runner, *version;
	int ret = text_member(v, "runner", true, &runner, e);

	if (ret >= 0)
		ret = text_member(v, "version", true, &version, e);
	if (ret >= 0)
		ret = set_once(&r->runner, runner, e);
	return ret < 0 ? ret : set_once(&r->runner_version, version, e);
}

/* Once a runner has begun, code of the repository may have run: patches are before that. */
static int check_early(const struct test_report *r, struct err *e)
{
	return r->runner ? err_set(e, EBADMSG, "too late in the run") : 0;
}

static int add_patch(struct test_report *r, const struct json *v, struct err *e)
{
	const char *name, *error, *tool;
	bool applied, tests;
	int ret = check_early(r, e);

	if (ret >= 0)
		ret = text_member(v, "name", true, &name, e);
	if (ret >= 0)
		ret = text_member(v, "error", false, &error, e);
	if (ret >= 0)
		ret = text_member(v, "tool", false, &tool, e);
	if (ret >= 0)
		ret = bool_member(v, "applied", &applied, e);
	if (ret >= 0)
		ret = bool_member(v, "tests", &tests, e);
	if (ret >= 0)
		ret = set_once(&r->patch_tool, tool, e);
	if (ret >= 0)
		ret = test_notes_add(&r->patches, name, error, e);
	if (ret < 0 || !r->patches.n)
		return ret;
	r->patches.items[r->patches.n - 1].flags =
		(applied && !error ? PATCH_APPLIED : 0) | (tests ? PATCH_OF_TESTS : 0);
	return 0;
}

static int add_changed(struct test_report *r, const struct json *v, struct err *e)
{
	const char *path;
	bool tests, site, shadow, is_new;
	size_t before = r->changed.n;
	int ret = check_early(r, e);

	if (ret >= 0)
		ret = text_member(v, "path", true, &path, e);
	if (ret >= 0)
		ret = bool_member(v, "tests", &tests, e);
	if (ret >= 0)
		ret = bool_member(v, "site", &site, e);
	if (ret >= 0)
		ret = bool_member(v, "shadow", &shadow, e);
	if (ret >= 0)
		ret = bool_member(v, "new", &is_new, e);
	/*
	 * Files that have no room here are not looked at: a patch must not be able to hide behind
	 * its size.
	 */
	if (ret >= 0 && before >= TEST_CHANGED_MAX)
		return test_notes_add(&r->tamper, "patch_size",
				      "too many files to look at all of them", e);
	if (ret >= 0)
		ret = test_notes_append(&r->changed, path, NULL, e);
	if (ret < 0)
		return ret;
	r->changed.items[before].flags = (tests ? CHANGED_BY_TESTS : 0) |
					 (site ? CHANGED_INSTALLED : 0) |
					 (shadow ? CHANGED_SHADOW : 0) | (is_new ? CHANGED_NEW : 0);
	return 0;
}

static int add_tamper(struct test_report *r, const struct json *v, struct err *e)
{
	const char *kind, *detail;
	int ret = text_member(v, "kind", true, &kind, e);

	if (ret >= 0)
		ret = text_member(v, "detail", true, &detail, e);
	return ret < 0 ? ret : test_notes_add(&r->tamper, kind, detail, e);
}

static int add_collect_error(struct test_report *r, const struct json *v, struct err *e)
{
	const char *id, *message;
	int ret = text_member(v, "id", true, &id, e);

	if (ret >= 0)
		ret = text_member(v, "message", true, &message, e);
	return ret < 0 ? ret : test_notes_add(&r->collect_errors, id, message, e);
}

static int add_error(struct test_report *r, const struct json *v, struct err *e)
{
	const char *code, *message;
	int ret = text_member(v, "code", true, &code, e);

	if (ret >= 0)
		ret = text_member(v, "message", true, &message, e);
	if (ret >= 0)
		ret = set_once(&r->error_code, code, e);
	return ret < 0 ? ret : set_once(&r->error_message, message, e);
}

static int phase_of(const char *outcome, enum test_phase *ret, struct err *e)
{
	static const struct {
		const char *name;
		enum test_phase phase;
	} known[] = {{"passed", PHASE_PASSED},
		     {"skipped", PHASE_SKIPPED},
		     {"failed", PHASE_FAILED},
		     {"rerun", PHASE_NONE}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (str_eq(outcome, known[i].name)) {
			*ret = known[i].phase;
			return 0;
		}
	}
	return err_set(e, EBADMSG, "unknown outcome");
}

static int add_phase(struct test_case *c, const char *when, enum test_phase phase, struct err *e)
{
	uint8_t *at = str_eq(when, "setup")      ? &c->setup
		      : str_eq(when, "call")     ? &c->call
		      : str_eq(when, "teardown") ? &c->teardown
						 : NULL;

	if (!at)
		return err_set(e, EBADMSG, "unknown phase");
	if (phase > *at)
		*at = (uint8_t)phase;
	return 0;
}

/* A part of a test (a subtest) makes the test fail or says nothing. */
static int add_report(struct test_report *r, const struct json *v, struct err *e)
{
	const char *id, *alt, *when, *outcome;
	bool xfail, part;
	uint64_t ms = 0;
	enum test_phase phase;
	struct test_case *c;
	int ret = text_member(v, "id", true, &id, e);

	if (ret >= 0)
		ret = text_member(v, "alt", false, &alt, e);
	if (ret >= 0)
		ret = text_member(v, "when", true, &when, e);
	if (ret >= 0)
		ret = text_member(v, "outcome", true, &outcome, e);
	if (ret >= 0)
		ret = bool_member(v, "xfail", &xfail, e);
	if (ret >= 0)
		ret = bool_member(v, "part", &part, e);
	if (ret >= 0)
		ret = json_get_size(v, "ms", &ms, e);
	if (ret >= 0)
		ret = phase_of(outcome, &phase, e);
	if (ret < 0)
		return ret;
	if (part && phase != PHASE_FAILED)
		return 0;
	c = test_report_case(r, id, alt);
	if (!c)
		return r->is_full ? 0 : err_oom(e);
	ret = add_phase(c, when, phase, e);
	if (ret < 0)
		return ret;
	c->xfail |= xfail;
	c->duration_ms += ms > UINT32_MAX - c->duration_ms ? 0 : (uint32_t)ms;
	return 0;
}

static int add_finish(struct test_report *r, const struct json *v, struct err *e)
{
	uint64_t status, collected, failed, session_failed;
	int ret = json_get_size(v, "status", &status, e);

	if (ret >= 0)
		ret = json_get_size(v, "collected", &collected, e);
	if (ret >= 0)
		ret = json_get_size(v, "failed", &failed, e);
	if (ret >= 0)
		ret = json_get_size(v, "session_failed", &session_failed, e);
	if (ret < 0 || r->is_finished)
		return ret;
	r->status = status;
	r->collected = collected;
	r->failed = failed;
	r->session_failed = session_failed;
	r->is_finished = true;
	return 0;
}

static int add_nothing(struct test_report *r, const struct json *v, struct err *e)
{
	(void)r;
	(void)v;
	(void)e;
	return 0;
}

static int add_oversize(struct test_report *r, const struct json *v, struct err *e)
{
	(void)v;
	r->has_lost = true;
	return test_notes_add(&r->tamper, "channel", "a record was too large to be sent", e);
}

static const struct {
	const char *type;
	record_fn *add;
} records[] = {
	{"hello", add_hello},       {"patch", add_patch},   {"changed", add_changed},
	{"session", add_session},   {"tamper", add_tamper}, {"collect_error", add_collect_error},
	{"report", add_report},     {"finish", add_finish}, {"error", add_error},
	{"oversize", add_oversize}, {"done", add_nothing},
};

static int add_record(struct test_report *r, const char *text, size_t len, struct err *e)
{
	_json_ struct json *root = NULL;
	const char *type = NULL;
	int ret = json_parse(text, len, RECORD_BYTES_MAX, &root, e);

	if (ret < 0)
		return ret;
	if (!json_is_object(root))
		return err_set(e, EBADMSG, "not an object");
	ret = json_get_str(root, "t", &type, e);
	if (ret < 0)
		return ret;
	/* After the end nothing is worse than it was, so nothing is believed. */
	if (r->is_finished && type && !str_eq(type, "tamper") && !str_eq(type, "done"))
		return err_set(e, EBADMSG, "a record after the end");
	for (size_t i = 0; type && i < sizeof(records) / sizeof(records[0]); i++) {
		if (str_eq(type, records[i].type))
			return records[i].add(r, root, e);
	}
	return err_set(e, EBADMSG, "unknown record");
}

int test_report_add(struct test_report *r, const char *text, size_t len, struct err *e)
{
	const bool was_finished = r->is_finished;
	int ret = add_record(r, text, len, e);

	r->has_lost |= ret < 0 && !was_finished;
	return ret;
}
