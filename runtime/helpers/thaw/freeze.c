/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The command keeps this process and its id, for a C library remembers the id of its
 * thread; a child traces it. It stops itself (SIGSTOP) when it has come as far as it is wanted;
 * then its registers, its mappings and what is in them are copied, and it is killed. It is asked to
 * have one thread, and no descriptors but those that the thawed process is started with.
 */
#include <stdbool.h>

#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/sys.h"
#include "runtime/helpers/thaw/abi/image.h"
#include "runtime/helpers/thaw/thaw.h"

#include <linux/ptrace.h>

#define PAGE 4096u
#define GETREGS \
	12 /* PTRACE_GETREGS of <sys/ptrace.h>: x86 only, in no header of the kernel's API */
#define MAPS_BYTES_MAX (256u << 10)
#define SIGNAL_STOPPED(status) (((status)&0xff) == 0x7f ? ((status) >> 8) & 0xff : 0)

static char maps[MAPS_BYTES_MAX];

static long trace(long request, int pid, unsigned long addr, void *data)
{
	return SYS_CALL(__NR_ptrace, request, pid, addr, data, 0, 0);
}

static int open_of(int pid, const char *name)
{
	char path[64] = "/proc/", digits[12];
	size_t n = 0, len = 6;

	do {
		digits[n++] = (char)('0' + pid % 10);
		pid /= 10;
	} while (pid);
	while (n)
		path[len++] = digits[--n];
	path[len++] = '/';
	memcpy(path + len, name, strlen(name) + 1);
	return sys_openat(SYS_AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

static const char *hex(const char *p, uint64_t *ret)
{
	for (*ret = 0;; p++) {
		if (*p >= '0' && *p <= '9')
			*ret = *ret << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			*ret = *ret << 4 | (uint64_t)(*p - 'a' + 10);
		else
			return p;
	}
}

static bool begins(const char *text, const char *with)
{
	while (*with) {
		if (*text++ != *with++)
			return false;
	}
	return true;
}

/* "7f00-7f10 rw-p 00000000 00:00 0   [name]"; the name begins behind three more fields. */
static const char *name_of(const char *p)
{
	for (int field = 0; field < 3; field++) {
		while (*p != ' ' && *p != '\n')
			p++;
		while (*p == ' ')
			p++;
	}
	return p;
}

static int add_region(struct thaw_image *m, const struct thaw_region *r, const char *name,
		      bool is_shared)
{
	if (begins(name, "[vsyscall]"))
		return 0;
	if (begins(name, "[vvar") || begins(name, "[vdso]")) {
		if (m->n_specials == THAW_SPECIALS_MAX)
			return -ENOSPC;
		if (begins(name, "[vdso]"))
			m->vdso = r->start;
		m->specials[m->n_specials++] = *r;
		return 0;
	}
	if (begins(name, "[heap]")) {
		m->heap = m->heap ? m->heap : r->start;
		m->heap_end = r->end;
	}
	if ((is_shared && (r->prot & PROT_WRITE)) || m->n_regions == THAW_REGIONS_MAX)
		return -EOPNOTSUPP;
	m->regions[m->n_regions++] = *r;
	return 0;
}

static int read_maps(int pid, struct thaw_image *m)
{
	int fd = open_of(pid, "maps"), r = 0;
	size_t len = 0;
	long n = fd;

	while (fd >= 0 && (n = sys_read(fd, maps + len, sizeof(maps) - 1 - len)) > 0)
		len += (size_t)n;
	if (fd >= 0)
		sys_close(fd);
	if (n < 0 || len == sizeof(maps) - 1)
		return n < 0 ? (int)n : -E2BIG;
	for (const char *p = maps; r >= 0 && *p; p++) {
		struct thaw_region x = {0};
		const char *name;

		p = hex(p, &x.start) + 1;
		p = hex(p, &x.end) + 1;
		x.prot = (p[0] == 'r' ? PROT_READ : 0) | (p[1] == 'w' ? PROT_WRITE : 0) |
			 (p[2] == 'x' ? PROT_EXEC : 0);
		name = name_of(p + 5);
		x.kind = begins(name, "[stack]") ? THAW_STACK
			 : x.prot & PROT_READ    ? THAW_CONTENT
						 : THAW_EMPTY;
		r = add_region(m, &x, name, p[3] == 's');
		while (*p != '\n')
			p++;
	}
	return r;
}

static bool is_zero(const uint64_t *page)
{
	for (size_t i = 0; i < PAGE / sizeof(*page); i++) {
		if (page[i])
			return false;
	}
	return true;
}

/* Pages without content stay holes of the file. */
static int copy_region(int mem, int out, const struct thaw_region *x)
{
	static uint64_t page[PAGE / sizeof(uint64_t)];
	uint64_t at = x->start;

	for (; at < x->end; at += PAGE) {
		long n = SYS_CALL(__NR_pread64, mem, page, PAGE, at, 0, 0);

		if (n == PAGE && is_zero(page))
			continue;
		if (n == PAGE)
			n = SYS_CALL(__NR_pwrite64, out, page, PAGE, x->offset + (at - x->start), 0,
				     0);
		if (n != PAGE)
			return n < 0 ? (int)n : -EIO;
	}
	return 0;
}

static uint64_t block_of(uint64_t address)
{
	return address & ~(uint64_t)(THAW_BLOCK_BYTES - 1);
}

/* What shares a block in memory shares one in the file. end: of the blocks that are in use. */
static uint64_t offset_of(const struct thaw_region *x, const struct thaw_region *last, uint64_t end)
{
	if (last && block_of(x->start) <= block_of(last->end - 1))
		return last->offset + (x->start - last->start);
	return end + (x->start - block_of(x->start));
}

static int copy_memory(int pid, int out, struct thaw_image *m)
{
	uint64_t end = THAW_BLOCK_BYTES; /* the head has the first */
	const struct thaw_region *last = NULL;
	int mem = open_of(pid, "mem"), r = mem < 0 ? mem : 0;

	for (uint32_t i = 0; r >= 0 && i < m->n_regions; i++) {
		struct thaw_region *x = &m->regions[i];

		if (x->kind == THAW_EMPTY)
			continue;
		/* The memory below the end of the stack is of no use. */
		if (x->kind == THAW_STACK)
			x->start = (m->regs.rsp - 2 * PAGE) & ~(uint64_t)(PAGE - 1);
		x->offset = offset_of(x, last, end);
		end = block_of(x->offset + (x->end - x->start) + THAW_BLOCK_BYTES - 1);
		r = copy_region(mem, out, x);
		last = x;
	}
	if (mem >= 0)
		sys_close(mem);
	return r < 0 ? r : (int)SYS_CALL(__NR_ftruncate, out, end, 0, 0, 0, 0);
}

/* The addresses that the C library told the kernel about its one thread. */
static int read_registrations(int pid, struct thaw_image *m)
{
	struct ptrace_rseq_configuration rseq = {0};
	long r = SYS_CALL(__NR_get_robust_list, pid, &m->robust_list, &m->robust_len, 0, 0, 0);

	if (r >= 0)
		r = trace(PTRACE_GET_RSEQ_CONFIGURATION, pid, sizeof(rseq), &rseq);
	m->rseq = rseq.rseq_abi_pointer;
	m->rseq_len = rseq.rseq_abi_size;
	m->rseq_signature = rseq.signature;
	return r < 0 ? (int)r : 0;
}

static int copy(int pid, int out, struct thaw_image *m)
{
	int r = (int)trace(GETREGS, pid, 0, &m->regs);
	long n;

	if (r >= 0)
		r = read_maps(pid, m);
	if (r >= 0 && !m->vdso)
		r = -EOPNOTSUPP;
	if (r >= 0)
		r = read_registrations(pid, m);
	if (r >= 0)
		r = copy_memory(pid, out, m);
	if (r < 0)
		return r;
	m->magic = THAW_MAGIC;
	n = SYS_CALL(__NR_pwrite64, out, m, sizeof(*m), 0, 0, 0);
	return n == sizeof(*m) ? 0 : n < 0 ? (int)n : -EIO;
}

/* Waits until the parent stops itself; -errno when it cannot be traced, or ends. */
static int wait_for_stop(int parent)
{
	int status = 0, r;

	while ((r = sys_wait4(parent, &status, __WALL, NULL)) >= 0) {
		int sig = SIGNAL_STOPPED(status);

		if (sig == SIGSTOP)
			return 0;
		if (!sig)
			return -ECHILD;
		r = (int)trace(PTRACE_CONT, parent, 0, (void *)(long)sig);
		if (r < 0)
			break;
	}
	return r;
}

/* The child. No process waits for what it says: the file is whole or has no head. */
static __attribute__((noreturn)) void trace_parent(int parent, int out, struct thaw_image *m,
						   int go, int done)
{
	char byte = 0;
	int r = -EPIPE;

	if (sys_read(go, &byte, 1) == 1)
		r = (int)trace(PTRACE_SEIZE, parent, 0, NULL);
	if (r < 0 || sys_write(done, &byte, 1) != 1)
		sys_exit(1);
	sys_close(done);
	r = wait_for_stop(parent);
	if (r >= 0)
		r = copy(parent, out, m);
	sys_kill(parent, SIGKILL);
	sys_exit(r < 0);
}

int freeze(int out, struct thaw_image *m, char **argv, char **envp)
{
	int parent = (int)SYS_CALL(__NR_getpid, 0, 0, 0, 0, 0, 0), go[2], done[2], r, pid;
	char byte = 0;

	r = sys_pipe2(go, O_CLOEXEC);
	if (r >= 0)
		r = sys_pipe2(done, O_CLOEXEC);
	if (r < 0)
		return r;
	pid = sys_clone(SIGCHLD);
	if (pid < 0)
		return pid;
	if (!pid) {
		sys_close(go[1]);
		sys_close(done[0]);
		trace_parent(parent, out, m, go[0], done[1]);
	}
	sys_close(go[0]);
	sys_close(done[1]);
	/* With Yama, only parents may trace; without it, this fails and is not needed. */
	(void)sys_prctl(PR_SET_PTRACER, (unsigned long)pid, 0);
	if (sys_write(go[1], &byte, 1) != 1 || sys_read(done[0], &byte, 1) != 1)
		return -EPERM;
	sys_close(out);
	return exec_by_path(argv, envp);
}
