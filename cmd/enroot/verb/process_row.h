/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_PROCESS_ROW_H
#define CSBX_CMD_ENROOT_PROCESS_ROW_H

/* The row that `list -f` shows of a process, read from /proc (proc(5)), in the words of ps(1). */

#include <stdint.h>
#include <sys/types.h>

struct process_row {
	char comm[64];          /* blanks shown as '_': columns are parsed by their blanks */
	char state[8];          /* "Ss+", "S", "Tl" */
	char started[16];       /* "14:03:22", of another day "Nov 21", of another year "2025" */
	char time[40];          /* CPU time, "00:00:01" or "2-00:00:01" */
	uint64_t mntns, userns; /* inode numbers; 0: not to be seen */
	char *command;          /* its words, joined by blanks; caller frees */
};

/* -ESRCH where it is gone, or is a program of csbx still that will become the command. */
int process_row_read(pid_t pid, uint64_t started_ns, struct process_row *ret);

#endif
