/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_JOB_CONTROL_H
#define CSBX_RUNTIME_JOB_CONTROL_H

/*
 * Ctrl-Z for a main process that is no shell. The kernel discards the stop: the process group is
 * orphaned, as its parent, csbx-init, is in no session of the terminal. Then the supervisor stops
 * the container, and itself, instead.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * True if the typed bytes hold the suspend character, the pty's mode makes a signal of it, the
 * main process (child of pid1) is in its foreground and neither ignores nor handles SIGTSTP.
 */
bool job_control_is_lost(int master, const char *typed, size_t len, pid_t pid1);

/*
 * Stops us until someone continues us. A stop that was typed is for the whole job, as the kernel
 * would have it, and is none where no shell could continue the job (an orphaned process group,
 * setpgid(2): the terminal's first program under ssh -t). One that was sent is for us alone.
 */
void job_control_stop(bool was_typed);

#endif
