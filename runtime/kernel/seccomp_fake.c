/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "runtime/base/str.h"
#include "runtime/kernel/seccomp.h"

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "no seccomp architecture for this machine"
#endif

#define LOW(word) (offsetof(struct seccomp_data, args) + (word) * sizeof(uint64_t))

static const unsigned faked[] = {
#ifdef SYS_chown
	SYS_chown,     SYS_lchown,
#endif
	SYS_fchown,    SYS_fchownat,  SYS_setuid,    SYS_setgid,   SYS_setreuid, SYS_setregid,
	SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_setfsuid, SYS_setfsgid, SYS_capset,
};
#define N_FAKED (sizeof(faked) / sizeof(faked[0]))

static const struct {
	unsigned nr, mode; /* which argument is the mode */
} nodes[] = {
#ifdef SYS_mknod
	{SYS_mknod, 1},
#endif
	{SYS_mknodat, 2},
};
#define N_NODES (sizeof(nodes) / sizeof(nodes[0]))

/* The code behind the list of calls: each kind of mknod, the look at its mode, and the answer. */
#define N_NODE (1 + 1 + 4) /* the call, the mode, whether that is a device */
#define N_TAIL (N_NODES * N_NODE + 1)

static void emit(struct strbuf *out, struct sock_filter insn)
{
	strbuf_add(out, &insn, sizeof(insn));
}

static void load(struct strbuf *out, size_t offset)
{
	emit(out, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void if_equal(struct strbuf *out, uint32_t k, size_t then, size_t otherwise)
{
	emit(out, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, (unsigned char)then,
					       (unsigned char)otherwise));
}

/*
 * A device, of which the user's own map would not let any be made, is answered; fifos and the like
 * are made. left: instructions from behind this one to the answer.
 */
static void add_node(struct strbuf *out, unsigned nr, unsigned mode, size_t left)
{
	if_equal(out, nr, 0, N_NODE - 1);
	load(out, LOW(mode));
	emit(out, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, S_IFMT));
	if_equal(out, S_IFCHR, 2 + left, 0);
	if_equal(out, S_IFBLK, 1 + left, 0);
	emit(out, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)left + 1));
}

/*
 * Errno 0 is success, and the call is not made. A call that is not faked goes on behind the last
 * one.
 */
void seccomp_fake_add(bool ids, struct strbuf *out)
{
	size_t n = ids ? N_FAKED : 0;

	load(out, offsetof(struct seccomp_data, arch));
	if_equal(out, NATIVE_ARCH, 0, 1 + n + N_TAIL + 1);
	load(out, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n; i++)
		if_equal(out, faked[i], n - 1 - i + N_TAIL, 0);
	for (size_t i = 0; i < N_NODES; i++)
		add_node(out, nodes[i].nr, nodes[i].mode, (N_NODES - 1 - i) * N_NODE + 1);
	emit(out, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1));
	emit(out, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO));
}

void seccomp_allow_add(struct strbuf *out)
{
	emit(out, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}
