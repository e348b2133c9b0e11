/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. Mappings are made where they were, private, so that all processes thawed from the file
 * share the pages that they do not write. Mappings that are in the way are not touched: addresses
 * are drawn at random by the kernel, and where they collide the command is run as it would be
 * without all this. This program itself stays where it lies, below everybody (mk/thaw.mk), and so
 * does its stack, with the words of the command. The vdso is moved to where the C library of the
 * frozen process remembers it to be.
 */
#include <stdbool.h>

#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/sys.h"
#include "runtime/helpers/thaw/abi/image.h"
#include "runtime/helpers/thaw/thaw.h"

#define AT_SYSINFO_EHDR 33
#define ARCH_SET_FS 0x1002

static bool overlap(uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end)
{
	return a < b_end && b < a_end;
}

/*
 * brk(2) goes on where the frozen process was; else malloc(3), which remembers that, would be told
 * nonsense. All the rest stays what it is for this program. Needs CONFIG_CHECKPOINT_RESTORE, and no
 * privilege.
 */
static int set_heap(const struct thaw_image *m, char **argv, char **envp)
{
	extern char __executable_start, __bss_start, _end;
	char **last = envp;
	struct prctl_mm_map map = {
		.start_code = (uint64_t)&__executable_start,
		.end_code = (uint64_t)&__bss_start,
		.start_data = (uint64_t)&__bss_start,
		.end_data = (uint64_t)&_end,
		.start_brk = m->heap ? m->heap : (uint64_t)&_end,
		.brk = m->heap ? m->heap_end : (uint64_t)&_end,
		.start_stack = (uint64_t)argv,
		.arg_start = (uint64_t)argv[0],
		.arg_end = *envp ? (uint64_t)*envp : (uint64_t)argv[0],
		.exe_fd = (uint32_t)-1,
	};

	while (*last)
		last++;
	map.env_start = map.arg_end;
	map.env_end = last > envp ? (uint64_t)(last[-1] + strlen(last[-1]) + 1) : map.arg_end;
	return (int)SYS_CALL(__NR_prctl, PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0, 0);
}

static int move_vdso(const struct thaw_image *m, const unsigned long *auxv)
{
	const struct thaw_region *first = m->specials, *last = &m->specials[m->n_specials - 1];
	uint64_t delta;

	for (; auxv[0] && auxv[0] != AT_SYSINFO_EHDR; auxv += 2)
		;
	delta = m->vdso - auxv[1];
	if (!auxv[0] || !m->n_specials)
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

static int register_thread(const struct thaw_image *m)
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
static __attribute__((noreturn)) void go_on(const struct thaw_regs *regs)
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

int thaw(int in, struct thaw_image *m, char **argv, char **envp)
{
	long n = SYS_CALL(__NR_pread64, in, m, sizeof(*m), 0, 0, 0);
	int r = n == sizeof(*m) && m->magic == THAW_MAGIC ? 0 : -EINVAL;

	if (r < 0 || m->n_regions > THAW_REGIONS_MAX || m->n_specials > THAW_SPECIALS_MAX)
		return -EINVAL;
	r = set_heap(m, argv, envp);
	while (*envp)
		envp++;
	if (r >= 0)
		r = move_vdso(m, (const unsigned long *)(envp + 1));
	for (uint32_t i = 0; r >= 0 && i < m->n_regions; i++)
		r = map_region(in, &m->regions[i]);
	if (r >= 0)
		r = register_thread(m);
	if (r < 0)
		return r;
	sys_close(in);
	sys_prctl(PR_SET_NAME, (unsigned long)"python3", 0);
	go_on(&m->regs);
}
