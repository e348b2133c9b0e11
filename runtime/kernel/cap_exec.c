/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/cap_exec.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/kernel/cap.h"

static uint32_t word(uint64_t mask, int i)
{
	return (uint32_t)(mask >> 32 * i);
}

int cap_keep_over_exec(uint64_t mask, struct err *e)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) < 0)
		return err_sys(e, "read capabilities");
	mask &= data[0].permitted | (uint64_t)data[1].permitted << 32;
	for (int i = 0; i < 2; i++)
		data[i].inheritable |= word(mask, i);
	if (syscall(SYS_capset, &head, data) < 0)
		return err_sys(e, "keep capabilities");
	for (int cap = 0; cap < 64; cap++) {
		if (mask >> cap & 1 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) < 0)
			return err_sys(e, "keep capabilities");
	}
	return 0;
}
