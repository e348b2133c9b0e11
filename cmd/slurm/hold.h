/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_STEP_HOLD_H
#define CSBX_STEP_HOLD_H

/*
 * The room cmd/slurm. The user's side of a SLURM step: the holder of its container, and tasks that
 * join it.
 *
 * In: words of the plugin, the step's environment. Out: a container for the step's time.
 *
 *	hold.h, hold_args.h	the holder; hold_priv.h lists its parts
 *	step_child.h		commands that it runs
 *	step_state.h, step_env.h: what it tells tasks
 *	step_join.h		a task enters
 *
 * Must: end with the step.
 * Mustn't: run as root.
 */

/*
 * csbx __hold: makes the container of a SLURM step on one node and keeps it until the step's last
 * task has ended. Started by the SPANK plugin as the job's user, in the control group of the step's
 * daemon; see cmd/spank/plugin.c and step_state.h.
 *
 *	import or find the image, create the container where it has a name, start it with csbx-hold
 *	as its command; tell the tasks; wait; save, remove, end
 *
 * Each of these is a command of the enroot dialect, run as a child: what a site has configured for
 * enroot, its mounts, hooks and environment, is what a step gets.
 *
 * Descriptor 3 is a socket to slurmstepd. One byte says that the tasks may look for the step's
 * directory. 's' from there means that all tasks have ended by themselves, so that what is to be
 * saved is whole; the end of the file means that the step is over, however that came, and ends the
 * child that is at work. 'd' or 'f' is the answer when all is done. No signal but KILL ends the
 * holder before: TERM is for the tasks, which may want their files to the last.
 *
 * --end-step is for a step whose holder was killed: it removes what is left.
 */

int hold_main(int argc, char **argv);

#endif
