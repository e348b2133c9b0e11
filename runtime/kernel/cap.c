/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/cap.h"

#include <linux/capability.h>
#include <strings.h>

#include "runtime/base/str.h"

#define NAME(cap) [cap] = #cap

static const char *const names[] = {
	NAME(CAP_CHOWN),
	NAME(CAP_DAC_OVERRIDE),
	NAME(CAP_DAC_READ_SEARCH),
	NAME(CAP_FOWNER),
	NAME(CAP_FSETID),
	NAME(CAP_KILL),
	NAME(CAP_SETGID),
	NAME(CAP_SETUID),
	NAME(CAP_SETPCAP),
	NAME(CAP_LINUX_IMMUTABLE),
	NAME(CAP_NET_BIND_SERVICE),
	NAME(CAP_NET_BROADCAST),
	NAME(CAP_NET_ADMIN),
	NAME(CAP_NET_RAW),
	NAME(CAP_IPC_LOCK),
	NAME(CAP_IPC_OWNER),
	NAME(CAP_SYS_MODULE),
	NAME(CAP_SYS_RAWIO),
	NAME(CAP_SYS_CHROOT),
	NAME(CAP_SYS_PTRACE),
	NAME(CAP_SYS_PACCT),
	NAME(CAP_SYS_ADMIN),
	NAME(CAP_SYS_BOOT),
	NAME(CAP_SYS_NICE),
	NAME(CAP_SYS_RESOURCE),
	NAME(CAP_SYS_TIME),
	NAME(CAP_SYS_TTY_CONFIG),
	NAME(CAP_MKNOD),
	NAME(CAP_LEASE),
	NAME(CAP_AUDIT_WRITE),
	NAME(CAP_AUDIT_CONTROL),
	NAME(CAP_SETFCAP),
	NAME(CAP_MAC_OVERRIDE),
	NAME(CAP_MAC_ADMIN),
	NAME(CAP_SYSLOG),
	NAME(CAP_WAKE_ALARM),
	NAME(CAP_BLOCK_SUSPEND),
	NAME(CAP_AUDIT_READ),
	NAME(CAP_PERFMON),
	NAME(CAP_BPF),
	NAME(CAP_CHECKPOINT_RESTORE),
};

_Static_assert(sizeof(names) / sizeof(names[0]) == CAP_COUNT, "a name for each capability");

uint64_t cap_parse(const char *name)
{
	if (!strcasecmp(name, "ALL"))
		return CAP_ALL;
	for (unsigned i = 0; i < CAP_COUNT; i++) {
		if (!strcasecmp(name, names[i]) || !strcasecmp(name, names[i] + strlen("CAP_")))
			return UINT64_C(1) << i;
	}
	return 0;
}

void cap_names(uint64_t mask, struct strv *out)
{
	for (unsigned i = 0; i < CAP_COUNT; i++) {
		if (mask >> i & 1)
			strv_add(out, names[i]);
	}
}
