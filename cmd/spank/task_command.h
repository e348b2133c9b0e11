/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SPANK_TASK_COMMAND_H
#define CSBX_SPANK_TASK_COMMAND_H

/*
 * The command of a task becomes csbx-join COMMAND.
 *
 * From 23.11 on SLURM puts words before a task's command for us (spank_prepend_task_argv). Older
 * ones cannot; there the task's argv[0] is replaced, in the task's own process, by a program that
 * finds the former one in the environment. The array is the one that slurmstepd executes since
 * slurm 17; that no other is, is looked at, so that a step never runs outside unasked.
 */

struct err;
struct spank_handle; /* spank_t of <slurm/spank.h> */
struct spank_plugstack;

struct spank_programs {
	char *csbx, *join;
};

/* Both are root's word: from plugstack.conf, or where they were installed. Free in any case. */
int spank_programs_find(const struct spank_plugstack *site, struct spank_programs *ret,
			struct err *e);
void spank_programs_free(struct spank_programs *p);

/* In the task's own process: p->join, or `csbx join`, comes before its command. */
int spank_task_command_prepend(struct spank_handle *sp, const struct spank_programs *p,
			       const char *step_dir, struct err *e);

/* In srun: the same for the commands of --multi-prog, where SLURM is older than 23.11. */
int spank_multi_prog_prepend(struct spank_handle *sp, const struct spank_plugstack *site,
			     struct spank_programs *p, struct err *e);

#endif
