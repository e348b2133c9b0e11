/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_INOTIFY_H
#define CSBX_RUNTIME_INOTIFY_H

/*
 * inotify(7) for a process that watches now and then. To close an instance that had a watch takes
 * the kernel 10 ms and more, as it waits for its readers (srcu). So the process keeps one that is
 * given back, without watches, for its next use or its end. Not for several threads.
 */

/* An instance, IN_CLOEXEC and IN_NONBLOCK, without events; -1 with errno. */
int inotify_take(void);
/* Removes these watches (below 0: none) and gives the instance back; *fd is -1 afterwards. */
void inotify_give_back(int *fd, const int *watches, unsigned n_watches);

#endif
