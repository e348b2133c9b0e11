/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
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

static const unsigned faked[] = {
#ifdef SYS_chown
	SYS_chown,     SYS_lchown,
#endif
	SYS_fchown,    SYS_fchownat,  SYS_setuid,    SYS_setgid,   SYS_setreuid, SYS_setregid,
	SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_setfsuid, SYS_setfsgid,
};
#define N_FAKED (sizeof(faked) / sizeof(faked[0]))

static void emit(struct strbuf *out, struct sock_filter insn)
{
	strbuf_add(out, &insn, sizeof(insn));
}

/* Errno 0 is success, and the call is not made. What is not faked goes on behind the last one. */
void seccomp_fake_ids_add(struct strbuf *out)
{
	const unsigned char behind = N_FAKED + 3;

	emit(out, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, arch)));
	emit(out, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 0, behind));
	emit(out, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, nr)));
	for (unsigned i = 0; i < N_FAKED; i++)
		emit(out, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, faked[i],
						       (unsigned char)(N_FAKED - i), 0));
	emit(out, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1));
	emit(out, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO));
}

void seccomp_allow_add(struct strbuf *out)
{
	emit(out, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}
