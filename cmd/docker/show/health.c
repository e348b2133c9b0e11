/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/show/health.h"

#include <stdlib.h>

#include "cmd/docker/frame/notes.h"
#include "cmd/docker/show/value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/io.h"
#include "runtime/base/num.h"
#include "runtime/life/container_state.h"
#include "runtime/record/run_dir.h"

#define MAGIC 0x31484343u /* "CCH1" */
#define VERSION 1u
#define BYTES_MAX (64u << 10)
#define FILE_NAME "health"

enum { TAG_STATUS = 1, TAG_STREAK, TAG_START, TAG_END, TAG_EXIT_CODE, TAG_OUTPUT };

/* --- what is to be checked ------------------------------------------------------------------ */

static uint64_t number(const struct strv *notes, const char *key, uint64_t otherwise)
{
	const char *text = notes_get(notes, key, 0);
	uint64_t v = 0;

	return text && num_parse_u64(text, INT64_MAX, &v) >= 0 && v ? v : otherwise;
}

bool health_check_read(const struct strv *notes, struct health_check *ret)
{
	static const uint64_t second_ns = 1000000000u;

	*ret = (struct health_check){0};
	notes_get_all(notes, HEALTH_NOTE "test", &ret->test);
	if (ret->test.n < 2 || ret->test.failed) {
		health_check_free(ret);
		return false;
	}
	ret->interval_ns = number(notes, HEALTH_NOTE "interval", 30 * second_ns);
	ret->timeout_ns = number(notes, HEALTH_NOTE "timeout", 30 * second_ns);
	ret->start_period_ns = number(notes, HEALTH_NOTE "start-period", 0);
	ret->start_interval_ns = number(notes, HEALTH_NOTE "start-interval", 5 * second_ns);
	ret->retries = number(notes, HEALTH_NOTE "retries", 3);
	return true;
}

void health_check_free(struct health_check *c)
{
	strv_free(&c->test);
	*c = (struct health_check){0};
}

const char *health_status_name(enum health_status s)
{
	static const char *const names[] = {"none", "starting", "healthy", "unhealthy"};

	return names[s];
}

/* --- what was found ------------------------------------------------------------------------- */

int health_write(int run_fd, const struct health *h, struct err *e)
{
	const struct io_replace where = {
		.dirfd = run_fd, .name = FILE_NAME, .mode = 0600, .replace = 1};
	struct flat_writer w;
	int r;

	flat_begin(&w, MAGIC, VERSION);
	flat_u64(&w, TAG_STATUS, h->status);
	flat_u64(&w, TAG_STREAK, h->failing_streak);
	for (size_t i = 0; i < h->n; i++) {
		flat_u64(&w, TAG_START, h->probes[i].start_ns);
		flat_u64(&w, TAG_END, h->probes[i].end_ns);
		flat_u64(&w, TAG_EXIT_CODE, (uint64_t)((int64_t)h->probes[i].exit_code + 1));
		flat_str(&w, TAG_OUTPUT, h->probes[i].output ? h->probes[i].output : "");
	}
	r = flat_end(&w, e);
	if (r >= 0)
		r = io_write_file_at(&where, w.buf.data, w.buf.len, e);
	flat_free(&w);
	return r;
}

/* A probe begins with its start. */
static int decode_field(struct health *h, const struct flat_field *f, struct err *e)
{
	struct health_probe *p = h->n ? &h->probes[h->n - 1] : NULL;
	const char *text;
	uint64_t v = 0;
	int r;

	if (f->tag == TAG_OUTPUT) {
		r = flat_get_str(f, &text, e);
		if (r < 0 || !p || p->output)
			return r;
		p->output = strdup(text);
		return p->output ? 0 : err_set(e, ENOMEM, "out of memory");
	}
	r = flat_get_u64(f, &v, e);
	if (r < 0)
		return r;
	if (f->tag == TAG_STATUS && v <= HEALTH_UNHEALTHY)
		h->status = (enum health_status)v;
	else if (f->tag == TAG_STREAK)
		h->failing_streak = v;
	else if (f->tag == TAG_START && h->n < HEALTH_PROBES)
		h->probes[h->n++].start_ns = v;
	else if (f->tag == TAG_END && p)
		p->end_ns = v;
	else if (f->tag == TAG_EXIT_CODE && p)
		p->exit_code = v <= 256 ? (int)v - 1 : -1;
	return 0;
}

