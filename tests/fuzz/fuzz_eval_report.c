/* SPDX-License-Identifier: Apache-2.0 */
/* The input on the channel of a judged program: frames, and answers to a case. */
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/cases.h"
#include "cmd/judge/harness_frame.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "tests/fuzz/fuzz.h"

static const char asked[] =
	"[{\"expected\":[1,{\"a\":2.5}]},{\"expected\":[3,1],\"compare\":\"set\"},"
	"{\"expected\":0.5,\"compare\":\"close\"},{\"expected\":\"x\",\"compare\":\"stdout\"},"
	"{\"expected_exception\":{\"type\":\"OSError\",\"message_re\":\"[a-z]+\\\\d*?$\"}},"
	"{\"expected_type\":\"dict\"}]";

static void answer(const char *payload, size_t len)
{
	struct eval_cases cases = {0};
	struct err e = ERR_INIT;

	FUZZ_ASSERT(eval_cases_read(asked, sizeof(asked) - 1, true, &cases, &e) >= 0);
	for (size_t i = 0; i < cases.n; i++) {
		struct eval_case *c = &cases.items[i];
		_free_ char *sentence = NULL;

		eval_case_answered(c, payload, len);
		FUZZ_ASSERT(c->outcome != EVAL_OPEN &&
			    (c->outcome == EVAL_PASSED) == !c->detail.len);
		sentence = eval_case_sentence(c, "f");
	}
	eval_cases_free(&cases);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct harness_buffer b = {0};
	struct harness_frame f;
	size_t used = 0;

	strbuf_add(&b.data, data, size);
	while (harness_frame_next(&b, &f, NULL) > 0) {
		FUZZ_ASSERT(f.len <= size && b.used > used && b.used <= size);
		used = b.used;
		answer(f.payload, f.len);
	}
	harness_buffer_free(&b);
	answer((const char *)data, size);
	return 0;
}
