/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_THAW_IMAGE_H
#define CSBX_RUNTIME_THAW_IMAGE_H

/*
 * The room runtime/helpers/thaw/abi. The things that csbx-thaw and its callers share.
 *
 * In: nothing but what is declared here. Out: the form of a frozen process.
 *
 * Must: be refused by a program of another version. Mustn't: be read from where a judged program
 * can write.
 */

/*
 * A process that was stopped, as a file: this head, and the contents of its memory at the offsets
 * that the head names, which are as far into a block as the addresses are. It is only good on the machine and kernel, and in the image, it was made on.
 */

#include <stdint.h>

#define THAW_MAGIC UINT64_C(0x31776168746273)
#define THAW_BLOCK_BYTES (2u << 20) /* offsets in memory and file are the same in a block */
#define THAW_REGIONS_MAX 1024u
#define THAW_SPECIALS_MAX 4u

enum thaw_kind {
	THAW_CONTENT, /* in the file */
	THAW_EMPTY,   /* reserved address space */
	THAW_STACK,   /* grows down; its content is in the file */
};

struct thaw_region {
	uint64_t start, end, offset;
	uint32_t prot, kind;
};

/* As the kernel has it on x86-64 (struct user_regs_struct of ptrace(2)). */
struct thaw_regs {
	uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, orig_rax,
		rip, cs, eflags, rsp, ss, fs_base, gs_base, ds, es, fs, gs;
};

struct thaw_image {
	uint64_t magic;
	uint32_t n_regions, n_specials;
	struct thaw_regs regs;
	uint64_t robust_list, robust_len;
	uint64_t rseq;
	uint32_t rseq_len, rseq_signature;
	uint64_t heap, heap_end;                        /* of brk(2); 0: it has none */
	uint64_t vdso;                                  /* where it was */
	struct thaw_region specials[THAW_SPECIALS_MAX]; /* the vdso and its data, in order */
	struct thaw_region regions[THAW_REGIONS_MAX];
};

_Static_assert(sizeof(struct thaw_image) <= THAW_BLOCK_BYTES, "the head has its place");

#endif
