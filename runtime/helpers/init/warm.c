/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. Mappings are made where they were, private, so that all processes of one image share the
 * pages that they do not write. Mappings that are in the way are not touched: addresses are drawn
 * at random by the kernel, and where they collide there is no warm process. The vdso is moved to
 * where the C library of the frozen process remembers it to be.
 *
 * The file has its pages in pieces of a block (THAW_BLOCK_BYTES) where the kernel can do that, and
 * a block lies in the file as in memory. A process that forks (lane.c) maps two kinds of pages
 * differently. Whole blocks that are only read are one mapping each: a fork maps a block by one
 * fault, and gives it up as one. All other pages are mapped beforehand: fork(2) copies the page
 * tables of a private mapping once one of its pages was written, so one is; for pages of one piece
 * that takes a fraction of the faults that it saves.
 *
 * The image is what a program wrote that is not trusted. Nothing here reads its contents, but for
 * the kernel; no mapping replaces another one; and the registers are taken over by a process that
 * has given up all that the program may not have.
 */
#include "runtime/helpers/init/warm.h"

#if defined(__x86_64__)

#include <stdbool.h>

#include "runtime/helpers/init/sys.h"
#include "runtime/helpers/thaw/abi/image.h"

#define ARCH_SET_FS 0x1002
#define PAGE 4096u
#define POPULATE_READ 22 /* MADV_POPULATE_READ and _WRITE of <asm/mman.h>, since Linux 5.14 */
#define POPULATE_WRITE 23

int warm_read(int in, struct thaw_image *m)
{
	long n = SYS_CALL(__NR_pread64, in, m, sizeof(*m), 0, 0, 0);

	return n == sizeof(*m) && m->magic == THAW_MAGIC && m->n_regions <= THAW_REGIONS_MAX &&
			       m->n_specials <= THAW_SPECIALS_MAX
		       ? 0
		       : -EINVAL;
}

struct run {
	uint64_t start, end, blocks, blocks_end;
	long prot; /* of all of it together */
};

static uint64_t block_of(uint64_t address)
{
	return address & ~(uint64_t)(THAW_BLOCK_BYTES - 1);
}

static bool overlap(uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end)
{
	return a < b_end && b < a_end;
}

