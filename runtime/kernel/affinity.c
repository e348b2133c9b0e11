/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/affinity.h"

#include <sched.h>
#include <sys/random.h>

#include "runtime/base/err.h"

int affinity_limit(uint64_t cpus_milli, struct err *e)
{
	uint64_t want = (cpus_milli + 999) / 1000;
	int left, needed;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return err_sys(e, "--cpus: read the CPU mask");
	left = CPU_COUNT(&set);
	if (want >= (uint64_t)left)
		return 0;
	needed = (int)want;
	/* Keeps each CPU with probability needed / left: every subset is equally likely. */
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		uint32_t random;

		if (!CPU_ISSET(cpu, &set))
			continue;
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return err_sys(e, "--cpus: random number");
		if (random % (unsigned)left < (unsigned)needed)
			needed--;
		else
			CPU_CLR(cpu, &set);
		left--;
	}
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		return err_sys(e, "--cpus");
	return 0;
}

unsigned affinity_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : (unsigned)CPU_COUNT(&set);
}
