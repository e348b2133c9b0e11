/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_INIT_WARM_H
#define CSBX_RUNTIME_INIT_WARM_H

/*
 * A frozen process (helpers/thaw/abi/image.h) in the memory of this one: for csbx-thaw, which
 * becomes it, and for csbx-init, whose forks do. x86-64; elsewhere warm_read() fails.
 */

#include <stdint.h>

struct thaw_image;
struct thaw_regs;

/* The head of the image in a descriptor; below 0: it has none. */
int warm_read(int in, struct thaw_image *m);
/* Its memory; vdso: where this process has it. What was mapped before a failure stays. */
int warm_map(int in, const struct thaw_image *m, uint64_t vdso);
/* Maps the pages beforehand for those that are forked, but whole blocks that are only read. */
int warm_fill(const struct thaw_image *m);

/* Addresses that /proc/PID tells of. */
struct warm_words {
	uint64_t args, args_end, env, env_end, stack;
};
int warm_set_memory(const struct thaw_image *m, const struct warm_words *w);
/* The addresses that a C library tells the kernel about its thread. */
int warm_register(const struct thaw_image *m);
__attribute__((noreturn)) void warm_go_on(const struct thaw_regs *regs);

#endif
