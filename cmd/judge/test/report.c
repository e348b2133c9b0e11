/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/test/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

const char *test_outcome_name(enum test_outcome o)
{
	static const char *const names[] = {
		[TEST_MISSING] = "missing", [TEST_PASSED] = "passed",   [TEST_FAILED] = "failed",
		[TEST_ERROR] = "error",     [TEST_SKIPPED] = "skipped", [TEST_XFAILED] = "xfailed",
		[TEST_XPASSED] = "xpassed",
	};

	return names[o];
}

/* A test that did not come to the end of its teardown has not passed, whatever it said before. */
enum test_outcome test_case_outcome(const struct test_case *c)
{
	if (c->call == PHASE_FAILED)
		return TEST_FAILED;
	if (c->setup == PHASE_FAILED || c->teardown == PHASE_FAILED)
		return TEST_ERROR;
	if (c->teardown == PHASE_NONE || c->setup == PHASE_NONE)
		return TEST_ERROR;
	if (c->setup == PHASE_SKIPPED || c->call == PHASE_SKIPPED)
		return c->xfail ? TEST_XFAILED : TEST_SKIPPED;
	if (c->call != PHASE_PASSED)
		return TEST_ERROR;
	return c->xfail ? TEST_XPASSED : TEST_PASSED;
}

/* Failures that the harness counts are known by the reports of tests, or of files. */
static bool has_failures(const struct test_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		enum test_outcome o = test_case_outcome(&r->cases[i]);

		if (o == TEST_FAILED || o == TEST_ERROR || o == TEST_XPASSED)
			return true;
	}
	return r->collect_errors.n > 0;
}

bool test_report_is_whole(const struct test_report *r)
{
	return !r->is_full && !r->has_lost &&
	       (!r->is_finished || !r->failed || has_failures(r));
}

static void notes_free(struct test_notes *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].what);
		free(l->items[i].text);
	}
	free(l->items);
}

void test_report_free(struct test_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->cases[i].id);
		free(r->cases[i].alt);
	}
	free(r->cases);
	free(r->table);
	notes_free(&r->patches);
	notes_free(&r->changed);
	notes_free(&r->tamper);
	notes_free(&r->collect_errors);
	free(r->runner);
	free(r->runner_version);
	free(r->python);
	free(r->patch_tool);
	free(r->error_code);
	free(r->error_message);
	*r = (struct test_report){0};
}

static bool has_note(const struct test_notes *l, const char *what, const char *text)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct test_note *n = &l->items[i];

		if (str_eq(n->what, what) &&
		    (text && n->text ? str_eq(n->text, text) : text == n->text))
			return true;
	}
	return false;
}

int test_notes_add(struct test_notes *l, const char *what, const char *text, struct err *e)
{
	return l->n >= TEST_NOTES_MAX || has_note(l, what, text)
		       ? 0
		       : test_notes_append(l, what, text, e);
}

int test_notes_append(struct test_notes *l, const char *what, const char *text, struct err *e)
{
	_free_ char *a = NULL, *b = NULL;

	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 16;
		struct test_note *p = reallocarray(l->items, cap, sizeof(*p));

		if (!p)
			return err_oom(e);
		l->items = p;
		l->cap = cap;
	}
	a = strdup(what);
	b = text ? strdup(text) : NULL;
	if (!a || (text && !b))
		return err_oom(e);
	l->items[l->n++] = (struct test_note){.what = take_ptr(a), .text = take_ptr(b)};
	return 0;
}

/* FNV-1a from a random start: ids that collide by design would make the table slow. */
static uint32_t hash(const struct test_report *r, const char *s)
{
	uint32_t h = r->seed;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h ^ h >> 15;
}

static bool is_of_alt(uint32_t entry)
{
	return (entry - 1) % 2;
}

static const char *name_at(const struct test_report *r, uint32_t entry)
{
	const struct test_case *c = &r->cases[(entry - 1) / 2];

	return is_of_alt(entry) ? c->alt : c->id;
}

static uint32_t *slot_of(const struct test_report *r, const char *id)
{
	size_t i = hash(r, id) & (r->table_size - 1);

	while (r->table[i] && !str_eq(name_at(r, r->table[i]), id))
		i = (i + 1) & (r->table_size - 1);
	return &r->table[i];
}

static bool grow_table(struct test_report *r)
{
	uint32_t *old = r->table;
	size_t old_size = r->table_size;

	if (r->table_size && r->table_used + 2 < r->table_size / 2)
		return true;
	if (!r->seed && getrandom(&r->seed, sizeof(r->seed), 0) != sizeof(r->seed))
		return false;
	r->table_size = old_size ? old_size * 2 : 1024;
	r->table = calloc(r->table_size, sizeof(*r->table));
	if (!r->table) {
		r->table = old;
		r->table_size = old_size;
		return false;
	}
	for (size_t i = 0; i < old_size; i++) {
		if (old[i])
			*slot_of(r, name_at(r, old[i])) = old[i];
	}
	free(old);
	return true;
}

static bool grow_cases(struct test_report *r)
{
	size_t cap = r->cap ? r->cap * 2 : 256;
	struct test_case *p;

	if (r->n < r->cap)
		return true;
	p = reallocarray(r->cases, cap, sizeof(*p));
	if (!p)
		return false;
	r->cases = p;
	r->cap = cap;
	return true;
}

/* An id stands before the same word as an alt. */
static void add_id(struct test_report *r, const char *id, size_t n)
{
	uint32_t *slot = slot_of(r, id);

	r->table_used += !*slot;
	*slot = (uint32_t)n * 2 + 1;
}

static void add_alt(struct test_report *r, const char *alt, size_t n)
{
	uint32_t *slot = slot_of(r, alt);

	if (*slot && is_of_alt(*slot))
		r->cases[(*slot - 1) / 2].shares_alt = r->cases[n].shares_alt = true;
	if (*slot)
		return;
	*slot = (uint32_t)n * 2 + 2;
	r->table_used++;
}

static struct test_case *find_own(struct test_report *r, const char *id)
{
	const uint32_t *slot = r->table_size ? slot_of(r, id) : NULL;

	return slot && *slot && !is_of_alt(*slot) ? &r->cases[(*slot - 1) / 2] : NULL;
}

struct test_case *test_report_case(struct test_report *r, const char *id, const char *alt)
{
	_free_ char *own_id = NULL, *own_alt = NULL;
	struct test_case *own = find_own(r, id);

	if (own)
		return own;
	if (r->n >= TEST_CASES_MAX) {
		r->is_full = true;
		return NULL;
	}
	own_id = strdup(id);
	own_alt = alt ? strdup(alt) : NULL;
	if (!own_id || (alt && !own_alt) || !grow_cases(r) || !grow_table(r))
		return NULL;
	r->cases[r->n] = (struct test_case){.id = take_ptr(own_id), .alt = take_ptr(own_alt)};
	add_id(r, id, r->n);
	if (alt)
		add_alt(r, alt, r->n);
	return &r->cases[r->n++];
}

const struct test_case *test_report_find(const struct test_report *r, const char *id)
{
	const uint32_t *slot = r->table_size ? slot_of(r, id) : NULL;
	const struct test_case *c = slot && *slot ? &r->cases[(*slot - 1) / 2] : NULL;

	return c && is_of_alt(*slot) && c->shares_alt ? NULL : c;
}
