/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_CASES_H
#define CSBX_CMD_EVAL_CASES_H

/* Cases of a judged run: the question, the expected answer, and the answer. */

#include <stdbool.h>
#include <stdint.h>

#include "cmd/judge/outcome.h"
#include "cmd/judge/value/compare.h"
#include "cmd/judge/value/value.h"
#include "runtime/base/str.h"

struct err;
struct json_out;

#define EVAL_CASES_MAX 100000u
#define EVAL_CASES_BYTES_MAX (64u << 20)

struct eval_case {
	char *name;
	struct value args, kwargs;    /* list, dict */
	const struct value *input;    /* "stdin": text for a program; NULL: a case of a function */
	const struct value *expected; /* NULL: not compared */
	const char *expected_type, *expected_exception; /* NULL: not asked for */
	struct pattern *message;                        /* of the exception; NULL: any */
	struct compare compare;
	double weight;

	/* how it went */
	enum eval_outcome outcome;
	struct strbuf output; /* JSON, cut; empty: none. The value itself goes with its answer */
	struct strbuf detail; /* why it did not pass, in a sentence; empty: it did */
	uint64_t duration_ns;
};

struct eval_cases {
	struct value_pool pool;
	struct eval_case *items;
	size_t n;
};

/* From an array of cases, which lives as long as `ret`. for_function: they have arguments. */
int eval_cases_from_value(const struct value *list, bool for_function, struct eval_cases *ret,
			  struct err *e);
/* From the text of a file: an array, or an object with an array "cases". */
int eval_cases_read(const char *text, size_t len, bool for_function, struct eval_cases *ret,
		    struct err *e);
void eval_cases_free(struct eval_cases *c);

/* Judge the answer to a case: its payload (PROTOCOL.md) or a program's output. */
void eval_case_answered(struct eval_case *c, const char *payload, size_t len);
void eval_case_printed(struct eval_case *c, const char *text, size_t len);
/* It did not come so far. */
void eval_case_failed(struct eval_case *c, enum eval_outcome outcome, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* All that are open get this outcome. */
void eval_cases_fail_rest(struct eval_cases *c, enum eval_outcome outcome, const char *why);

bool eval_cases_all_passed(const struct eval_cases *c);
/* One was not done in time, and no other says more than that. */
bool eval_cases_all_hang(const struct eval_cases *c);
double eval_cases_score(const struct eval_cases *c);

#define EVAL_WHY_FAIL_FAST "was not run: a case before it has not passed (--fail-fast)"
#define EVAL_WHY_NO_TIME "was not run: the time of all cases was over (--total-timeout)"

/* "cases", "all_passed" and "score" of the result object. */
void eval_cases_write(const struct eval_cases *c, struct json_out *j);
/* A sentence for a case that did not pass: the question, and the fault of the answer. */
char *eval_case_sentence(const struct eval_case *c, const char *function);

#endif
