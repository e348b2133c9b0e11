/* SPDX-License-Identifier: Apache-2.0 */
/* csbx.conf and policy.conf: what is accepted holds no control byte and only known keys. */
#include "runtime/base/err.h"
#include "runtime/settings/config.h"
#include "runtime/settings/policy.h"
#include "runtime/spec/spec.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config c = CONFIG_INIT;
	struct policy p = POLICY_INIT;
	struct err e = ERR_INIT;

	if (!config_parse(&c, "f", (const char *)data, size, &e)) {
		for (size_t i = 0; i < c.n; i++) {
			const char *value;

			FUZZ_ASSERT(config_key_find(c.entries[i].key->name) == c.entries[i].key);
			for (const char *s = c.entries[i].value; *s; s++)
				FUZZ_ASSERT((unsigned char)*s >= 0x20 || *s == '\t');
			for (size_t n = 0;
			     config_get_nth(&c, c.entries[i].key->name, n, &value, NULL); n++)
				FUZZ_ASSERT(*value && n < c.n);
		}
	}
	config_free(&c);
	if (!policy_parse(&p, "f", (const char *)data, size, &e)) {
		struct container_spec s = {0};

		if (!policy_apply(&p, &s, &e) && p.limit[LIMIT_PIDS])
			FUZZ_ASSERT((s.limits.pids ? s.limits.pids : 4096) <= p.max[LIMIT_PIDS]);
	}
	policy_free(&p);
	return 0;
}
