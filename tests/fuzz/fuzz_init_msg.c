/* SPDX-License-Identifier: Apache-2.0 */
/* csbx-init's message check: what it passes can be walked as init does, inside its bounds. */
#include <linux/filter.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/helpers/init/abi/msg_check.h"
#include "tests/fuzz/fuzz.h"

static size_t walk_strings(const struct init_msg *m, struct init_range r, uint32_t n)
{
	const char *s = init_msg_at(m, r), *end = s + r.len;
	size_t sum = 0;

	for (; n; n--) {
		size_t len = strlen(s);

		sum += len;
		s += len + 1;
		FUZZ_ASSERT(s <= end);
	}
	FUZZ_ASSERT(s == end);
	return sum;
}

static size_t sum_bytes(const struct init_msg *m, struct init_range r)
{
	const unsigned char *p = init_msg_at(m, r);
	size_t sum = 0;

	for (uint32_t i = 0; i < r.len; i++)
		sum += p[i];
	return sum;
}

static void walk(const struct init_msg *m)
{
	const struct init_rlimit *l = init_msg_at(m, m->rlimits);
	volatile size_t sum = 0;

	FUZZ_ASSERT(m->argc > 0);
	sum += walk_strings(m, m->argv, m->argc) + walk_strings(m, m->env, m->envc);
	sum += walk_strings(m, m->cwd, 1);
	sum += sum_bytes(m, m->uid_map) + sum_bytes(m, m->gid_map) + sum_bytes(m, m->hostname);
	sum += sum_bytes(m, m->complaint);
	sum += sum_bytes(m, m->groups) + sum_bytes(m, m->bpf);
	for (size_t i = 0; i < m->rlimits.len / sizeof(*l); i++)
		FUZZ_ASSERT(l[i].soft <= l[i].hard && l[i].resource < INIT_MAX_RLIMITS);
	FUZZ_ASSERT(m->bpf.len / sizeof(struct sock_filter) <= INIT_MAX_INSNS);
	FUZZ_ASSERT(m->n_keep_fds <= INIT_MAX_KEEP_FDS);
	FUZZ_ASSERT(((const char *)init_msg_at(m, m->cwd))[0] == '/');
	(void)sum;
}

/* Once as it is, once with the header's fixed words put right: a fuzzer rarely guesses them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct init_msg *m = malloc(size ? size : 1);

	if (!m)
		abort();
	memcpy(m, data, size);
	if (!init_msg_check(m, size))
		walk(m);
	if (size >= sizeof(*m)) {
		m->magic = INIT_MAGIC;
		m->version = INIT_ABI_VERSION;
		m->total_len = (uint32_t)size;
		m->flags &= INIT_FLAGS_ALL;
		m->pad = 0;
		if (!init_msg_check(m, size))
			walk(m);
	}
	free(m);
	return 0;
}
