/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/boot_id.h"

#include <fcntl.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

int boot_id_read(char ret[BOOT_ID_SIZE], struct err *e)
{
	_close_ int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return err_sys(e, "read the boot id");
	r = io_read_exact(fd, ret, BOOT_ID_SIZE - 1, e);
	if (r < 0)
		return err_wrap(e, "boot id");
	ret[BOOT_ID_SIZE - 1] = 0;
	return 0;
}
