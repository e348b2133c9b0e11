/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_THAW_H
#define CSBX_RUNTIME_THAW_H

/*
 * The room runtime/helpers/thaw. csbx-thaw: an interpreter that was started once, stopped, and is
 * there again in each container.
 *
 * In: a command to freeze, or a file to thaw. Out: the file; a process that goes on.
 *
 *	freeze.c		stops a command and writes it down
 *	thaw.c			a process out of that file
 *	exec_by_path.c		where a file cannot be thawed
 *
 * Must: fall back to a plain start.
 * Mustn't: share anything that a program could write.
 */

/* csbx-thaw: what main.c hands to its two halves. */

struct thaw_image;

/*
 * Becomes the command, which is killed when it has stopped itself: then it is in the file, or the
 * file has no head. Returns -errno where it could not be tried.
 */
int freeze(int out, struct thaw_image *image, char **argv, char **envp);

/* Becomes what the file has; returns -errno where that cannot be, and then the caller may exec. */
int thaw(int in, struct thaw_image *image, char **argv, char **envp);

/* execve(2) by PATH; returns -errno. */
int exec_by_path(char **argv, char **envp);

/* Called by _start with what the kernel put on the stack. */
__attribute__((noreturn)) void thaw_main(long *stack);

#endif
