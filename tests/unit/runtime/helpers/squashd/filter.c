/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdlib.h>

#include "runtime/base/err.h"
#include "tests/unit/bpf_run.h"
#include "tests/unit/tap.h"

#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#define OTHER_ARCH AUDIT_ARCH_I386
#else
#define OWN_ARCH AUDIT_ARCH_AARCH64
#define OTHER_ARCH AUDIT_ARCH_ARM
#endif

static uint32_t decide(const struct filter *f, uint32_t arch, uint32_t nr, uint64_t arg)
{
	struct seccomp_data d = {.arch = arch, .nr = (int)nr, .args = {0, 0, arg}};

	return bpf_run(f->insns, f->n, &d);
}

/* Counts the numbers with a wrong answer: the filter must take those that were named, and no
 * other. */
static size_t wrong(const struct filter *f, const bool *want, uint32_t n)
{
	static const uint32_t beyond[] = {512,        513,        1023,       4096,
					  0x3fffffff, 0x40000000, 0x40000001, 0x7fffffff,
					  0x80000000, UINT32_MAX};
	size_t bad = 0;

	for (uint32_t nr = 0; nr < n; nr++) {
		bad += decide(f, OWN_ARCH, nr, 0) != (want[nr] ? SECCOMP_RET_ALLOW : REFUSED);
		bad += decide(f, OTHER_ARCH, nr, 0) != SECCOMP_RET_KILL_PROCESS;
	}
	for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++)
		bad += decide(f, OWN_ARCH, beyond[i], 0) != REFUSED;
	return bad;
}

static void numbers(unsigned of, unsigned seed)
{
	static struct filter f;
	bool want[FILTER_CALLS_MAX] = {false};
	struct err e = ERR_INIT;

	srandom(seed);
	filter_begin(&f);
	for (uint32_t nr = 0; nr < FILTER_CALLS_MAX; nr++) {
		want[nr] = (unsigned)random() % 100 < of;
		if (want[nr])
			filter_allow(&f, (int)nr);
	}
	is_int(filter_end(&f, &e), 0, "%u of 100 calls: ends", of);
	is_int(wrong(&f, want, FILTER_CALLS_MAX), 0, "%u of 100 calls: just those, in %zu steps",
	       of, f.n);
}

static void edges(void)
{
	static struct filter f;
	bool want[FILTER_CALLS_MAX] = {[0] = true, [1] = true, [FILTER_CALLS_MAX - 1] = true};
	struct err e = ERR_INIT;

	filter_begin(&f);
	filter_allow(&f, 0);
	filter_allow(&f, 1);
	filter_allow(&f, FILTER_CALLS_MAX - 1);
	is_int(filter_end(&f, &e), 0, "first and last");
	is_int(wrong(&f, want, FILTER_CALLS_MAX), 0, "just those");
	filter_begin(&f);
	filter_allow(&f, FILTER_CALLS_MAX);
	is_int(filter_end(&f, &e), -E2BIG, "a number beyond all is refused, not forgotten");
}

static void arguments(void)
{
	static struct filter f;
	struct err e = ERR_INIT;

	filter_begin(&f);
	filter_allow(&f, 7);
	filter_allow_arg(&f, 9, 2, 33);
	filter_allow_arg(&f, 9, 2, 34);
	filter_allow_without(&f, 10, 2, 4);
	is_int(filter_end(&f, &e), 0, "with rules on arguments");
	is_int(decide(&f, OWN_ARCH, 9, 33), SECCOMP_RET_ALLOW, "one value");
	is_int(decide(&f, OWN_ARCH, 9, 34), SECCOMP_RET_ALLOW, "the other");
	is_int(decide(&f, OWN_ARCH, 9, 0x100000021), SECCOMP_RET_ALLOW, "an int has 32 bits");
	is_int(decide(&f, OWN_ARCH, 9, 35), REFUSED, "a third");
	is_int(decide(&f, OWN_ARCH, 10, 3), SECCOMP_RET_ALLOW, "without the bit");
	is_int(decide(&f, OWN_ARCH, 10, 5), REFUSED, "with it");
	is_int(decide(&f, OWN_ARCH, 7, 5), SECCOMP_RET_ALLOW, "the tree is still reached");
	is_int(decide(&f, OWN_ARCH, 8, 33), REFUSED, "and refuses");
}

int main(void)
{
	edges();
	arguments();
	for (unsigned seed = 1; seed <= 5; seed++) {
		numbers(0, seed);
		numbers(10, seed);
		numbers(25, seed);
	}
	return done_testing();
}
