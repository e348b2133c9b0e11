/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csbx-hold keeps a container alive that has nothing to run itself: tasks of a SLURM step join it.
 * It is mounted into the container and so must need nothing of an image: no libc, csbx-init's entry
 * and system calls. Descriptor 0 is a socket to the one who started it: one byte says that the
 * container is there (after the image's entry point, where that runs first), its end ends it. No
 * signal but KILL and STOP does: the step's are meant for the tasks.
 */
#include "runtime/helpers/init/sys.h"

__attribute__((noreturn)) void init_main(void);

__attribute__((noreturn)) void init_main(void)
{
	uint64_t all = ~(uint64_t)0;
	char byte = 'r';
	long n;

	sys_call(__NR_rt_sigprocmask, SIG_SETMASK, (long)&all, 0, sizeof(all), 0, 0);
	sys_write(0, &byte, 1);
	do
		n = sys_read(0, &byte, 1);
	while (n > 0 || n == -EINTR);
	sys_exit(0);
}
