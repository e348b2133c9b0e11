/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packets of a harness, one a line: csbx must believe none of them without the secret, and the
 * outcome of a test may become worse, never better.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/channel.h"
#include "cmd/judge/seal.h"
#include "cmd/judge/test/report.h"
#include "cmd/judge/test/verdict.h"
#include "runtime/base/err.h"
#include "tests/fuzz/fuzz.h"

static int take(void *ctx, const char *json, size_t len)
{
	return test_report_add(ctx, json, len, NULL);
}

static bool is_bad(const struct test_report *r, const char *id)
{
	const struct test_case *c = test_report_find(r, id);

	return c &&
	       (c->call == PHASE_FAILED || c->setup == PHASE_FAILED || c->teardown == PHASE_FAILED);
}

static void judge(struct test_report *r)
{
	struct test_lists lists = {0};
	struct test_verdict v = {0};
	bool strict = r->n % 2;

	strv_add(&lists.ids[LIST_FAIL_TO_PASS], "a");
	strv_add(&lists.ids[LIST_PASS_TO_PASS], "b[x");
	if (test_verdict_reach(r, &lists, strict, &v, NULL) >= 0) {
		FUZZ_ASSERT(!v.resolved || (r->is_finished && v.success[0].n == 1));
		FUZZ_ASSERT(!v.resolved || !is_bad(r, "a"));
		FUZZ_ASSERT(!v.resolved || !strict || !r->tamper.n);
		FUZZ_ASSERT(v.success[0].n + v.failure[0].n == 1);
	}
	test_verdict_free(&v);
	for (int i = 0; i < 2; i++)
		strv_free(&lists.ids[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct test_report r = {.seed = 1};
	struct channel c = {.fd = -1, .guest_fd = -1, .record = take, .ctx = &r};
	const char *p = (const char *)data, *end = p + size;
	bool was_bad = false;

	memset(c.secret, 's', CHANNEL_SECRET_DIGITS);
	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((eol ? eol : end) - p);
		char packet[4096];

		FUZZ_ASSERT(!channel_packet(&c, p, len, true, 2) || c.sender == 2);
		if (len && len < sizeof(packet) - SEAL_DIGITS) {
			seal_make(c.secret, c.n_records, p, len, packet);
			memcpy(packet + SEAL_DIGITS, p, len);
			FUZZ_ASSERT(channel_packet(&c, packet, len + SEAL_DIGITS, true, 1) ||
				    c.sender != 1);
		}
		FUZZ_ASSERT(!was_bad || is_bad(&r, "a"));
		was_bad = is_bad(&r, "a");
		p += len + 1;
	}
	judge(&r);
	test_report_free(&r);
	return 0;
}