static int move_vdso(const struct thaw_image *m, uint64_t vdso)
{
	const struct thaw_region *first = m->specials, *last = &m->specials[m->n_specials - 1];
	uint64_t delta = m->vdso - vdso;

	if (!vdso || !m->n_specials)
		return -EOPNOTSUPP;
	if (!delta)
		return 0;
	if (overlap(first->start, last->end, first->start - delta, last->end - delta))
		return -EEXIST;
	for (const struct thaw_region *x = first; x <= last; x++) {
		size_t len = x->end - x->start;
		long r = SYS_CALL(__NR_mmap, x->start, len, PROT_NONE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (r != (long)x->start)
			return r < 0 ? (int)r : -EEXIST;
		r = SYS_CALL(__NR_mremap, x->start - delta, len, len, MREMAP_MAYMOVE | MREMAP_FIXED,
			     x->start, 0);
		if (r != (long)x->start)
			return r < 0 ? (int)r : -EEXIST;
	}
	return 0;
}

static int map_region(int in, const struct thaw_region *x)
{
	int flags = MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd = in;
	size_t len = x->end - x->start;
	long r;

	if (x->kind != THAW_CONTENT) {
		flags |= MAP_ANONYMOUS | MAP_NORESERVE;
		fd = -1;
	}
	if (x->kind == THAW_STACK)
		flags |= MAP_GROWSDOWN | MAP_STACK;
	r = SYS_CALL(__NR_mmap, x->start, len, x->prot, flags, fd, fd < 0 ? 0 : x->offset);
	if (r != (long)x->start)
		return r < 0 && r > -4096 ? (int)r : -EEXIST;
	if (x->kind != THAW_STACK)
		return 0;
	r = SYS_CALL(__NR_pread64, in, x->start, len, x->offset, 0, 0);
	return r == (long)len ? 0 : r < 0 ? (int)r : -EIO;
}

static bool is_readonly(const struct thaw_region *x)
{
	return x->kind == THAW_CONTENT && !(x->prot & PROT_WRITE);
}

/*
 * The run of adjacent mappings that are only read, of which i is the first, and the whole blocks in
 * it; empty where i is no such. Returns what is behind it.
 */
static uint32_t find_run(const struct thaw_image *m, uint32_t i, struct run *ret)
{
	const struct thaw_region *x = m->regions, *first = x + i;

	*ret = (struct run){.start = first->start, .end = first->start};
	for (; i < m->n_regions && is_readonly(x + i); i++) {
		if (x[i].start != ret->end ||
		    x[i].start - x[i].offset != first->start - first->offset)
			break;
		ret->end = x[i].end;
		ret->prot |= x[i].prot;
	}
	ret->blocks = block_of(ret->start + THAW_BLOCK_BYTES - 1);
	ret->blocks_end = block_of(ret->end);
	if (ret->blocks_end <= ret->blocks)
		ret->blocks = ret->blocks_end = ret->end;
	return x + i == first ? i + 1 : i;
}

/* A block is mapped in one piece where all of it is one mapping. */
static int join_blocks(const struct thaw_image *m)
{
	struct run x;
	long r = 0;

	for (uint32_t i = 0; r >= 0 && i < m->n_regions;) {
		i = find_run(m, i, &x);
		if (x.blocks < x.blocks_end)
			r = SYS_CALL(__NR_mprotect, x.blocks, x.blocks_end - x.blocks, x.prot, 0, 0,
				     0);
	}
	return (int)r;
}

int warm_map(int in, const struct thaw_image *m, uint64_t vdso)
{
	int r = move_vdso(m, vdso);

	for (uint32_t i = 0; r >= 0 && i < m->n_regions; i++)
		r = map_region(in, &m->regions[i]);
	return r < 0 ? r : join_blocks(m);
}

/* Its page tables are made now, and fork(2) copies them. */
static int fill(uint64_t start, uint64_t end, long prot)
{
	long r = 0;

	if (start >= end)
		return 0;
	if (!(prot & PROT_WRITE))
		r = SYS_CALL(__NR_mprotect, start, end - start, PROT_READ | PROT_WRITE, 0, 0, 0);
	if (r >= 0)
		r = SYS_CALL(__NR_madvise, start, PAGE, POPULATE_WRITE, 0, 0, 0);
	if (r >= 0 && !(prot & PROT_WRITE))
		r = SYS_CALL(__NR_mprotect, start, end - start, prot, 0, 0, 0);
	if (r >= 0)
		r = SYS_CALL(__NR_madvise, start, end - start, POPULATE_READ, 0, 0, 0);
	return (int)r;
}

/* A run becomes one mapping: each costs every fork, and the end of it. */
int warm_fill(const struct thaw_image *m)
{
	int r = 0;

	for (uint32_t i = 0, next; r >= 0 && i < m->n_regions; i = next) {
		const struct thaw_region *x = &m->regions[i];
		struct run run;

		next = find_run(m, i, &run);
		if (x->kind == THAW_CONTENT && x->prot & PROT_WRITE)
			r = fill(x->start, x->end, x->prot);
		if (r >= 0)
			r = fill(run.start, run.blocks, run.prot);
		if (r >= 0)
			r = fill(run.blocks_end, run.end, run.prot);
	}
	return r;
}

/*
 * brk(2) goes on where the frozen process was; else malloc(3), which remembers that, would be told
 * nonsense. All the rest stays what it is for this program. Needs CONFIG_CHECKPOINT_RESTORE, and no
 * privilege.
 */
int warm_set_memory(const struct thaw_image *m, const struct warm_words *w)
{
	extern char __executable_start, __bss_start, _end;
	struct prctl_mm_map map = {
		.start_code = (uint64_t)&__executable_start,
		.end_code = (uint64_t)&__bss_start,
		.start_data = (uint64_t)&__bss_start,
		.end_data = (uint64_t)&_end,
		.start_brk = m->heap ? m->heap : (uint64_t)&_end,
		.brk = m->heap ? m->heap_end : (uint64_t)&_end,
		.start_stack = w->stack,
		.arg_start = w->args,
		.arg_end = w->args_end,
		.env_start = w->env,
		.env_end = w->env_end,
		.exe_fd = (uint32_t)-1,
	};

	return (int)SYS_CALL(__NR_prctl, PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0, 0);
}

int warm_register(const struct thaw_image *m)
{
	long r = SYS_CALL(__NR_arch_prctl, ARCH_SET_FS, m->regs.fs_base, 0, 0, 0, 0);

	if (r >= 0 && m->robust_list)
		r = SYS_CALL(__NR_set_robust_list, m->robust_list, m->robust_len, 0, 0, 0, 0);
	if (r >= 0 && m->rseq)
		r = SYS_CALL(__NR_rseq, m->rseq, m->rseq_len, 0, m->rseq_signature, 0, 0);
	return r < 0 ? (int)r : 0;
}

/*
 * It was stopped inside a system call that had been done: rcx and r11 are the kernel's to spoil,
 * and flags and vector registers are not kept across the call of a function.
 */
void warm_go_on(const struct thaw_regs *regs)
{
	__asm__ volatile("movq 0(%%rax), %%r15\n\t"
			 "movq 8(%%rax), %%r14\n\t"
			 "movq 16(%%rax), %%r13\n\t"
			 "movq 24(%%rax), %%r12\n\t"
			 "movq 32(%%rax), %%rbp\n\t"
			 "movq 40(%%rax), %%rbx\n\t"
			 "movq 56(%%rax), %%r10\n\t"
			 "movq 64(%%rax), %%r9\n\t"
			 "movq 72(%%rax), %%r8\n\t"
			 "movq 96(%%rax), %%rdx\n\t"
			 "movq 104(%%rax), %%rsi\n\t"
			 "movq 112(%%rax), %%rdi\n\t"
			 "movq 128(%%rax), %%rcx\n\t"
			 "movq 152(%%rax), %%rsp\n\t"
			 "movq 80(%%rax), %%rax\n\t"
			 "jmp *%%rcx"
			 :
			 : "a"(regs)
			 : "memory");
	__builtin_unreachable();
}

#else

int warm_read(int in, struct thaw_image *m)
{
	(void)in;
	(void)m;
	return -EOPNOTSUPP;
}

#endif
