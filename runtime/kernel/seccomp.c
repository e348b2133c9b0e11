/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/seccomp.h"

#include <linux/filter.h>
#include <stddef.h>

#include "runtime/base/str.h"

/* Instructions at [first, first + n) of seccomp_block_code, for any of the capabilities. */
struct seccomp_block {
	uint64_t caps;
	unsigned first, n;
};

#if defined(__x86_64__)
#include "seccomp_table_x86_64.h"
#elif defined(__aarch64__)
#include "seccomp_table_aarch64.h"
#else
#error "no system call policy for this architecture"
#endif

/* A block either decides or falls through to what follows it. */
void seccomp_filter_add(uint64_t caps, struct strbuf *out)
{
	for (size_t i = 0; i < sizeof(seccomp_blocks) / sizeof(seccomp_blocks[0]); i++) {
		const struct seccomp_block *b = &seccomp_blocks[i];

		if (caps & b->caps)
			strbuf_add(out, &seccomp_block_code[b->first],
				   b->n * sizeof(seccomp_block_code[0]));
	}
	strbuf_add(out, seccomp_base, sizeof(seccomp_base));
}