int health_read(int run_fd, struct health *ret, struct err *e)
{
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	struct flat_reader reader;
	struct flat_field f;
	int r = io_read_file_at(run_fd, FILE_NAME, BYTES_MAX, &bytes, e);

	*ret = (struct health){0};
	if (r >= 0)
		r = flat_open(&reader, bytes.data, bytes.len, MAGIC, VERSION, e);
	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0)
		r = decode_field(ret, &f, e);
	if (r < 0)
		health_free(ret);
	return r < 0 ? r : 0;
}

void health_free(struct health *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->probes[i].output);
	*h = (struct health){0};
}

/* --- showing -------------------------------------------------------------------------------- */

static bool look(const struct paths *p, const char *name, const struct container_record *r,
		 struct health *ret)
{
	struct run_dir run = RUN_DIR_INIT;

	*ret = (struct health){0};
	if (!r->spec || !notes_get(&r->notes, HEALTH_NOTE "test", 1))
		return false;
	if (container_run_dir(p, name, r, &run, NULL) >= 0 && run.fd >= 0)
		(void)health_read(run.fd, ret, NULL);
	run_dir_close(&run);
	if (ret->status == HEALTH_NONE)
		ret->status = HEALTH_STARTING;
	return true;
}

enum health_status health_of(const struct paths *p, const char *name,
			     const struct container_record *r)
{
	struct health h;
	enum health_status s = look(p, name, r, &h) ? h.status : HEALTH_NONE;

	health_free(&h);
	return s;
}

void health_add_state(struct docker_value *state, const struct paths *p, const char *name,
		      const struct container_record *r)
{
	struct docker_value *v, *log;
	struct health h;

	if (!look(p, name, r, &h)) {
		v = docker_value_add(state, "Health", DOCKER_VALUE_NIL);
		if (v)
			v->flags = DOCKER_VALUE_GO_ONLY;
		return;
	}
	v = docker_value_add(state, "Health", DOCKER_VALUE_STRUCT);
	docker_value_str(v, "Status", health_status_name(h.status));
	docker_value_int(v, "FailingStreak", (int64_t)h.failing_streak);
	log = docker_value_add(v, "Log", DOCKER_VALUE_LIST);
	for (size_t i = 0; i < h.n; i++) {
		struct docker_value *one = docker_value_add(log, NULL, DOCKER_VALUE_STRUCT);

		docker_value_time(one, "Start", h.probes[i].start_ns);
		docker_value_time(one, "End", h.probes[i].end_ns);
		docker_value_int(one, "ExitCode", h.probes[i].exit_code);
		docker_value_str(one, "Output", h.probes[i].output);
	}
	health_free(&h);
}

void health_add_config(struct docker_value *config, const struct strv *notes)
{
	static const char *const keys[][2] = {{"Interval", HEALTH_NOTE "interval"},
					      {"Timeout", HEALTH_NOTE "timeout"},
					      {"StartPeriod", HEALTH_NOTE "start-period"},
					      {"StartInterval", HEALTH_NOTE "start-interval"},
					      {"Retries", HEALTH_NOTE "retries"}};
	_strv_ struct strv test = STRV_INIT;
	struct docker_value *v;

	notes_get_all(notes, HEALTH_NOTE "test", &test);
	if (!test.n)
		return;
	v = docker_value_add(config, "Healthcheck", DOCKER_VALUE_STRUCT);
	docker_value_strv(v, "Test", &test, DOCKER_VALUE_LIST);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		uint64_t n = number(notes, keys[i][1], 0);

		if (n)
			docker_value_int(v, keys[i][0], (int64_t)n);
	}
}
