/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_TESTS_UNIT_BPF_RUN_H
#define CSBX_TESTS_UNIT_BPF_RUN_H

/* Runs seccomp(2) filters outside the kernel: what it would decide for any call of any machine. */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <string.h>

/* Runs a program; the action, or UINT32_MAX for anything the kernel would not accept or run. */
static inline uint32_t bpf_run(const struct sock_filter *f, size_t n, const struct seccomp_data *d)
{
	uint32_t a = 0, words[sizeof(*d) / 4];

	memcpy(words, d, sizeof(*d));
	for (size_t pc = 0; pc < n; pc++) {
		const struct sock_filter *i = &f[pc];

		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (i->k % 4 || i->k >= sizeof(*d))
				return UINT32_MAX;
			a = words[i->k / 4];
			break;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			pc += a == i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			pc += a >= i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			pc += a & i->k ? i->jt : i->jf;
			break;
		case BPF_RET | BPF_K:
			return i->k;
		default:
			return UINT32_MAX;
		}
	}
	return UINT32_MAX;
}

#endif
