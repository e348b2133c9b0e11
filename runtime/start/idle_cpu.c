/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/idle_cpu.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/fd.h"

#define LOOK_AGAIN_MS 50

/* proc_loadavg(5): "0.20 0.18 0.12 2/80 11206": how many run or want to, this process included. */
static int count_running(void)
{
	_close_ int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	char text[128] = "", *p = text;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return -1;
	for (int i = 0; i < 3 && p; i++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return p ? atoi(p) : -1;
}

static void pause_ms(uint32_t ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000},
		  NULL);
}

bool idle_cpu_wait(uint32_t first_ms, uint32_t most_ms)
{
	cpu_set_t own;
	int n_cpus;

	if (sched_getaffinity(0, sizeof(own), &own) < 0)
		return false;
	n_cpus = CPU_COUNT(&own);
	pause_ms(first_ms);
	for (uint32_t waited_ms = 0; n_cpus > 1 && waited_ms < most_ms;
	     waited_ms += LOOK_AGAIN_MS) {
		int n = count_running();

		if (n < 0 || n <= n_cpus)
			return n > 0;
		pause_ms(LOOK_AGAIN_MS);
	}
	return false;
}
