/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. runtime/helpers/init/warm.c. This program itself stays where it lies, below everybody
 * (mk/thaw.mk), and so does its stack, with the words of the command. Where an address collides the
 * command is run as it would be without all this.
 */
#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/sys.h"
#include "runtime/helpers/init/warm.h"
#include "runtime/helpers/thaw/abi/image.h"
#include "runtime/helpers/thaw/thaw.h"

#define AT_SYSINFO_EHDR 33

static uint64_t find_vdso(const unsigned long *auxv)
{
	for (; auxv[0] && auxv[0] != AT_SYSINFO_EHDR; auxv += 2)
		;
	return auxv[0] ? auxv[1] : 0;
}

int thaw(int in, struct thaw_image *m, char **argv, char **envp)
{
	struct warm_words w = {.args = (uint64_t)argv[0], .stack = (uint64_t)argv};
	char **last = envp;
	int r;

	while (*last)
		last++;
	w.env = w.args_end = *envp ? (uint64_t)*envp : w.args;
	w.env_end = last > envp ? (uint64_t)(last[-1] + strlen(last[-1]) + 1) : w.args_end;
	r = warm_read(in, m);
	if (r >= 0)
		r = warm_set_memory(m, &w);
	if (r >= 0)
		r = warm_map(in, m, find_vdso((const unsigned long *)(last + 1)));
	if (r >= 0)
		r = warm_register(m);
	if (r < 0)
		return r;
	sys_close(in);
	sys_prctl(PR_SET_NAME, (unsigned long)"python3", 0);
	warm_go_on(&m->regs);
}
